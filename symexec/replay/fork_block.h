/* Part of fork_server.c: the block that the kernel leaves on top of the stack for a program. What a
 * forked process finds there, and libc's pointers into it, are made to be what execve would have left.
 *
 *     argc, argv[], 0, environment[], 0, auxiliary vector, 16 random bytes, platform, texts, path */
#ifndef CSGTEST_FORK_BLOCK_H
#define CSGTEST_FORK_BLOCK_H

#include <elf.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "bare.h"
#include "fork_server.h"

/* Where the parts of the block begin, upwards (fs/binfmt_elf.c: create_elf_tables). */
enum { BLOCK, WORDS, VARIABLES, AUXILIARY, RANDOM, PLATFORM, NAME, OTHER_WORDS, SETTINGS, PATH, END,
       PARTS };
enum { AUXILIARIES = 64, FIXES = 64, PAGE = 4096, USED_STACK = 1 << 20,
       BELOW = 64 /* bytes: _start aligns, and pushes two words */, LARGE = 1 << 26 };
#define STACK_SIZE "16384"

struct fix {
    uintptr_t *where; /* points into the block */
    uintptr_t offset;
    int part, closed; /* closed: cannot be written (relro) */
};

/* Near both its ends it stays zero, in servers too: a program that reads a little beyond its own
 * objects sees what it always sees. */
static struct {
    char stack[16384]; /* STACK_SIZE */
    uintptr_t part[PARTS];
    Elf64_auxv_t auxiliary[AUXILIARIES];
    size_t auxiliaries, random, platforms, fixes; /* numbers, and the places of two */
    struct fix fix[FIXES];
    char path[PAGE], platform[64];
    struct prctl_mm_map memory;
    void *robust, *thread;
    size_t robust_size;
    union {
        struct fork_job job;
        char bytes[FORK_JOB_MOST];
    };
} own __attribute__((aligned(64)));

/* Where the kernel puts the parts, for so many arguments and variables whose texts have `size`
 * bytes, `named` of them those of argv[0] and `spoken` those of all arguments. */
static void lay_out(uintptr_t *part, size_t words, size_t variables, size_t size, size_t named,
                    size_t spoken)
{
    part[END] = own.part[END];
    part[PATH] = part[END] - 8 - (length(own.path) + 1);
    part[NAME] = part[PATH] - size;
    part[OTHER_WORDS] = part[NAME] + named;
    part[SETTINGS] = part[NAME] + spoken;
    part[PLATFORM] = (part[NAME] & ~(uintptr_t) 15) - (length(own.platform) + 1);
    part[RANDOM] = part[PLATFORM] - 16;
    part[BLOCK] = (part[RANDOM] - own.auxiliaries * sizeof *own.auxiliary
                   - (words + variables + 3) * sizeof(char *)) & ~(uintptr_t) 15;
    part[WORDS] = part[BLOCK] + sizeof(char *);
    part[VARIABLES] = part[WORDS] + (words + 1) * sizeof(char *);
    part[AUXILIARY] = part[VARIABLES] + (variables + 1) * sizeof(char *);
}

static char **point(char **list, const char **text, size_t count)
{
    while (count--) {
        *list++ = (char *) *text;
        *text += length(*text) + 1;
    }
    *list++ = NULL;
    return list;
}

/* What libc remembers of the block, where that is to be now. */
static void mend(const uintptr_t *part)
{
    uintptr_t open = 0;
    for (size_t i = 0; i <= own.fixes; i++) {
        const struct fix *fix = &own.fix[i];
        uintptr_t page = i < own.fixes ? (uintptr_t) fix->where & ~(uintptr_t) (PAGE - 1) : 0;
        if (open && page != open) {
            CALL(mprotect, open, PAGE, PROT_READ);
            open = 0;
        }
        if (i == own.fixes)
            break;
        if (fix->closed && !open) {
            CALL(mprotect, page, PAGE, PROT_READ | PROT_WRITE);
            open = page;
        }
        *fix->where = part[fix->part] + fix->offset;
    }
    own.memory.brk = (uint64_t) CALL(brk, 0, 0, 0);
    own.memory.start_stack = part[BLOCK];
    own.memory.arg_start = part[NAME];
    own.memory.arg_end = own.memory.env_start = part[SETTINGS];
    own.memory.env_end = part[PATH];
    own.memory.auxv = (void *) part[AUXILIARY];
    own.memory.auxv_size = (uint32_t) (own.auxiliaries * sizeof *own.auxiliary);
    call(SYS_prctl, PR_SET_MM, PR_SET_MM_MAP, (long) &own.memory, sizeof own.memory, 0);
}

