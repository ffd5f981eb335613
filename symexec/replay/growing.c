/* Linked to the unified program with probes and coverage: makes inputs out of others, thousands a
 * second, and keeps those that come to code that none came to before, or by a change.
 *
 *     in (descriptor 3):    how long, fields, words, entries, what is covered
 *     out:                  runs, what is covered, new words, how often each entry was taken,
 *                           new entries with FLAGS
 *
 * For each input it forks where nothing of the user's has run yet; the forked process goes on as the
 * new version (CSGTEST_MASK), and if that came by a change, another one as the old. What both show is
 * compared. All of this are hints: whoever asked runs what is told on builds of both versions. What
 * a run leaves, processes and files, is ended and removed before the next one: no run may show what
 * another one did.
 *
 * Of each new entry one run is watched: where it compares 'a' with 'b', or "ab" with "abc", inputs
 * are made with the one in the place of the other. At the end of a text, what it is compared with is
 * put behind it; then every word, and every small entry. What calls nest more deeply in than before
 * is new as code is: the third section in sections. An entry on which the versions come to different
 * code, besides what a change is made of, has its turn before others: a token may be missing until
 * something shows. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "growing_inputs.h"

#define WEAK __attribute__((weak))

enum { EDGES = 1 << 16, DEPTHS = 1 << 16, CODE = EDGES + DEPTHS, NEARNESS = 1 << 14,
       MAP = CODE + NEARNESS, PAIRS = 2048, TEXT_MOST = 32, MOST_NEW = 256, MOST_DIFFERING = 24 };
enum { CPU_US = 15000, WALL_US = 400000, MOST_WRITTEN = 1 << 17, MOST_ARGUMENTS = 16 };
enum { CHANGES = 4096 };
enum { TICK_US = 100000, MOST_TICKS = 6, MOST_NAMES = 512, ROUNDS = 1000 };
enum { COMPOSED_WORDS = 96, COMPOSED_PLACES = 10, PHRASES = 32, PHRASE = 32 };
enum { TRIMS = 80, WATCHED_RUNS = 600, KINDS = 4096, FIRST_FILE = 200, WATCH_EVERY = 16 };
enum flags { COVERS = 1, TOUCHES = 2, DIFFERS = 4, WATCHED = 8, ENDS_BADLY = 16, GIVEN = 32, OPENS = 64,
             COMPOSED = 128, CUT = 256, EXAMPLE = 512, EXTENDED = 1024, DEEPER = 2048, PARTS = 4096, SHORTENED = 8192, LOOKED_AT = WATCHED | EXTENDED };

/* What a run leaves behind for us. */
struct pair {
    uint64_t left, right;
    unsigned char texts[2][TEXT_MOST];
    uint8_t size, lengths[2]; /* size 0: texts */
};
static struct shared {
    unsigned char map[MAP], blocks[EDGES]; /* one behind the other */
    uint32_t pairs, watches;
    struct pair pair[PAIRS];
} * shared;

static unsigned char nowhere[MAP + EDGES];
static unsigned char *map = nowhere; /* and behind it, how often each block ran */
static uintptr_t last, stack_base;

/* ------------------------------------------------------------------ called by the program */

enum { DEEPEST_STACK = 1 << 23, LIVE = 4096, MOST_LIVE = 8192, LEVELS = 8 };

/* Code that has run in calls that are not over, innermost last; `level`: how often the function that
 * is called most often among them is called there. */
static struct live {
    uintptr_t frame, outer; /* outer: of the call before in which the same code has run, or 0 */
    uint16_t code, level;
} live[MOST_LIVE];
static uint32_t live_count;
static struct {
    uintptr_t frame; /* the innermost call in which this code has run */
    uint16_t calls;
} live_code[LIVE];

/* How deep calls nest where code runs, from a call within a call of the same function on: what is new
 * in the third section of sections is not new in the first. Levels far down count as one. */
static void comes_deep(uintptr_t here, uintptr_t frame)
{
    static const unsigned char classes_of_levels[] = {0, 0, 1, 2, 3, 4, 4, 5, 5, 5, 6};
    if (stack_base - frame >= DEEPEST_STACK) /* the stack of another thread, or one of the program's own */
        return;
    for (; live_count && live[live_count - 1].frame < frame; live_count--) {
        uint16_t code = live[live_count - 1].code;
        live_code[code].calls--;
        live_code[code].frame = live[live_count - 1].outer;
    }
    uint16_t code = here & (LIVE - 1), level = live_count ? live[live_count - 1].level : 0;
    if (live_count < MOST_LIVE && live_code[code].frame != frame) {
        if (++live_code[code].calls > level)
            level = live_code[code].calls;
        live[live_count++] = (struct live){frame, live_code[code].frame, code, level};
        live_code[code].frame = frame;
    }
    unsigned class = classes_of_levels[level < sizeof classes_of_levels ? level : sizeof classes_of_levels - 1];
    if (class)
        map[EDGES + ((here * LEVELS + class) & (DEPTHS - 1))] = 1;
}

void __sanitizer_cov_trace_pc(void)
{
    uintptr_t here = (uintptr_t) __builtin_return_address(0);
    here = (here ^ here >> 16) & (EDGES - 1);
    comes_deep(here, (uintptr_t) __builtin_frame_address(0));
    map[here ^ last]++;
    map[MAP + here]++;
    last = here >> 1;
}

static struct pair *next_pair(void)
{
    if (!shared || !shared->watches || shared->pairs >= PAIRS)
        return NULL;
    return &shared->pair[shared->pairs++];
}

/* How near a number comes to what it is compared with, from afar in bytes: at each place, each distance
 * is as good as code that is new. */
static void comes_near(uint64_t left, uint64_t right, uintptr_t here)
{
    if (left >= ' ' && left < 127) /* most likely a character: that one is near another says nothing */
        return;
    uint64_t distance = left > right ? left - right : right - left;
    unsigned step = distance < 16 ? (unsigned) distance : 23 - (unsigned) __builtin_clzll(distance) / 8;
    map[CODE + ((here * 79 + step) & (NEARNESS - 1))] = 1;
}

static void compared(uint64_t left, uint64_t right, unsigned size)
{
    struct pair *pair = left != right ? next_pair() : NULL;
    if (pair)
        *pair = (struct pair){.left = left, .right = right, .size = (uint8_t) size};
}

