/* Stands in a build for the compiler, the linker's driver, ar, ranlib and strip: notes its call, then becomes the
 * tool of that name.
 *
 *     /tmp/bin/cc -c x.c      /tmp/calls/000123-17        folder NUL "cc" NUL "-c" NUL "x.c" NUL
 *                             /tmp/calls/000123-17-used   folder NUL "x.c" NUL "text HASH" NUL
 *                             /tmp/calls/000123-17-made   folder NUL "x.o" NUL "code HASH" NUL
 *
 * A call is in there before the tool runs, and so are the files that its words name; behind it comes
 * what these files are when the tool has ended. HASH is SHA-256, "code" is an object, an archive or a
 * program. Names of records are in the order of time. The real tool
 * is the next one of its name on the path. What it warns of is no error: an older version is built
 * by a newer compiler. So are objects that several files define tentatively (C17 6.9.2p2; J.5.11):
 * gcc made one of them before its version 10, and does so with -fcommon. Only where the build tries
 * what the compiler can do is it left to say. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* --------------------------------------------------------------------- SHA-256 (FIPS 180-4) */

static const uint32_t rounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turned(uint32_t word, int by) { return word >> by | word << (32 - by); }

static void take_block(uint32_t state[8], const unsigned char *block)
{
    uint32_t w[64], v[8];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t) block[4 * i] << 24 | block[4 * i + 1] << 16 | block[4 * i + 2] << 8 |
               block[4 * i + 3];
    for (int i = 16; i < 64; i++)
        w[i] = w[i - 16] + w[i - 7] +
               (turned(w[i - 15], 7) ^ turned(w[i - 15], 18) ^ w[i - 15] >> 3) +
               (turned(w[i - 2], 17) ^ turned(w[i - 2], 19) ^ w[i - 2] >> 10);
    memcpy(v, state, sizeof v);
    for (int i = 0; i < 64; i++) {
        uint32_t one = v[7] + (turned(v[4], 6) ^ turned(v[4], 11) ^ turned(v[4], 25)) +
                       ((v[4] & v[5]) ^ (~v[4] & v[6])) + rounds[i] + w[i];
        uint32_t two = (turned(v[0], 2) ^ turned(v[0], 13) ^ turned(v[0], 22)) +
                       ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += one;
        v[0] = one + two;
    }
    for (int i = 0; i < 8; i++)
        state[i] += v[i];
}

/* "code HASH" or "text HASH" of the rest of a stream. */
static void describe(FILE *file, char text[80])
{
    uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    unsigned char data[1 << 14];
    uint64_t total = 0;
    size_t got;
    const char *kind = "text";
    do {
        got = fread(data, 1, sizeof data - 128, file);
        if (total == 0 && got >= 8 &&
            (!memcmp(data, "\177ELF", 4) || !memcmp(data, "!<arch>\n", 8) ||
             !memcmp(data, "!<thin>\n", 8)))
            kind = "code";
        total += got;
        size_t length = got;
        if (got < sizeof data - 128) {
            data[length++] = 0x80;
            while (length % 64 != 56)
                data[length++] = 0;
            for (int i = 7; i >= 0; i--)
                data[length++] = total * 8 >> 8 * i;
        }
        for (size_t i = 0; i < length; i += 64)
            take_block(state, data + i);
    } while (got == sizeof data - 128);
    int at = sprintf(text, "%s ", kind);
    for (int i = 0; i < 8; i++)
        at += sprintf(text + at, "%08x", (unsigned) state[i]);
}

/* ------------------------------------------------------------------ the files that words name */

static void note_file(FILE *record, const char *path)
{
    char text[80];
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return;
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return;
    describe(file, text);
    fclose(file);
    fwrite(path, 1, strlen(path) + 1, record);
    fwrite(text, 1, strlen(text) + 1, record);
}

static void note_library(FILE *record, const char *name, int count, char **words)
{
    char path[4096];
    for (int i = 1; i < count; i++)
        for (int k = 0; k < 2 && strncmp(words[i], "-L", 2) == 0; k++) {
            const char *folder = words[i][2] || i + 1 == count ? words[i] + 2 : words[i + 1];
            if (*name == ':')
                snprintf(path, sizeof path, "%s/%s", folder, name + 1);
            else
                snprintf(path, sizeof path, "%s/lib%s%s", folder, name, k ? ".a" : ".so");
            note_file(record, path);
        }
}

/* ``made``: the object of a C file, too, which no word names. */
static void note_word(FILE *record, const char *word, int made)
{
    char parts[4096], *rest = parts;
    if (word[0] != '-') {
        const char *last = strrchr(word, '/') ? strrchr(word, '/') + 1 : word;
        const char *dot = strrchr(last, '.');
        note_file(record, word);
        snprintf(parts, sizeof parts, "%.*s.o", (int) (dot ? dot - last : (long) strlen(last)),
                 last);
        if (made && strcmp(parts, word) != 0)
            note_file(record, parts);
        return;
    }
    snprintf(parts, sizeof parts, "%s", word);
    if (word[1] == 'o' || word[1] == 'T')
        note_file(record, word + 2);
    for (char *part; (part = strsep(&rest, ",=")) != NULL;)
        if (part[0] != '-')
            note_file(record, part);
}

