/* Linked to programs under test: what is the same in every run is done once.
 *
 *     program                        runs as it would without this file, but on a wiped stack
 *     program csgtest-fork-server    stops where nothing of the user's has run yet, and for each job
 *                                    that comes through descriptor 9 forks a process that goes on
 *
 * A statically linked program stops before its constructors, one that the dynamic linker starts at
 * its entry (the linker is told: -e csgtest_entry), when sanitizers are ready. The forked process is
 * made to look as execve would have left it: descriptors, limits, session, the block of arguments,
 * environment and auxiliary vector on top of the stack, and all that libc remembers of it. Whatever
 * is not as expected makes the server leave: then every run is an execve. It is the runner's child,
 * and so is what it forks (CLONE_PARENT). runner_servers.c is the other side.
 *
 * Nothing here may leave a trace in the program: system calls are made directly, no SSE register is
 * used, and the server has a stack of its own. */
#if defined __x86_64__ && defined __linux__
#define _GNU_SOURCE
#include <elf.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>

#pragma GCC target("general-regs-only")
#pragma GCC optimize("no-stack-protector", "no-tree-loop-distribute-patterns")
#include "bare.h"
#include "fork_server.h"

#define WEAK __attribute__((weak))
#define HIDDEN __attribute__((visibility("hidden")))

extern char **environ;
extern void pthread_exit(void *) WEAK; /* of main: needs a frame of libc's that is not there */
extern int main(int, char **, char **);
extern void exit(int) __attribute__((noreturn));
extern const char _DYNAMIC[] WEAK HIDDEN;
typedef void constructor(int, char **, char **);
extern constructor *__init_array_start[] HIDDEN, *__init_array_end[] HIDDEN;
extern void _init(void) WEAK HIDDEN;

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

/* ------------------------------------------------------------------------------ the block */

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

/* --------------------------------------------------- what libc remembers of the block */

/* A word that points into the block is noted; 0 when nobody could mend it. */
static int note(uintptr_t *where, int closed)
{
    uintptr_t value = *where;
    int part = 0;
    if (value < own.part[BLOCK] - BELOW || value >= own.part[END])
        return 1;
    while (part + 1 < END && own.part[part + 1] <= value)
        part++;
    uintptr_t offset = value - own.part[part];
    if (part == OTHER_WORDS || (part == WORDS && offset) || own.fixes == FIXES)
        return 0;
    own.fix[own.fixes++] = (struct fix){where, offset, part, closed};
    return 1;
}

static int note_all(uintptr_t from, uintptr_t to, int closed)
{
    unsigned char resident[256];
    for (uintptr_t page = from; page < to; page += PAGE) {
        size_t place = (page - from) / PAGE % sizeof resident;
        size_t rest = to - page < sizeof resident * PAGE ? to - page : sizeof resident * PAGE;
        if (place == 0 && CALL(mincore, page, rest, resident) != 0)
            return 0;
        for (uintptr_t at = page; (resident[place] & 1) && at < page + PAGE; at += sizeof at)
            if ((at < (uintptr_t) &own || at >= (uintptr_t) (&own + 1))
                && !note((uintptr_t *) at, closed))
                return 0;
    }
    return 1;
}

/* Of libraries only the compiler's and libc's are known to start alike for all arguments. */
static int known(const char *path)
{
    static const char names[] = "ld-\0libc.\0libc-\0libm.\0libm-\0libgcc_s.\0libasan.\0libubsan.\0"
                                "libpthread.\0libpthread-\0libdl.\0libdl-\0librt.\0librt-\0";
    const char *file = path;
    for (; *path && *path != '\n'; path++)
        if (*path == '/')
            file = path + 1;
    for (const char *name = names; *name; name += length(name) + 1)
        if (begins(file, name))
            return 1;
    return 0;
}

static int is_library(const char *path)
{
    for (; *path && *path != '\n'; path++)
        if (begins(path, ".so.") || begins(path, ".so\n"))
            return 1;
    return 0;
}

/* Go through /proc/self/maps: lines of "from-to rw-p offset device inode path". */
static int survey(void)
{
    const char *text = own.bytes;
    uintptr_t behind_file = 0;
    if (read_text("/proc/self/maps", own.bytes, sizeof own.bytes) < 0)
        return 0;
    while (*text) {
        uintptr_t from = number(&text, 16), to = (text++, number(&text, 16));
        const char *rights = text + 1;
        while (*text != '\n' && *text != '/' && *text != '[')
            text++;
        int file = *text == '/', kernel = *text == '[' && !begins(text, "[heap]");
        int writable = rights[1] == 'w';
        if (file && is_library(text) && !known(text))
            return 0;
        if (rights[0] == 'r' && rights[2] != 'x' && rights[3] == 'p' && !kernel
            && (writable || file) && (file || from == behind_file || to - from <= LARGE)
            && !note_all(from, to, !writable))
            return 0;
        if (file)
            behind_file = to;
        while (*text++ != '\n')
            ;
    }
    return 1;
}

/* The numbers behind the name in /proc/self/stat; proc(5) counts the fields from 1. */
static int learn_memory(void)
{
    uintptr_t field[52] = {0};
    if (read_text("/proc/self/stat", own.bytes, sizeof own.bytes) < 0)
        return 0;
    const char *text = own.bytes + length(own.bytes);
    while (*text != ')')
        text--;
    text += 4; /* the state, a letter, is field 3 */
    for (int i = 4; i < 52; i++) {
        text += *text == ' ';
        text += *text == '-';
        field[i] = number(&text, 10);
    }
    own.memory = (struct prctl_mm_map){
        .start_code = field[26], .end_code = field[27], .start_data = field[45],
        .end_data = field[46], .start_brk = field[47], .exe_fd = (uint32_t) -1,
    };
    return field[20] == 1; /* threads */
}