void __sanitizer_cov_trace_cmp1(uint8_t left, uint8_t right) { compared(left, right, 1); }
void __sanitizer_cov_trace_cmp2(uint16_t left, uint16_t right) { compared(left, right, 2); }
void __sanitizer_cov_trace_const_cmp1(uint8_t left, uint8_t right) { compared(left, right, 1); }
void __sanitizer_cov_trace_const_cmp2(uint16_t left, uint16_t right) { compared(left, right, 2); }

/* With constants alone: two values of the input are near each other in countless ways. */
#define CONSTANTS(size, bits)                                                                   \
    void __sanitizer_cov_trace_const_cmp##size(uint##bits##_t left, uint##bits##_t right)       \
    {                                                                                           \
        comes_near(left, right, (uintptr_t) __builtin_return_address(0));                       \
        compared(left, right, sizeof left);                                                     \
    }
CONSTANTS(4, 32)
CONSTANTS(8, 64)

void __sanitizer_cov_trace_cmp4(uint32_t left, uint32_t right) { compared(left, right, 4); }
void __sanitizer_cov_trace_cmp8(uint64_t left, uint64_t right) { compared(left, right, 8); }
void __sanitizer_cov_trace_cmpf(float left, float right) { (void) left, (void) right; }
void __sanitizer_cov_trace_cmpd(double left, double right) { (void) left, (void) right; }

/* `cases`: how many, their bits, then each. */
void __sanitizer_cov_trace_switch(uint64_t value, const uint64_t *cases)
{
    for (uint64_t i = 0; shared && shared->watches && i < cases[0]; i++)
        compared(cases[i + 2], value, (unsigned) (cases[1] / 8));
}

static void compared_texts(const char *left, const char *right, size_t most)
{
    if (!shared || !shared->watches)
        return;
    if (most > TEXT_MOST)
        most = TEXT_MOST;
    size_t left_size = strnlen(left, most), right_size = strnlen(right, most);
    if (left_size == right_size && !memcmp(left, right, left_size))
        return;
    struct pair *pair = next_pair();
    if (!pair)
        return;
    pair->size = 0;
    pair->lengths[0] = (uint8_t) (left_size < TEXT_MOST ? left_size : TEXT_MOST);
    pair->lengths[1] = (uint8_t) (right_size < TEXT_MOST ? right_size : TEXT_MOST);
    memcpy(pair->texts[0], left, pair->lengths[0]);
    memcpy(pair->texts[1], right, pair->lengths[1]);
}

/* The program's calls have these names instead. */
WEAK int csgtest_seen_strcmp(const char *left, const char *right)
{
    compared_texts(left, right, TEXT_MOST);
    return strcmp(left, right);
}

WEAK int csgtest_seen_strncmp(const char *left, const char *right, size_t most)
{
    compared_texts(left, right, most);
    return strncmp(left, right, most);
}

WEAK int csgtest_seen_strcasecmp(const char *left, const char *right)
{
    compared_texts(left, right, TEXT_MOST);
    return strcasecmp(left, right);
}

WEAK int csgtest_seen_strncasecmp(const char *left, const char *right, size_t most)
{
    compared_texts(left, right, most);
    return strncasecmp(left, right, most);
}

WEAK int csgtest_seen_memcmp(const void *left, const void *right, size_t size)
{
    compared_texts(left, right, size);
    return memcmp(left, right, size);
}

WEAK char *csgtest_seen_strstr(const char *in, const char *what)
{
    compared_texts(in, what, TEXT_MOST);
    return strstr(in, what);
}

/* ------------------------------------------------------------------ what we are asked */

static void *mapped(size_t size)
{
    void *place = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED)
        _exit(125);
    return place;
}

static unsigned char *request;
static size_t request_at, request_size, request_room;
static struct {
    unsigned char covered[3][MAP]; /* by runs of the new version, by those that come by a change, by those
                                      on which the versions part */
    unsigned char apart[EDGES];    /* code to which one version came, or came another number of times */
    unsigned char usual[EDGES];    /* of that, what the first run that came by a change showed */
    unsigned char changes[CHANGES];
    uint16_t best[CODE]; /* the smallest entry, from 1, that comes to it */
} known;
static unsigned char classes[256];
static struct entry *entries;
static uint32_t entry_count, entry_room, given_count;
static struct piece fixed; /* lines of every run */
static int takes_values;
static uint64_t ends_us;
static uint32_t runs, most_runs, new_words, differing;
static uint64_t kinds[KINDS];
static unsigned char came_to[CODE]; /* by the last run of the new version that showed something new */

static uint32_t read_number(void)
{
    uint32_t value = 0;
    if (request_at + sizeof value <= request_size)
        memcpy(&value, request + request_at, sizeof value);
    request_at += sizeof value;
    return value;
}

static int64_t read_wide(void)
{
    uint64_t low = read_number();
    return (int64_t) (low | (uint64_t) read_number() << 32);
}

static struct piece read_piece(void)
{
    struct piece found = {NULL, read_number()};
    found.data = request + request_at;
    if (request_at + found.size > request_size)
        found.size = 0;
    request_at += found.size;
    return found;
}

static void read_request(void)
{
    uint32_t milliseconds = read_number();
    most_runs = read_number();
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    ends_us = (uint64_t) now.tv_sec * 1000000 + (uint64_t) now.tv_nsec / 1000
              + (uint64_t) milliseconds * 1000;
    chance_state = (uint64_t) read_wide() | 1;
    takes_values = (int) read_number();
    fixed = read_piece();
    field_count = read_number();
    if (field_count > MOST_FIELDS)
        _exit(125);
    fields = take(field_count * sizeof *fields + 1);
    for (uint32_t i = 0; i < field_count; i++) {
        struct field *field = &fields[i];
        field->role = read_number();
        field->kind = read_number();
        field->step = read_number();
        field->most = read_number();
        field->nullable = read_number();
        field->low = read_wide();
        field->high = read_wide();
        field->size_of = (int32_t) read_number();
        field->unit = read_number();
        field->prefix = read_piece();
        field->null = read_piece();
    }
    for (uint32_t left = read_number(); left > 0; left--) {
        struct piece word = read_piece();
        if (word.size && word_count < MOST_WORDS / 2)
            words[word_count++] = word;
    }
    new_words = word_count;
    given_count = entry_count = read_number();
    entry_room = entry_count + MOST_NEW;
    entries = take(entry_room * sizeof *entries);
    for (uint32_t i = 0; i < entry_count; i++) {
        entries[i].flags = read_number();
        entries[i].picked = read_number();
        entries[i].tries = read_number();
        entries[i].best = 0;
        entries[i].values = take(field_count * sizeof(struct value) + 1);
        for (uint32_t j = 0; j < field_count; j++) {
            entries[i].values[j].absent = (int) read_number();
            entries[i].values[j].bytes = read_piece();
        }
        keep_to_sizes(entries[i].values);
    }
    struct piece before = read_piece();
    if (before.size == sizeof known)
        memcpy(&known, before.data, sizeof known);
    for (uint32_t i = 0; i < CODE; i++)
        if (known.best[i] && known.best[i] <= entry_count)
            entries[known.best[i] - 1].best++;
}

