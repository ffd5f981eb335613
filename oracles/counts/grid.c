/* Run two shared objects over a grid of inputs and count what differs.

   grid OLD.so NEW.so LOW HIGH LOW HIGH ...  ->  points diverging keys differing misaligned endless
   followed by the first input on which the versions diverge and the first whose outcome differs.

   A key is the joint trace up to the first divergence and the new version's trace behind it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS = 1 << 16, INPUTS = 16 };
enum ending { RETURNED, FAILED, DIVIDED, ENDLESS };

struct run {
    uint32_t events[EVENTS];  /* site << 2 | alone << 1 | direction */
    int count;
    enum ending ending;
    long value;
};

static struct run old_run, new_run, *running;
static int alone;
static sigjmp_buf out;

int csg_probed(int site, int taken)
{
    if (running->count == EVENTS)
        siglongjmp(out, ENDLESS);
    running->events[running->count++] = (uint32_t)site << 2 | (alone > 0) << 1 | (uint32_t)taken;
    return taken;
}

void csg_alone_begin(void) { alone++; }
void csg_alone_end(void) { alone--; }

void __assert_fail(const char *text, const char *file, unsigned line, const char *function)
{
    (void)text, (void)file, (void)line, (void)function;
    siglongjmp(out, FAILED);
}

static void divided(int number) { (void)number; siglongjmp(out, DIVIDED); }

static void execute(struct run *run, int (*entry)(const int *), const int *inputs)
{
    running = run;
    run->count = 0;
    run->value = 0;
    alone = 0;
    run->ending = sigsetjmp(out, 0);
    if (run->ending == RETURNED)
        run->value = entry(inputs);
}

static uint64_t mixed(uint64_t hash, uint32_t event, unsigned kind)
{
    hash = (hash ^ event) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
    return (hash ^ kind) * 0xbf58476d1ce4e5b9u;
}

static uint64_t *keys, room = 1 << 16, known;

static void insert(uint64_t *table, uint64_t size, uint64_t key, uint64_t *count)
{
    uint64_t at = key & (size - 1);
    while (table[at] && table[at] != key)
        at = (at + 1) & (size - 1);
    *count += !table[at];
    table[at] = key;
}

static void remember(uint64_t key)
{
    insert(keys, room, key | 1, &known);
    if (known * 2 > room) {
        uint64_t *larger = calloc(room * 2, sizeof *larger), again = 0;
        for (uint64_t at = 0; at < room; at++)
            if (keys[at])
                insert(larger, room * 2, keys[at], &again);
        free(keys);
        keys = larger, room *= 2;
    }
}

static int is_alone(uint32_t event) { return event >> 1 & 1; }

/* 1: the versions diverge, with the key; 0: they do not; -1: the traces do not fit together. */
static int parted(uint64_t *key)
{
    uint64_t hash = 1;
    int i = 0, j = 0;
    for (;; i++, j++) {
        for (; i < old_run.count && is_alone(old_run.events[i]); i++)
            hash = mixed(hash, old_run.events[i], 1);
        for (; j < new_run.count && is_alone(new_run.events[j]); j++)
            hash = mixed(hash, new_run.events[j], 2);
        if (i == old_run.count || j == new_run.count)
            return 0;
        if (old_run.events[i] >> 2 != new_run.events[j] >> 2)
            return -1;
        if (old_run.events[i] != new_run.events[j])
            break;
        hash = mixed(hash, new_run.events[j], 3);
    }
    hash = mixed(hash, new_run.events[j], 4);
    for (j++; j < new_run.count; j++)
        hash = mixed(hash, new_run.events[j] & ~2u, 5);
    *key = hash;
    return 1;
}

static void show(const char *what, const int *inputs, int count)
{
    printf("%s", what);
    for (int at = 0; at < count; at++)
        printf(" %d", inputs[at]);
    printf("\n");
}

int main(int argc, char **argv)
{
    int low[INPUTS], high[INPUTS], inputs[INPUTS], diverging[INPUTS], differing[INPUTS];
    int count = (argc - 3) / 2, at;
    long points = 0, partings = 0, differences = 0, misaligned = 0, endless = 0;
    void *objects[2] = { dlopen(argv[1], RTLD_NOW | RTLD_LOCAL), dlopen(argv[2], RTLD_NOW | RTLD_LOCAL) };
    if (!objects[0] || !objects[1])
        return fprintf(stderr, "%s\n", dlerror()), 2;
    int (*old_entry)(const int *) = (int (*)(const int *))dlsym(objects[0], "csg_grid_entry");
    int (*new_entry)(const int *) = (int (*)(const int *))dlsym(objects[1], "csg_grid_entry");

    keys = calloc(room, sizeof *keys);
    struct sigaction action = { .sa_handler = divided, .sa_flags = SA_NODEFER };
    sigaction(SIGFPE, &action, NULL);
    for (at = 0; at < count; at++) {
        low[at] = atoi(argv[3 + 2 * at]), high[at] = atoi(argv[4 + 2 * at]);
        inputs[at] = low[at];
    }
    do {
        uint64_t key;
        execute(&old_run, old_entry, inputs);
        execute(&new_run, new_entry, inputs);
        points++;
        endless += old_run.ending == ENDLESS || new_run.ending == ENDLESS;
        switch (parted(&key)) {
        case 1:
            remember(key);
            if (!partings++)
                memcpy(diverging, inputs, sizeof inputs);
            break;
        case -1:
            misaligned++;
        }
        if (old_run.ending != new_run.ending || old_run.value != new_run.value)
            if (!differences++)
                memcpy(differing, inputs, sizeof inputs);
        for (at = count - 1; at >= 0 && inputs[at] == high[at]; at--)
            inputs[at] = low[at];
        if (at >= 0)
            inputs[at]++;
    } while (at >= 0);
    printf("%ld %ld %lu %ld %ld %ld\n", points, partings, (unsigned long)known, differences,
           misaligned, endless);
    if (partings)
        show("diverging", diverging, count);
    if (differences)
        show("differing", differing, count);
    return 0;
}