static void note_files(const char *name, const char *folder, int made, int count, char **words)
{
    char path[160];
    snprintf(path, sizeof path, "%s-%s", name, made ? "made" : "used");
    FILE *record = fopen(path, "wxe");
    if (record == NULL)
        return;
    fwrite(folder, 1, strlen(folder) + 1, record);
    for (int i = 1; i < count; i++) {
        note_word(record, words[i], made);
        if (strncmp(words[i], "-l", 2) == 0 && (words[i][2] || i + 1 < count))
            note_library(record, words[i][2] ? words[i] + 2 : words[i + 1], count, words);
    }
    if (made)
        note_file(record, "a.out");
    fclose(record);
}

/* The words, with those of response files in their place. */
static char **expanded(int *count, char **words)
{
    char **all = NULL;
    int length = 0;
    for (int i = 0; i < *count; i++) {
        struct stat status;
        FILE *file = NULL;
        if (i > 0 && words[i][0] == '@' && stat(words[i] + 1, &status) == 0 &&
            S_ISREG(status.st_mode))
            file = fopen(words[i] + 1, "re");
        char *word = words[i];
        while (file == NULL ? word != NULL : fscanf(file, "%ms", &word) == 1) {
            all = realloc(all, (length + 2) * sizeof *all);
            if (all == NULL)
                _exit(127);
            all[length++] = word;
            if (file == NULL)
                break;
        }
        if (file != NULL)
            fclose(file);
    }
    *count = length;
    return all;
}

/* What was written before has an earlier time in the file system than the record of the call. */
static void await_next_time(void)
{
    struct timespec began, now;
    clock_gettime(CLOCK_REALTIME_COARSE, &began);
    do {
        nanosleep(&(struct timespec){0, 500000}, NULL);
        clock_gettime(CLOCK_REALTIME_COARSE, &now);
    } while (now.tv_sec == began.tv_sec && now.tv_nsec == began.tv_nsec);
}

static void note(char name[128], char folder[4096], int count, char **words)
{
    struct timespec now;
    name[0] = 0;
    if (getcwd(folder, 4096) == NULL)
        return;
    await_next_time();
    clock_gettime(CLOCK_MONOTONIC, &now);
    snprintf(name, 128, CALLS "/%010ld.%09ld-%ld", (long) now.tv_sec, now.tv_nsec,
             (long) getpid());
    int length = count;
    char **all = expanded(&length, words);
    note_files(name, folder, 0, length, all);
    FILE *record = fopen(name, "wxe");
    if (record == NULL)
        return;
    fwrite(folder, 1, strlen(folder) + 1, record);
    for (int i = 0; i < count; i++)
        fwrite(words[i], 1, strlen(words[i]) + 1, record);
    fclose(record);
}

static int tries(int count, char **words)
{
    static const char *const names[] = {"conftest", "meson-private", "CMakeTmp", "CMakeScratch"};
    char folder[4096];
    const char *here = getcwd(folder, sizeof folder);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        if (here != NULL && strstr(here, names[k]) != NULL)
            return 1;
        for (int i = 1; i < count; i++)
            if (strstr(words[i], names[k]) != NULL)
                return 1;
    }
    return 0;
}

static void tolerate_warnings(int count, char **words)
{
    int kept = 1;
    for (int i = 1; i < count; i++)
        if (strncmp(words[i], "-Werror", 7) != 0)
            words[kept++] = words[i];
    words[kept] = NULL;
}

/* The words with -fcommon before all others, so that a build that says -fno-common has its way. */
static char **as_before_version_10(const char *name, int count, char **words)
{
    const char *kind = strrchr(name, '-') ? strrchr(name, '-') + 1 : name;
    char **more = calloc(count + 2, sizeof *more);
    if (more == NULL || strcmp(kind, "ar") == 0 || strcmp(kind, "ld") == 0 ||
        strcmp(kind, "ranlib") == 0 || strcmp(kind, "strip") == 0)
        return words;
    more[0] = words[0];
    more[1] = "-fcommon";
    for (int i = 1; i < count && words[i] != NULL; i++)
        more[i + 1] = words[i];
    return more;
}

/* Returns in a process that becomes the tool; this one waits for it and ends as it does. */
static void run_and_note(const char *name, const char *folder, int count, char **words)
{
    int status, length = count;
    char **all = expanded(&length, words);
    pid_t tool = name[0] ? fork() : 0;
    if (tool <= 0) {
        if (tool == 0 && name[0])
            prctl(PR_SET_PDEATHSIG, SIGTERM);
        return;
    }
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    while (waitpid(tool, &status, 0) < 0)
        ;
    note_files(name, folder, 1, length, all);
    if (WIFSIGNALED(status)) {
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
    }
    _exit(WEXITSTATUS(status));
}

int main(int count, char **words)
{
    char path[8192], found[8192], record[128], folder_name[4096];
    const char *name = strrchr(words[0], '/') ? strrchr(words[0], '/') + 1 : words[0];
    const char *paths = getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin";
    note(record, folder_name, count, words);
    run_and_note(record, folder_name, count, words);
    if (!tries(count, words)) {
        tolerate_warnings(count, words);
        words = as_before_version_10(name, count, words);
    }
    snprintf(path, sizeof path, "%s", paths);
    for (char *rest = path, *folder; (folder = strsep(&rest, ":")) != NULL;) {
        if (strcmp(folder, TOOLS) == 0)
            continue;
        int length = snprintf(found, sizeof found, "%s/%s", folder, name);
        if (length > 0 && (size_t) length < sizeof found && access(found, X_OK) == 0) {
            words[0] = found;
            execv(found, words);
        }
    }
    fprintf(stderr, "%s: not found\n", name);
    return 127;
}