/* ------------------------------------------------------------------ one run */

enum { GIVEN_IN, SHOWN, ERRORS, CONTROL, FILES };
enum { CHILDREN = FIRST_FILE + 1 + FILES, FOLDER, LAST_FILE = FOLDER };
static int files[FILES]; /* in memory; the program's descriptors of these numbers */
static jmp_buf start;
static char *arguments[MOST_ARGUMENTS + 2];
static int argument_count;
static const struct value *chosen; /* in the forked process: its input */
static int chosen_version;
static unsigned char *touched;
static size_t touched_size;

#define BASIS 14695981039346656037u /* of FNV-1a */

static uint64_t hash_of(uint64_t hash, const void *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const unsigned char *) data)[i]) * 1099511628211u;
    return hash;
}

struct shown {
    int status, cut;
    uint64_t output;
};

static uint64_t now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t) now.tv_sec * 1000000 + (uint64_t) now.tv_nsec / 1000;
}

/* All that it holds from now on. */
static void fill(int file, const void *data, size_t size)
{
    if (ftruncate(file, 0) != 0 || lseek(file, 0, SEEK_SET) != 0
        || (size && pwrite(file, data, size, 0) != (ssize_t) size))
        _exit(125);
}

static size_t put_hex(char *to, const unsigned char *data, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < size; i++) {
        *to++ = digits[data[i] >> 4];
        *to++ = digits[data[i] & 15];
    }
    return 2 * size;
}

/* The lines that a harness reads (harness_support.c). */
static void fill_control(const struct value *values)
{
    static char *text;
    static size_t room;
    size_t wanted = fixed.size + 64, size = 0;
    for (uint32_t i = 0; i < field_count; i++)
        wanted += 2 * values[i].bytes.size + fields[i].prefix.size + fields[i].null.size + 64;
    if (wanted > room)
        text = mapped(room = 2 * wanted);
    memcpy(text, fixed.data, size = fixed.size);
    for (uint32_t i = 0; i < field_count; i++) {
        const struct field *field = &fields[i];
        const struct piece *first = values[i].absent ? &field->null : &field->prefix;
        if (field->role != LINE)
            continue;
        memcpy(text + size, first->data, first->size);
        size += first->size;
        if (!values[i].absent) {
            size += put_hex(text + size, values[i].bytes.data, values[i].bytes.size);
            for (uint32_t zero = 0; field->kind == TEXT && zero < 2 * field->step; zero++)
                text[size++] = '0';
        }
        text[size++] = '\n';
    }
    fill(files[CONTROL], text, size);
}

static void write_file(const struct field *field, const struct value *value)
{
    char name[256];
    snprintf(name, sizeof name, "%.*s", (int) field->prefix.size, (char *) field->prefix.data);
    unlink(name);
    if (value->absent)
        return;
    int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file >= 0 && write(file, value->bytes.data, value->bytes.size) < 0)
        _exit(125);
    close(file);
}

static void place_input(const struct value *values)
{
    fill(files[GIVEN_IN], NULL, 0);
    for (uint32_t i = 0; i < field_count; i++)
        if (fields[i].role == STANDARD_INPUT && !values[i].absent)
            fill(files[GIVEN_IN], values[i].bytes.data, values[i].bytes.size);
        else if (fields[i].role == FILE_CONTENT)
            write_file(&fields[i], &values[i]);
    if (takes_values)
        fill_control(values);
    fill(files[SHOWN], NULL, 0);
    fill(files[ERRORS], NULL, 0);
}

/* In the forked process. */
static void take_arguments(void)
{
    size_t size = 1;
    for (uint32_t i = 0; i < field_count; i++)
        size += fields[i].role == ARGUMENT ? chosen[i].bytes.size + 1 : 0;
    char *text = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (text == MAP_FAILED)
        _exit(125);
    for (uint32_t i = 0; i < field_count && argument_count < MOST_ARGUMENTS; i++) {
        if (fields[i].role != ARGUMENT)
            continue;
        if (chosen[i].absent)
            break;
        memcpy(text, chosen[i].bytes.data, chosen[i].bytes.size);
        arguments[++argument_count] = text;
        text += chosen[i].bytes.size + 1;
    }
}

/* In the forked process. What it shares with us is not for the program, but for the map. */
static void go_on(void)
{
    struct rlimit most = {MOST_WRITTEN, MOST_WRITTEN};
    struct itimerval cpu = {{0, 0}, {0, CPU_US}}, wall = {{0, 0}, {0, WALL_US}};
    signal(SIGALRM, SIG_DFL);
    setpgid(0, 0);
    for (int i = 0; i < FILES; i++)
        if ((i < CONTROL || takes_values) && dup2(files[i], i) < 0)
            _exit(125);
    for (int i = FIRST_FILE; i <= LAST_FILE; i++)
        close(i);
    take_arguments();
    mprotect(arena, ARENA, PROT_NONE);
    mprotect(request, request_room, PROT_NONE);
    unsetenv("CSGTEST_GROW");
    if (!chosen_version)
        setenv("CSGTEST_MASK", "0", 1);
    setrlimit(RLIMIT_FSIZE, &most);
    setitimer(ITIMER_VIRTUAL, &cpu, NULL);
    setitimer(ITIMER_REAL, &wall, NULL);
    map = shared->map;
}

static uint64_t hash_of_file(uint64_t hash, int file)
{
    static unsigned char text[1 << 16];
    ssize_t size = pread(file, text, sizeof text, 0);
    off_t total = lseek(file, 0, SEEK_END);
    return hash_of(hash_of(hash, text, size > 0 ? (size_t) size : 0), &total, sizeof total);
}

