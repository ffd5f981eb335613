/* Linked to a program with probes (csg/unify/output/printing.py): writes down what it decides.
 *
 *     uint64_t count, hash          of all decisions
 *     uint64_t decision[]           the first of them: the site's number << 32 | value
 *
 * The log is the file behind descriptor 3, mapped: what a crash or a kill leaves is what happened.
 * It grows as it fills, so a short run leaves a short one. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST = 1 << 14, FIRST = 510, DEEPEST = 100 };

static struct {
    uint64_t count, hash, decision[];
} *decisions;
static uint64_t room;
static int log_file;

/* Calls of the library that call back, as qsort: where the stack was at each of them. A jump out of
 * them ends them as well, and is seen by where the stack is then. */
static _Thread_local char *quiet_from[DEEPEST];
static _Thread_local int quiet;

static int is_quiet(char *stack)
{
    while (quiet && stack >= quiet_from[quiet - 1])
        quiet--;
    return quiet;
}

static void make_room(uint64_t wanted)
{
    int kept = errno;
    if (ftruncate(log_file, (off_t) (16 + 8 * wanted)) == 0)
        room = wanted;
    errno = kept;
}

void csgtest_log_to(int file)
{
    log_file = file;
    make_room(FIRST);
    void *place = mmap(NULL, 16 + 8 * MOST, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (room && place != MAP_FAILED)
        decisions = place;
}

/* The entry function is called now: a search does not follow the constructors before that. */
void csgtest_log_from_here(void)
{
    if (decisions)
        decisions->count = decisions->hash = 0;
}

int csgtest_decided(unsigned site, unsigned long long value)
{
    if (decisions && !is_quiet(__builtin_frame_address(0))) {
        uint64_t at = decisions->count, decision = (uint64_t) site << 32 | (uint32_t) value;
        if (at == room && room < MOST)
            make_room(2 * room < MOST ? 2 * room : MOST);
        if (at < room)
            decisions->decision[at] = decision;
        decisions->hash = (decisions->hash ^ decision) * 0x100000001B3u;
        decisions->count = at + 1;
    }
    return (int) value;
}

/* A branch. Of a _Bool that holds neither 0 nor 1 the compiler passes what it holds. */
int csgtest_branched(unsigned site, unsigned long long value)
{
    return csgtest_decided(site, value != 0);
}

/* Before such a call (1), and behind it (-1). */
void csgtest_quiet(int more)
{
    char *stack = __builtin_frame_address(0);
    is_quiet(stack);
    if (more > 0 && quiet < DEEPEST)
        quiet_from[quiet++] = stack;
}
