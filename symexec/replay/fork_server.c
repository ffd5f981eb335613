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
 * Each process that goes on proves to the runner that it does (PROOF): by then the dynamic linker and
 * the sanitizers are ready, which may fail for want of memory, or where the sandbox is in the way.
 *
 * Nothing here may leave a trace in the program: system calls are made directly, no SSE register is
 * used, and the server has a stack of its own. What others have left in errno before the program's own
 * constructors run is taken away: it is zero at program startup (C17 7.5p3). */
#define _GNU_SOURCE
#if defined __x86_64__ && defined __linux__
#include <sched.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>

#pragma GCC target("general-regs-only")
#pragma GCC optimize("no-stack-protector", "no-tree-loop-distribute-patterns")
#include "fork_block.h"
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

static void prove(void)
{
    CALL(write, PROOF, "", 1);
    CALL(close, PROOF, 0, 0);
}

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
        block = serve(block);
    else
        wipe(block);
    prove();
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
    else
        prove();
}

__attribute__((section(".preinit_array"), used)) static constructor *const stopping = stop;
#else
#include <unistd.h>

#include "fork_server.h"

__attribute__((constructor(101))) static void prove(void)
{
    if (write(PROOF, "", 1) == 1)
        close(PROOF);
}
#endif

/* Sanitizers leave the error of a folder that they find made already. */
extern int *__errno_location(void) __attribute__((weak));

__attribute__((constructor(103))) static void forget_errors(void)
{
    if (__errno_location)
        *__errno_location() = 0;
}