/* Where the probes write which changes a run came by (reports.py). */
static void find_touched(void)
{
    struct stat status;
    int file = touched ? -1 : open("csgtest-touched", O_RDWR | O_CLOEXEC);
    if (file < 0)
        return;
    if (fstat(file, &status) == 0 && status.st_size > 0) {
        void *place = mmap(NULL, (size_t) status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        touched = place == MAP_FAILED ? NULL : place;
        touched_size = touched ? (size_t) status.st_size : 0;
    }
    close(file);
}

/* ------------------------------------------------------------------ what a run leaves */

static volatile sig_atomic_t running, ticks;

/* The timers of a run end it, unless it takes their signals for itself. */
static void tick(int signal)
{
    (void) signal;
    if (running > 0 && ++ticks > MOST_TICKS)
        kill((pid_t) running, SIGKILL);
}

/* All that it has started. Those that are in no group of its own any more become our children. */
static void end_processes(pid_t child)
{
    kill(-child, SIGKILL); /* before it is reaped: the number is still its own */
    waitpid(child, NULL, 0);
    for (int round = 0; round < ROUNDS; round++) {
        char text[4096];
        pid_t ended;
        while ((ended = waitpid(-1, NULL, WNOHANG)) > 0)
            ;
        if (ended < 0)
            return;
        ssize_t size = pread(CHILDREN, text, sizeof text - 1, 0);
        text[size > 0 ? size : 0] = '\0';
        char *rest = text;
        for (char *word; (word = strtok_r(rest, " \n", &rest)) != NULL;)
            kill((pid_t) atol(word), SIGKILL);
        usleep(100);
    }
}

static DIR *folder;
static uint64_t names[MOST_NAMES]; /* of the files that stay */
static uint32_t name_count;

static int stays(const char *name)
{
    uint64_t key = hash_of(BASIS, name, strlen(name));
    for (uint32_t i = 0; i < name_count; i++)
        if (names[i] == key)
            return 1;
    return 0;
}

static void stay(const char *name, size_t size)
{
    if (name_count < MOST_NAMES)
        names[name_count++] = hash_of(BASIS, name, size);
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void) status, (void) kind, (void) place;
    return remove(path), 0;
}