/* ------------------------------------------------------------------------------- the server */

static __attribute__((noreturn)) void leave(void)
{
    for (;;)
        CALL(exit_group, 125, 0, 0);
}

static int ready(uintptr_t *block)
{
    return learn(block) && survey() && learn_memory()
           && CALL(prctl, PR_GET_TID_ADDRESS, &own.thread, 0) == 0
           && CALL(get_robust_list, 0, &own.robust, &own.robust_size) == 0;
}

/* The next job, its descriptors in their places; whether there is one. */
static int next_job(void)
{
    struct iovec whole = {own.bytes, sizeof own.bytes};
    char rights[CMSG_SPACE(4 * sizeof(int))];
    struct msghdr message = {.msg_iov = &whole, .msg_iovlen = 1, .msg_control = rights,
                             .msg_controllen = sizeof rights};
    return CALL(recvmsg, FORK_SOCKET, &message, 0) > (long) sizeof own.job;
}

static int limit(int resource, uint64_t value)
{
    struct rlimit both = {value, value};
    return (int) CALL(setrlimit, resource, &both, 0);
}

/* In the forked process; the other limits are the server's. */
static void go_on(void)
{
    const struct fork_job *job = &own.job;
    uintptr_t guard = *(uintptr_t *) own.part[RANDOM] & ~(uintptr_t) 255;
    __asm__ volatile("movq %0, %%fs:0x28" : : "r"(guard));
    CALL(close, FORK_SOCKET, 0, 0);
    CALL(setsid, 0, 0, 0);
    CALL(set_robust_list, own.robust, own.robust_size, 0);
    if (CALL(chdir, job->texts, 0, 0) != 0 || limit(RLIMIT_CPU, job->seconds) != 0
        || limit(RLIMIT_NPROC, job->processes) != 0)
        CALL(exit_group, NOT_READY, 0, 0);
}

/* What was left on the stack before the program is no part of it. */
static void wipe(uintptr_t *block)
{
    uintptr_t end = (uintptr_t) block, page = end & ~(uintptr_t) (PAGE - 1);
    CALL(madvise, page - USED_STACK, USED_STACK, MADV_DONTNEED);
    clear(page, end);
}

/* Returns in the processes that it forks: their block. */
static uintptr_t *serve(uintptr_t *block)
{
    if (!ready(block))
        leave();
    wipe(block);
    for (int child = 0;;) {
        for (int i = 0; i < 4; i++)
            CALL(close, i, 0, 0);
        if (CALL(write, FORK_SOCKET, &child, sizeof child) != sizeof child || !next_job())
            leave();
        build(&own.job, own.job.texts + length(own.job.texts) + 1);
        child = (int) call(SYS_clone, CLONE_PARENT | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID, 0,
                           0, (long) own.thread, 0);
        if (child == 0) {
            go_on();
            return (uintptr_t *) own.part[BLOCK];
        }
    }
}

static int asked(const uintptr_t *block)
{
    return block[0] == 2 && begins((const char *) block[2], FORK_SERVER);
}

/* Runs on our stack: the block of the process that goes on. */
__attribute__((used)) static uintptr_t *begin(uintptr_t *block)
{
    if (asked(block))
        return serve(block);
    wipe(block);
    return block;
}

/* As libc goes on behind the point where a statically linked program stops. */
__attribute__((used, noreturn)) static void start(uintptr_t *block)
{
    int count = (int) block[0];
    char **words = (char **) (block + 1), **variables = words + count + 1;
    if (_init)
        _init();
    for (constructor **each = __init_array_start; each < __init_array_end; each++)
        (*each)(count, words, variables);
    exit(main(count, words, environ));
}

#define CLEAR_REGISTERS                                                                 \
    "    xorl %ebx, %ebx\n    xorl %ecx, %ecx\n    xorl %ebp, %ebp\n"                   \
    "    xorl %r8d, %r8d\n    xorl %r9d, %r9d\n    xorl %r10d, %r10d\n"                \
    "    xorl %r11d, %r11d\n    xorl %r12d, %r12d\n    xorl %r13d, %r13d\n"             \
    "    xorl %r14d, %r14d\n    xorl %r15d, %r15d\n"

__asm__(".pushsection .text\n"
        ".globl csgtest_entry\n"
        ".type csgtest_entry, @function\n"
        "csgtest_entry:\n" /* from the dynamic linker: rdx is what it wants to be called at exit */
        "    movq %rdx, %r12\n"
        "    movq %rsp, %rdi\n"
        "    leaq own+" STACK_SIZE "(%rip), %rsp\n"
        "    call begin\n"
        "    movq %rax, %rsp\n"
        "    movq %r12, %rdx\n"
        CLEAR_REGISTERS
        "    xorl %eax, %eax\n    xorl %edi, %edi\n    xorl %esi, %esi\n"
        "    jmp _start\n"
        "stopped:\n" /* of libc's start: rdi is the block */
        "    leaq own+" STACK_SIZE "(%rip), %rsp\n"
        "    call begin\n"
        "    movq %rax, %rdi\n"
        "    leaq -256(%rax), %rsp\n"
        CLEAR_REGISTERS
        "    call start\n"
        ".popsection");
extern void stopped(uintptr_t *block) HIDDEN;

static void stop(int count, char **words, char **variables)
{
    uintptr_t *block = (uintptr_t *) words - 1;
    (void) count, (void) variables;
    if (_DYNAMIC)
        return;
    if (!pthread_exit)
        stopped(block);
    else if (asked(block))
        leave();
}

__attribute__((section(".preinit_array"), used)) static constructor *const stopping = stop;
#endif
