/* Linked to sanitized builds when leaks are looked for: which objects does nothing point to at the
 * end? As LeakSanitizer defines it, but without tracing the process from outside, which the sandbox
 * forbids. Roots are the writable data of all modules, thread-local variables, the environment, and
 * of the stack what is alive: nothing of main once it has returned.
 *
 *     $CSGTEST_LEAKS names the report:     lost 2 objects, 24 bytes
 *                                          8 bytes allocated in f a.c:3, called in main a.c:9
 *
 * The report is written, with 0, when nothing is lost: none means that nobody looked, as after a
 * signal or _exit. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define WEAK __attribute__((weak))
#define UNCHECKED __attribute__((no_sanitize("address")))

extern int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void *, size_t),
                                                     void (*)(const volatile void *)) WEAK;
extern size_t __asan_get_alloc_stack(void *, void **, size_t, int *) WEAK;
extern void __sanitizer_symbolize_pc(void *, const char *, char *, size_t) WEAK;
extern void *__asan_get_current_fake_stack(void) WEAK;
extern void *__asan_addr_is_in_fake_stack(void *, void *, void **, void **) WEAK;
extern void *__libc_stack_end WEAK;
extern char **environ;

enum { FRAMES = 4, TOLD = 8 };
static const uintptr_t GONE = 1; /* of a place in the table whose object was freed */

struct object {
    uintptr_t start;
    size_t size;
    int reached;
};

/* Open addressing, in a mapping of its own: the table is no root. */
static struct object *objects;
static size_t room, used; /* used: places that are not empty */
static uintptr_t stack_from; /* where the stack that is alive begins, as far as it is known */
static pid_t owner;
static char report[4096];
static int looked;

static struct object *map(size_t count)
{
    void *made = mmap(NULL, count * sizeof(struct object), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return made == MAP_FAILED ? NULL : made;
}

static struct object *place_of(struct object *table, size_t places, uintptr_t start)
{
    size_t place = (start >> 4) * 0x9E3779B97F4A7C15u & (places - 1);
    while (table[place].start && table[place].start != start)
        place = (place + 1) & (places - 1);
    return &table[place];
}

static int grow(void)
{
    size_t alive = 0;
    for (size_t i = 0; i < room; i++)
        alive += objects[i].start > GONE;
    size_t places = room && alive < room / 4 ? room : room ? 2 * room : 4096;
    struct object *table = map(places);
    if (!table)
        return -1;
    for (size_t i = 0; i < room; i++)
        if (objects[i].start > GONE)
            *place_of(table, places, objects[i].start) = objects[i];
    if (objects)
        munmap(objects, room * sizeof *objects);
    objects = table, room = places, used = alive;
    return 0;
}

static void made(const volatile void *start, size_t size)
{
    if (!start || (2 * (used + 1) > room && grow() != 0))
        return;
    struct object *place = place_of(objects, room, (uintptr_t) start);
    used += place->start == 0;
    *place = (struct object){(uintptr_t) start, size ? size : 1, 0};
}

static void freed(const volatile void *start)
{
    struct object *place = room ? place_of(objects, room, (uintptr_t) start) : NULL;
    if (place && place->start == (uintptr_t) start)
        place->start = GONE;
}

__attribute__((constructor(101))) static void begin(void)
{
    const char *name = getenv("CSGTEST_LEAKS");
    if (!name || strlen(name) >= sizeof report || !__sanitizer_install_malloc_and_free_hooks)
        return;
    strcpy(report, name);
    owner = getpid();
    __sanitizer_install_malloc_and_free_hooks(made, freed);
}

/* ------------------------------------------------------------------------- reachability */

static struct object **sorted, **open_objects;
static size_t count, open_count;

static int by_start(const void *one, const void *other)
{
    uintptr_t left = (*(struct object *const *) one)->start;
    uintptr_t right = (*(struct object *const *) other)->start;
    return left < right ? -1 : left > right;
}

static void reach(uintptr_t word)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sorted[middle]->start <= word)
            low = middle + 1;
        else
            high = middle;
    }
    if (low && word - sorted[low - 1]->start < sorted[low - 1]->size && !sorted[low - 1]->reached) {
        sorted[low - 1]->reached = 1;
        open_objects[open_count++] = sorted[low - 1];
    }
}

UNCHECKED static void scan(uintptr_t from, uintptr_t to)
{
    uintptr_t low = sorted[0]->start, high = sorted[count - 1]->start + sorted[count - 1]->size;
    for (from = (from + 7) & ~(uintptr_t) 7; from + 8 <= to; from += 8) {
        uintptr_t word = *(volatile uintptr_t *) from;
        if (word >= low && word < high)
            reach(word);
    }
}