/* Everything below the block is and stays zero. */
static void build(const struct fork_job *job, const char *texts)
{
    uintptr_t part[PARTS], *present = own.part;
    lay_out(part, job->words, job->variables, job->size, length(texts) + 1, job->spoken);
    int moved = 0;
    for (int i = 0; i < PARTS; i++)
        moved |= part[i] != present[i];
    clear(part[BLOCK] < present[BLOCK] ? part[BLOCK] : present[BLOCK], part[END]);
    copy((void *) part[PATH], own.path, length(own.path));
    copy((void *) part[NAME], texts, job->size);
    copy((void *) part[PLATFORM], own.platform, length(own.platform));
    CALL(getrandom, part[RANDOM], 16, 0);
    own.auxiliary[own.random].a_un.a_val = part[RANDOM];
    own.auxiliary[own.platforms].a_un.a_val = part[PLATFORM];
    copy((void *) part[AUXILIARY], own.auxiliary, own.auxiliaries * sizeof *own.auxiliary);
    *(uintptr_t *) part[BLOCK] = job->words;
    const char *text = (const char *) part[NAME];
    char **list = point((char **) part[WORDS], &text, job->words);
    point(list, &text, job->variables);
    if (moved)
        mend(part);
    copy(present, part, sizeof part);
}

/* Keep what the block holds; 0 when it is not as we would build it. */
static int learn(uintptr_t *block)
{
    uintptr_t part[PARTS], words = block[0], variables = 0;
    char **list = (char **) (block + 1), **settings = list + words + 1;
    while (settings[variables])
        variables++;
    Elf64_auxv_t *auxiliary = (Elf64_auxv_t *) (settings + variables + 1);
    const char *path = NULL, *platform = NULL;
    for (size_t i = 0; i < AUXILIARIES && !own.auxiliaries; i++) {
        own.auxiliary[i] = auxiliary[i];
        if (auxiliary[i].a_type == AT_NULL)
            own.auxiliaries = i + 1;
        else if (auxiliary[i].a_type == AT_EXECFN)
            path = (const char *) auxiliary[i].a_un.a_val;
        else if (auxiliary[i].a_type == AT_PLATFORM)
            platform = (const char *) auxiliary[own.platforms = i].a_un.a_val;
        else if (auxiliary[i].a_type == AT_RANDOM)
            own.part[RANDOM] = auxiliary[own.random = i].a_un.a_val;
    }
    if (!own.auxiliaries || !path || !platform || length(path) >= sizeof own.path
        || length(platform) >= sizeof own.platform)
        return 0;
    copy(own.path, path, length(path));
    copy(own.platform, platform, length(platform));
    own.part[BLOCK] = (uintptr_t) block;
    own.part[WORDS] = (uintptr_t) list;
    own.part[VARIABLES] = (uintptr_t) settings;
    own.part[AUXILIARY] = (uintptr_t) auxiliary;
    own.part[PLATFORM] = (uintptr_t) platform;
    own.part[NAME] = (uintptr_t) list[0];
    own.part[OTHER_WORDS] = (uintptr_t) list[1];
    own.part[SETTINGS] = variables ? (uintptr_t) settings[0] : (uintptr_t) path;
    own.part[PATH] = (uintptr_t) path;
    own.part[END] = (uintptr_t) path + length(path) + 1 + 8;
    lay_out(part, words, variables, own.part[PATH] - own.part[NAME], length(list[0]) + 1,
            own.part[SETTINGS] - own.part[NAME]);
    for (int i = 0; i < PARTS; i++)
        if (part[i] != own.part[i])
            return 0;
    return own.part[END] % PAGE == 0;
}

#endif