static void remove_files(void)
{
    rewinddir(folder);
    for (struct dirent *each; (each = readdir(folder)) != NULL;)
        if (!stays(each->d_name) && unlink(each->d_name) != 0)
            nftw(each->d_name, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void prepare_to_clear(void)
{
    struct sigaction by = {.sa_handler = tick, .sa_flags = SA_RESTART};
    struct itimerval often = {{0, TICK_US}, {0, TICK_US}};
    int list = open("/proc/thread-self/children", O_RDONLY), here = open(".", O_RDONLY);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (list >= 0)
        dup2(list, CHILDREN), close(list);
    folder = here >= 0 && dup2(here, FOLDER) == FOLDER ? fdopendir(FOLDER) : NULL;
    close(here);
    if (!folder)
        _exit(125);
    for (struct dirent *each; (each = readdir(folder)) != NULL;)
        stay(each->d_name, strlen(each->d_name));
    stay("csgtest-touched", strlen("csgtest-touched"));
    for (uint32_t i = 0; i < field_count; i++)
        if (fields[i].role == FILE_CONTENT)
            stay((char *) fields[i].prefix.data, fields[i].prefix.size);
    sigaction(SIGALRM, &by, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
}

/* Where there is no room for another process, what was ended may be about to go. */
static pid_t forked(void)
{
    pid_t child = fork();
    for (int round = 0; child < 0 && round < ROUNDS; round++) {
        usleep(1000);
        child = fork();
    }
    return child;
}

/* Run one version. Returns in the forked process by way of `start`. */
static struct shown run(const struct value *values, int new_version)
{
    struct shown found = {0};
    memset(shared->map, 0, MAP + EDGES);
    shared->pairs = 0;
    place_input(values);
    chosen = values;
    chosen_version = new_version;
    ticks = 0;
    pid_t child = forked();
    if (child == 0)
        longjmp(start, 1);
    running = child;
    siginfo_t ended = {0};
    if (child < 0 || waitid(P_PID, (id_t) child, &ended, WEXITED | WNOWAIT) != 0)
        _exit(125);
    running = 0;
    found.status = ended.si_code == CLD_EXITED ? (ended.si_status & 255) << 8 : ended.si_status;
    end_processes(child);
    int signal = WIFSIGNALED(found.status) ? WTERMSIG(found.status) : 0;
    found.cut = signal == SIGVTALRM || signal == SIGALRM || signal == SIGXFSZ || signal == SIGXCPU
                || signal == SIGKILL;
    found.output = hash_of_file(BASIS, files[SHOWN]);
    if (takes_values)
        found.output = hash_of_file(found.output, files[CONTROL]);
    runs++;
    find_touched();
    remove_files();
    return found;
}

static int over(void)
{
    return is_full() || entry_count >= entry_room || runs >= most_runs || now_us() >= ends_us;
}

/* ------------------------------------------------------------------ what is worth keeping */

/* COVERS where the map shows what none before has shown, OPENS where that is code, DEEPER where calls
 * nest more deeply there. It is known from then on. */
static uint32_t covers(const unsigned char *now, unsigned char *before)
{
    uint32_t found = 0;
    for (uint32_t at = 0; at < MAP; at += 8) {
        uint64_t eight;
        memcpy(&eight, now + at, sizeof eight);
        if (!eight)
            continue;
        for (uint32_t i = at; i < at + 8; i++) {
            unsigned char seen = classes[now[i]];
            if (seen & ~before[i])
                found |= before[i] || i >= CODE ? COVERS : i < EDGES ? COVERS | OPENS : COVERS | DEEPER;
            before[i] |= seen;
        }
    }
    return found;
}

static int comes_first; /* did the last run come by a change that none before came by? */

/* The changes that the last run came by, as a number; 0 for none. They are forgotten. */
static uint64_t touches(void)
{
    uint64_t found = 0;
    comes_first = 0;
    for (size_t i = 0; i < touched_size; i++)
        if (touched[i]) {
            found = hash_of(found ? found : BASIS, &i, sizeof i);
            comes_first |= !known.changes[i % CHANGES];
            known.changes[i % CHANGES] = 1;
        }
    if (found)
        memset(touched, 0, touched_size);
    return found;
}

static unsigned char ran[MAP + EDGES]; /* the map of the last run of the new version that came by a change */

/* PARTS where the versions come to different code, besides what a change itself is made of: that is what
 * the first run that came by it has shown. COVERS where none before came to different code there. The
 * last run is that of the old version; `learns`: it counts for those that follow. */
static uint32_t parts(int first, int learns)
{
    uint32_t found = 0;
    for (uint32_t at = 0; at < EDGES; at += 8) {
        if (!memcmp(ran + MAP + at, shared->blocks + at, 8))
            continue;
        for (uint32_t i = at; i < at + 8; i++) {
            if (classes[ran[MAP + i]] == classes[shared->blocks[i]])
                continue;
            if (!first && !known.usual[i])
                found |= known.apart[i] ? PARTS : PARTS | COVERS;
            if (learns)
                known.apart[i] = 1, known.usual[i] |= (unsigned char) first;
        }
    }
    return found;
}

static int is_new_kind(uint64_t kind)
{
    uint64_t *place = &kinds[kind % KINDS];
    if (*place == kind)
        return 0;
    *place = kind;
    return 1;
}

static uint64_t size_of(const struct entry *entry)
{
    uint64_t size = 16;
    for (uint32_t i = 0; i < field_count; i++)
        size += entry->values[i].bytes.size;
    return size;
}

/* The smallest that comes to a piece of code stands for all that do. The map is that of its run as the
 * new version. */
static void rank(uint32_t number)
{
    struct entry *entry = &entries[number];
    uint64_t size = size_of(entry);
    for (uint32_t i = 0; i < CODE; i++) {
        if (!came_to[i])
            continue;
        struct entry *best = known.best[i] ? &entries[known.best[i] - 1] : NULL;
        if (best && size_of(best) <= size)
            continue;
        if (best)
            best->best--;
        known.best[i] = (uint16_t) (number + 1);
        entry->best++;
    }
}

static void keep(const struct value *values, uint32_t flags)
{
    struct entry *entry = &entries[entry_count];
    entry->values = take(field_count * sizeof(struct value) + 1);
    if (!entry->values)
        return;
    memcpy(entry->values, values, field_count * sizeof(struct value));
    entry->flags = flags;
    entry->picked = entry->tries = entry->best = 0;
    rank(entry_count++);
}

/* Run an input as the new version, and as the old where that may be another; the flags that it
 * has. */
static uint32_t tried(const struct value *values)
{
    struct shown shown = run(values, 1), before;
    uint32_t flags = covers(shared->map, known.covered[0]);
    uint64_t came_by = touches();
    int first = comes_first;
    if (came_by) { /* what lies behind a change is new once more */
        flags |= covers(shared->map, known.covered[1]) & ~(uint32_t) DEEPER;
        memcpy(ran, shared->map, MAP + EDGES);
    }
    if (flags || came_by)
        memcpy(came_to, shared->map, CODE);
    if (shown.cut) /* its like take too long to be tried in numbers */
        flags |= CUT | LOOKED_AT | COMPOSED;
    else if (WIFSIGNALED(shown.status))
        flags |= ENDS_BADLY;
    if (came_by) {
        flags |= TOUCHES;
        before = run(values, 0);
        touches();
        uint32_t parting = shown.cut || before.cut ? 0 : parts(first, 1);
        if (parting) /* and what lies behind that, too */
            flags |= parting | (covers(ran, known.covered[2]) & ~(uint32_t) DEEPER);
        int alike = shown.cut ? before.cut : shown.status == before.status
                                                 && shown.output == before.output;
        if (!alike) {
            uint64_t kind = hash_of(came_by, &shown.status, sizeof shown.status);
            kind = hash_of(kind, &before.status, sizeof before.status);
            flags |= DIFFERS;
            if (is_new_kind(kind) || (differing < MOST_DIFFERING && (flags & COVERS)))
                flags |= COVERS, differing++;
        }
    }
    return flags;
}

/* Whether to go on. */
static int consider(const struct value *values)
{
    size_t before = arena_used;
    uint32_t flags = tried(values);
    if (flags & COVERS)
        keep(values, flags);
    else
        arena_used = before;
    return !over();
}

/* ------------------------------------------------------------------ smaller inputs */

/* Which code the last run came to and how deeply nested, however often. */
static uint64_t shape(void)
{
    uint64_t found = BASIS;
    for (uint32_t at = 0; at < CODE; at += 8) {
        uint64_t eight;
        memcpy(&eight, shared->map + at, sizeof eight);
        for (uint32_t i = at; eight && i < at + 8; i++)
            if (shared->map[i])
                found = hash_of(found, &i, sizeof i);
    }
    return found;
}

static uint64_t shape_of(const struct value *values)
{
    run(values, 1);
    uint64_t found = shape();
    touches();
    return found;
}

static uint64_t is_parting(const struct value *values)
{
    run(values, 1);
    if (!touches())
        return 0;
    memcpy(ran, shared->map, sizeof ran);
    run(values, 0);
    touches();
    return parts(0, 0) & PARTS;
}

/* Leave out pieces without which that is as it was. */
static void shorten(struct value *values, uint64_t (*what)(const struct value *), uint32_t most)
{
    uint32_t tries = 0;
    uint64_t wanted = what(values);
    for (uint32_t at = 0; at < field_count; at++) {
        struct piece *piece = &values[at].bytes;
        if (fields[at].kind > ELEMENTS || values[at].absent)
            continue;
        for (uint32_t size = piece->size / 2; size >= fields[at].step; size /= 2)
            for (uint32_t place = 0; place + size <= piece->size && tries < most && !over(); tries++) {
                struct value before = values[at];
                uint32_t whole = size - size % fields[at].step;
                if (replace(&fields[at], piece, place, whole, NULL, 0)) {
                    keep_to_sizes(values);
                    if (what(values) == wanted)
                        continue;
                    values[at] = before;
                    keep_to_sizes(values);
                }
                place += whole;
            }
    }
}

static void trim(struct entry *entry)
{
    shorten(entry->values, shape_of, TRIMS);
}

static int is_same(const struct value *one, const struct value *other)
{
    for (uint32_t i = 0; i < field_count; i++)
        if (one[i].absent != other[i].absent
            || (!one[i].absent && (one[i].bytes.size != other[i].bytes.size
                                   || memcmp(one[i].bytes.data, other[i].bytes.data, one[i].bytes.size))))
            return 0;
    return 1;
}

/* Of an input on which the versions part: another one without all that this does not need. What goes on
 * from there may show it. */
static void shorten_parting(struct entry *entry)
{
    entry->flags |= SHORTENED;
    size_t before = arena_used;
    struct value *values = take(field_count * sizeof *values + 1);
    if (!values)
        return;
    memcpy(values, entry->values, field_count * sizeof *values);
    if (is_parting(values))
        shorten(values, is_parting, 2 * TRIMS);
    for (uint32_t i = 0; i < entry_count; i++)
        if (is_same(entries[i].values, values)) {
            arena_used = before;
            return;
        }
    if (is_parting(values) && !over())
        keep(values, COVERS | TOUCHES | PARTS | SHORTENED);
}

/* ------------------------------------------------------------------ from comparisons to inputs */

static const struct entry *parent;
static uint32_t parent_tries; /* inputs that were made of it by what it is compared with, or by a word */

/* The parent with one piece replaced; whether to go on. */
static int with(uint32_t at, uint32_t place, uint32_t size, const void *by, uint32_t length)
{
    size_t before = arena_used;
    struct value *values = take(field_count * sizeof *values + 1);
    if (!values)
        return 0;
    memcpy(values, parent->values, field_count * sizeof *values);
    int goes_on = 1;
    if (replace(&fields[at], &values[at].bytes, place, size, by, length)) {
        follow_sizes(values, parent->values);
        parent_tries++;
        uint32_t count = entry_count;
        goes_on = consider(values);
        if (entry_count > count)
            return goes_on;
    }
    arena_used = before;
    return goes_on;
}

static int is_text_like(uint32_t at)
{
    return fields[at].kind <= ELEMENTS && fields[at].step == 1 && !parent->values[at].absent;
}

/* `what` in the parent's texts: by is put in its place, and before it. */
static int instead(const unsigned char *what, uint32_t size, const unsigned char *by,
                   uint32_t length, int most)
{
    for (uint32_t at = 0; at < field_count; at++) {
        const struct piece *in = &parent->values[at].bytes;
        if (!is_text_like(at))
            continue;
        if (!size) {
            if (!with(at, in->size, 0, by, length))
                return 0;
            continue;
        }
        uint32_t from = in->size > 64 ? below(in->size - 32) : 0;
        const unsigned char *found = find(in->data + from, in->size - from, what, size);
        for (int i = 0; found && i < most; i++) {
            uint32_t place = (uint32_t) (found - in->data);
            if (!with(at, place, size < length ? size : length, by, length)
                || !with(at, place, 0, by, length)
                || (size != length && !with(at, place, size, by, length)))
                return 0;
            found = find(found + 1, in->size - place - 1, what, size);
        }
    }
    return 1;
}

/* Numbers that the input holds as such, or in digits. */
static int numbers_instead(uint64_t what, uint64_t by, uint32_t size)
{
    char digits[2][24];
    int64_t wide = size == 4 ? (int32_t) what : (int64_t) what;
    for (int step = -1; step <= 1; step++) {
        int64_t value = (size == 4 ? (int32_t) by : (int64_t) by) + step;
        for (uint32_t at = 0; at < field_count; at++) {
            const struct field *field = &fields[at];
            const struct piece *in = &parent->values[at].bytes;
            if (field->kind > NUMBER || field->step > 8 || parent->values[at].absent
                || (field->step == 1 && field->kind != NUMBER))
                continue;
            for (uint32_t place = 0; place + field->step <= in->size; place += field->step) {
                unsigned char bytes[8] = {0};
                set_element(field, bytes, value);
                if (element(field, in->data + place) == wide
                    && !with(at, place, field->step, bytes, field->step))
                    return 0;
            }
        }
        snprintf(digits[0], sizeof *digits, "%lld", (long long) wide);
        snprintf(digits[1], sizeof *digits, "%lld", (long long) value);
        if (wide >= 0 && !instead((unsigned char *) digits[0], (uint32_t) strlen(digits[0]),
                                  (unsigned char *) digits[1], (uint32_t) strlen(digits[1]), 2))
            return 0;
    }
    return 1;
}

static int after_numbers(const struct pair *pair, uint64_t what, uint64_t by)
{
    unsigned char one = (unsigned char) what, other = (unsigned char) by;
    uint64_t mask = pair->size < 8 ? ((uint64_t) 1 << 8 * pair->size) - 1 : ~(uint64_t) 0;
    int is_end = what == 0 || what == mask;
    int is_byte = by && (by < 256 || (by | 0x7f) == mask);
    if (is_byte && (is_end || what < 256 || (what | 0x7f) == mask)
        && !instead(&one, is_end ? 0 : 1, &other, 1, 6))
        return 0;
    if (pair->size < 2)
        return 1;
    return (what < 256 || instead((unsigned char *) &what, pair->size, (unsigned char *) &by,
                                  pair->size, 2))
           && numbers_instead(what, by, pair->size);
}

static void learn(const unsigned char *text, uint32_t size)
{
    if (size < 2 || word_count >= MOST_WORDS)
        return;
    for (uint32_t i = 0; i < word_count; i++)
        if (words[i].size == size && !memcmp(words[i].data, text, size))
            return;
    for (uint32_t at = 0; at < field_count; at++)
        if (find(parent->values[at].bytes.data, parent->values[at].bytes.size, text, size))
            return;
    unsigned char *copy = take(size);
    if (copy) {
        memcpy(copy, text, size);
        words[word_count++] = (struct piece){copy, size};
    }
}

static int after_texts(const struct pair *pair, int side)
{
    const unsigned char *what = pair->texts[side], *by = pair->texts[!side];
    uint32_t size = pair->lengths[side], length = pair->lengths[!side];
    return !length || instead(what, size, by, length, 3);
}

static int after(const struct pair *pair)
{
    if (pair->size)
        return after_numbers(pair, pair->right, pair->left)
               && after_numbers(pair, pair->left, pair->right);
    learn(pair->texts[0], pair->lengths[0]);
    learn(pair->texts[1], pair->lengths[1]);
    return after_texts(pair, 0) && after_texts(pair, 1);
}

/* Watch what a run compares, and try the other side of each; what there is no time for, in another
 * turn. */
static void watch(struct entry *entry)
{
    static struct pair seen[PAIRS];
    static uint64_t done[KINDS];
    parent = entry;
    parent_tries = entry->tries;
    shared->watches = 1;
    run(entry->values, 1);
    shared->watches = 0;
    touches();
    uint32_t count = shared->pairs < PAIRS ? shared->pairs : PAIRS; /* whatever the program wrote there */
    memcpy(seen, shared->pair, count * sizeof *seen);
    memset(done, 0, sizeof done);
    for (uint32_t left = count; left > 0 && parent_tries < WATCHED_RUNS; left--) {
        struct pair pair = seen[left - 1]; /* the last ones first: there the program gave up */
        uint64_t key = hash_of(1, &pair, sizeof pair);
        if (done[key % KINDS] == key || pair.size > 8 || pair.lengths[0] > TEXT_MOST
            || pair.lengths[1] > TEXT_MOST)
            continue;
        done[key % KINDS] = key;
        if (!after(&pair)) {
            entry->tries = parent_tries;
            return;
        }
    }
    entry->flags |= WATCHED;
    entry->tries = 0;
}

/* ------------------------------------------------------------------ words, each in each place */

static int is_edge(const struct piece *in, uint32_t at)
{
    return at == 0 || at >= in->size || !is_wordly(in->data[at - 1]) || !is_wordly(in->data[at]);
}

static uint32_t word_end(const struct piece *in, uint32_t at)
{
    uint32_t end = at + (at < in->size);
    while (end < in->size && !is_edge(in, end))
        end++;
    return end;
}

/* Every word in the place of `size` bytes; alone, and where it would be one word with its neighbours,
 * apart from them. Those that were tried in a turn before are left out. */
static int each_word(uint32_t at, uint32_t place, uint32_t size, uint32_t *number)
{
    const struct piece *in = &parent->values[at].bytes;
    int wordly = size && is_wordly(in->data[place]);
    for (uint32_t i = 0; i < word_count && i < COMPOSED_WORDS; i++) {
        if (size && wordly != is_wordly(words[i].data[0]))
            continue;
        for (int way = 0; way < 2; way++) {
            struct piece word = way ? apart(in, place, size, words[i]) : words[i];
            if ((*number)++ < parent->tries || (way && word.size == words[i].size))
                continue;
            if (!with(at, place, size, word.data, word.size))
                return 0;
        }
    }
    return 1;
}

/* The parent with this text behind it, and where that leaves brackets open, closed as well. */
static int go_on_with(uint32_t at, struct piece text, uint32_t *number)
{
    const struct piece *in = &parent->values[at].bytes;
    unsigned char more[PHRASE + TEXT_MOST + MOST_OPEN];
    if (text.size > PHRASE + TEXT_MOST)
        return 1;
    memcpy(more, text.data, text.size);
    uint32_t closed = text.size + put_closers(more + text.size, *in, text);
    return ((*number)++ < parent->tries || with(at, in->size, 0, more, text.size))
           && (closed == text.size || (*number)++ < parent->tries || with(at, in->size, 0, more, closed));
}

/* Other numbers where digits stand: what the versions do with one of them may be alike. */
static int each_number(uint32_t at, uint32_t *number)
{
    static const char *const others[] = {"0", "1", "2", "9", "100", "65536"};
    const struct piece *in = &parent->values[at].bytes;
    for (uint32_t end = in->size; end > 0; end--) {
        uint32_t start = end;
        while (start > 0 && is_digit(in->data[start - 1]))
            start--;
        for (uint32_t i = 0; start < end && i < sizeof others / sizeof *others; i++)
            if ((*number)++ >= parent->tries
                && !with(at, start, end - start, others[i], (uint32_t) strlen(others[i])))
                return 0;
        if (start < end)
            end = start + 1;
    }
    return 1;
}

/* Of an input that came to new code, or deeper: every word put behind it, and every small input that
 * came to some code. A parser reads from the front, and what is missing is mostly missing at the
 * end. */
static void extend(struct entry *entry)
{
    uint32_t number = 0, count = entry_count;
    parent = entry;
    for (uint32_t at = 0; at < field_count; at++) {
        if (!is_text_like(at))
            continue;
        if (!go_on_with(at, (struct piece){NULL, 0}, &number)
            || !each_word(at, entry->values[at].bytes.size, 0, &number))
            goto later;
        if (entry->flags & PARTS && !each_number(at, &number))
            goto later;
        for (uint32_t i = 0; entry->flags & PARTS && i < word_count && i < COMPOSED_WORDS; i++)
            if (!go_on_with(at, words[i], &number))
                goto later;
        /* those that come by a change before the others */
        for (uint32_t each = 0, phrases = 0; each < 2 * count && phrases < PHRASES; each++) {
            uint32_t i = each % count;
            const struct piece *phrase = &entries[i].values[at].bytes;
            if (!entries[i].best || entries[i].flags & CUT || entries[i].values[at].absent
                || phrase->size < 2 || phrase->size > PHRASE || !(entries[i].flags & TOUCHES) != each / count)
                continue;
            phrases++;
            if (!go_on_with(at, *phrase, &number))
                goto later;
        }
    }
    entry->flags |= EXTENDED;
    entry->tries = 0;
    return;
later:
    entry->tries = number;
}

/* .. and in the place of each word of its own, signs in that of signs. */
static void compose(struct entry *entry)
{
    uint32_t number = 0;
    parent = entry;
    for (uint32_t at = 0; at < field_count; at++) {
        const struct piece *in = &entry->values[at].bytes;
        uint32_t edges = 0, seen = 0;
        if (!is_text_like(at))
            continue;
        for (uint32_t place = 0; place < in->size; place++)
            edges += is_edge(in, place);
        for (uint32_t place = in->size; place-- > 0;) {
            if (!is_edge(in, place))
                continue;
            /* so many of them, those at the end and the front among them */
            uint32_t rank = seen++ * COMPOSED_PLACES / edges;
            if (edges > COMPOSED_PLACES && rank == seen * COMPOSED_PLACES / edges)
                continue;
            if (!each_word(at, place, word_end(in, place) - place, &number)) {
                entry->tries = number;
                return;
            }
        }
    }
    entry->flags |= COMPOSED;
    entry->tries = 0;
}

/* ------------------------------------------------------------------ the loop */

/* The smaller, the sooner. */
static uint64_t cost(const struct entry *entry)
{
    uint64_t found = (entry->picked + 1) * (64 + size_of(entry));
    if (entry->flags & EXAMPLE)
        found /= 4;
    else if ((entry->flags & OPENS && (entry->flags & LOOKED_AT) != LOOKED_AT)
             || (entry->flags & (DEEPER | EXTENDED)) == DEEPER)
        found /= 4;
    else if (!entry->best)
        found *= 16;
    found *= entry->flags & CUT ? 64 : entry->flags & ENDS_BADLY ? 8 : 1;
    return entry->flags & DIFFERS ? found
           : entry->flags & PARTS ? found / ((entry->flags & (EXTENDED | SHORTENED)) == SHORTENED ? 300 : 36)
           : entry->flags & TOUCHES ? found / 6 : found;
}

/* The smallest on which the versions part and of which not all has been tried. */
static struct entry *parting_entry(void)
{
    struct entry *best = NULL;
    for (uint32_t i = 0; i < entry_count; i++)
        if ((entries[i].flags & (PARTS | DIFFERS | CUT)) == PARTS
            && (entries[i].flags & (SHORTENED | EXTENDED)) != (SHORTENED | EXTENDED)
            && (!best || size_of(&entries[i]) < size_of(best)))
            best = &entries[i];
    return best;
}

static struct entry *chosen_entry(void)
{
    struct entry *best = below(2) ? parting_entry() : NULL;
    if (best)
        return best;
    best = &entries[below(entry_count)];
    for (int i = 0; i < 5; i++) {
        struct entry *other = &entries[below(entry_count)];
        if (cost(other) < cost(best))
            best = other;
    }
    return best;
}

/* What another one is made of, too: mostly what comes by a change, where there is such. */
static struct entry *another_entry(void)
{
    struct entry *other = &entries[below(entry_count)];
    for (int i = 0; i < 4 && !(other->flags & TOUCHES); i++)
        other = &entries[below(entry_count)];
    return other;
}

static void grow(void)
{
    for (uint32_t i = 0; i < given_count && !over(); i++)
        if (entries[i].flags & GIVEN) {
            uint32_t flags = tried(entries[i].values);
            uint32_t example = entries[i].flags & EXAMPLE;
            entries[i].flags = example | flags | (flags & COVERS || example ? 0 : LOOKED_AT | COMPOSED);
            if (flags & COVERS)
                rank(i);
        }
    for (uint32_t turn = 0; entry_count && !over(); turn++) {
        struct entry *entry = chosen_entry();
        int worthy = entry->flags & (OPENS | EXAMPLE);
        if (worthy && !(entry->flags & WATCHED)) {
            if (!(entry->flags & EXAMPLE) && !entry->tries) /* an example counts as it is */
                trim(entry);
            watch(entry);
            continue;
        }
        if ((entry->flags & (PARTS | SHORTENED | DIFFERS)) == PARTS) {
            shorten_parting(entry);
            continue;
        }
        if ((entry->flags & (OPENS | EXAMPLE | DEEPER | PARTS) || (entry->flags & TOUCHES && entry->best))
            && !(entry->flags & EXTENDED)) {
            if (!(entry->flags & (WATCHED | EXAMPLE)) && !entry->tries)
                trim(entry);
            extend(entry);
            continue;
        }
        if (worthy && !(entry->flags & COMPOSED) && entry->picked && turn % 2) {
            compose(entry);
            continue;
        }
        entry->picked++;
        for (int i = 0; i < WATCH_EVERY && !over(); i++) {
            size_t before = arena_used;
            struct value *values = take(field_count * sizeof *values + 1);
            if (!values)
                return;
            memcpy(values, entry->values, field_count * sizeof *values);
            edit(values, entry->values, another_entry()->values);
            uint32_t count = entry_count;
            if (!consider(values))
                return;
            if (entry_count == count)
                arena_used = before;
        }
    }
}

/* ------------------------------------------------------------------ what we answer */

static int answers;

static void write_bytes(const void *data, size_t size)
{
    const char *at = data;
    for (ssize_t put; size > 0; at += put, size -= (size_t) put)
        if ((put = write(answers, at, size)) <= 0)
            _exit(125);
}

static void write_number(uint32_t value)
{
    write_bytes(&value, sizeof value);
}

static void write_piece(const void *data, uint32_t size)
{
    write_number(size);
    write_bytes(data, size);
}

static void answer(void)
{
    write_number(runs);
    write_piece(&known, sizeof known);
    write_number(word_count - new_words);
    for (uint32_t i = new_words; i < word_count; i++)
        write_piece(words[i].data, words[i].size);
    for (uint32_t i = 0; i < given_count; i++) {
        write_number(entries[i].flags);
        write_number(entries[i].picked);
        write_number(entries[i].tries);
    }
    write_number(entry_count - given_count);
    for (uint32_t i = given_count; i < entry_count; i++) {
        write_number(entries[i].flags);
        write_number(entries[i].picked);
        write_number(entries[i].tries);
        for (uint32_t j = 0; j < field_count; j++) {
            write_number((uint32_t) entries[i].values[j].absent);
            write_piece(entries[i].values[j].bytes.data, entries[i].values[j].bytes.size);
        }
    }
}

static void prepare(void)
{
    off_t size = lseek(3, 0, SEEK_END);
    request_room = size > 0 ? (size_t) size + 1 : 1;
    request = mapped(request_room);
    if (size <= 0 || pread(3, request, (size_t) size, 0) != size || ftruncate(3, 0) != 0)
        _exit(125);
    request_size = (size_t) size;
    lseek(3, 0, SEEK_SET);
    answers = dup2(3, FIRST_FILE);
    close(3);
    for (int i = 0; i < FILES; i++) {
        files[i] = dup2(memfd_create("csgtest", 0), FIRST_FILE + 1 + i);
        if (files[i] < 0)
            _exit(125);
    }
    for (int i = 3; i < FIRST_FILE; i++)
        close(i);
    arena = mapped(ARENA);
    shared = mapped(sizeof *shared);
    for (int count = 1, class = 0; count < 256; count++) {
        static const int limits[] = {1, 3, 15};
        while (class < 3 && count > limits[class])
            class++;
        classes[count] = (unsigned char) (1 << class);
    }
    read_request();
    prepare_to_clear();
}

#pragma GCC diagnostic ignored "-Wprio-ctor-dtor"
/* Before the constructors of the program, and of all else that is linked to it. */
__attribute__((constructor(100))) static void begin(int argc, char **argv)
{
    if (!getenv("CSGTEST_GROW"))
        return;
    arguments[0] = argc > 0 ? argv[0] : (char *) "program";
    prepare();
    stack_base = (uintptr_t) __builtin_frame_address(0);
    if (setjmp(start)) {
        go_on();
        return;
    }
    grow();
    answer();
    _exit(0);
}

extern char **environ;
extern int __real_main(int, char **, char **) WEAK;

/* Of programs that start in main. */
WEAK int __wrap_main(int argc, char **argv, char **settings)
{
    if (map == nowhere)
        return __real_main(argc, argv, settings);
    return __real_main(argument_count + 1, arguments, environ);
}