/* A frame that AddressSanitizer keeps elsewhere has a pointer to it on the stack. */
UNCHECKED static void scan_stack(uintptr_t from, uintptr_t to)
{
    void *fake = __asan_get_current_fake_stack ? __asan_get_current_fake_stack() : NULL;
    scan(from, to);
    for (uintptr_t at = (from + 7) & ~(uintptr_t) 7; fake && at + 8 <= to; at += 8) {
        void *begin, *end, *word = *(void *volatile *) at;
        if (__asan_addr_is_in_fake_stack(fake, word, &begin, &end))
            scan((uintptr_t) begin, (uintptr_t) end);
    }
}

static int scan_module(struct dl_phdr_info *module, size_t size, void *unused)
{
    for (int i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &module->dlpi_phdr[i];
        uintptr_t start = module->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_LOAD && (part->p_flags & PF_W))
            scan(start, start + part->p_memsz);
        if (part->p_type == PT_TLS && size >= sizeof *module && module->dlpi_tls_data)
            scan((uintptr_t) module->dlpi_tls_data,
                 (uintptr_t) module->dlpi_tls_data + part->p_memsz);
    }
    return (void) unused, 0;
}

static void scan_all(uintptr_t stack)
{
    size_t words = 0;
    dl_iterate_phdr(scan_module, NULL);
    while (environ && environ[words])
        words++;
    scan((uintptr_t) environ, (uintptr_t) (environ + words));
    if (&__libc_stack_end)
        scan_stack(stack, (uintptr_t) __libc_stack_end);
    while (open_count) {
        struct object *next = open_objects[--open_count];
        scan(next->start, next->start + next->size);
    }
}

/* ------------------------------------------------------------------------------- report */

static void tell_origin(int file, const struct object *lost)
{
    void *frames[FRAMES];
    char line[512];
    int thread;
    size_t found = __asan_get_alloc_stack
                       ? __asan_get_alloc_stack((void *) lost->start, frames, FRAMES, &thread) : 0;
    dprintf(file, "%zu bytes", lost->size);
    for (size_t i = 1; i < found && frames[i] && __sanitizer_symbolize_pc; i++) {
        __sanitizer_symbolize_pc(frames[i], i == 1 ? " allocated in %f %s:%l" : ", called in %f %s:%l",
                                 line, sizeof line);
        if (strstr(line, " <null>") || strstr(line, " __wrap_main"))
            break; /* nobody looks up names, or the end of what is the user's */
        dprintf(file, "%s", line);
    }
    dprintf(file, "\n");
}

static void tell(void)
{
    size_t lost = 0, bytes = 0, told = 0;
    int file = open(report, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0)
        return;
    for (size_t i = 0; i < count; i++)
        if (!sorted[i]->reached)
            lost++, bytes += sorted[i]->size;
    dprintf(file, "lost %zu objects, %zu bytes\n", lost, bytes);
    for (size_t i = 0; i < count && told < TOLD; i++)
        if (!sorted[i]->reached)
            told++, tell_origin(file, sorted[i]);
    close(file);
}

/* Once, by the process that was started. */
__attribute__((noinline)) static void look(uintptr_t stack)
{
    if (looked || !owner || getpid() != owner)
        return;
    looked = 1;
    for (size_t i = 0; i < room; i++)
        count += objects[i].start > GONE;
    size_t size = (count + 1) * sizeof *sorted;
    sorted = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (sorted == MAP_FAILED)
        return;
    open_objects = sorted + count + 1;
    size_t place = 0;
    for (size_t i = 0; i < room; i++)
        if (objects[i].start > GONE)
            sorted[place++] = &objects[i];
    if (count) {
        qsort(sorted, count, sizeof *sorted, by_start);
        scan_all(stack);
    }
    tell();
}

/* For an entry function that is not main: its caller's frame is alive, and all that it can see. */
void csgtest_look_for_leaks(void)
{
    look((uintptr_t) __builtin_frame_address(0));
}

/* Behind all handlers and destructors of the program. */
__attribute__((destructor(101))) static void at_end(void)
{
    look(stack_from ? stack_from : (uintptr_t) __builtin_frame_address(0));
}

/* The linker sends calls of main and exit here (--wrap). */
extern int __real_main(int, char **, char **) WEAK;
extern void __real_exit(int) __attribute__((noreturn)) WEAK;

extern char **csgtest_guarded(char **) WEAK; /* arguments.c */

int __wrap_main(int count, char **words, char **variables)
{
    if (csgtest_guarded) {
        words = csgtest_guarded(words);
        variables = environ;
    }
    int status = __real_main(count, words, variables);
    stack_from = (uintptr_t) __builtin_frame_address(0);
    return status;
}

__attribute__((noreturn)) void __wrap_exit(int status)
{
    __builtin_unwind_init();
    if (!stack_from)
        stack_from = (uintptr_t) __builtin_frame_address(0) - 64; /* saved registers */
    __real_exit(status);
}
