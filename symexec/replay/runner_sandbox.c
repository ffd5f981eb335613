/* A sandbox around programs that nobody has vouched for.
 *
 *   namespaces  own user, mount, network, process, IPC and host name space: every mount read-only,
 *               a fresh /tmp in memory, no network device, the runner is process 1; at the top there
 *               is nothing but what programs and libraries come from: no home, no data of others
 *   landlock    no write outside the scratch folder, no reading of what namespaces hide, no TCP, no
 *               signal or abstract socket outwards
 *   seccomp     no sockets, no tracing, no mounts, no new namespaces
 *
 * A name space for IPC in which a run has made something that outlives it is replaced by a new one.
 * Each is used where the machine allows it; `present` tells which hold. */
#include "covering.h"
#include "runner.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOBODY = 65534, OWN = 1000 }; /* OWN: what programs see in namespaces, and models say */

static int write_text(const char *path, const char *text)
{
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0)
        return -1;
    ssize_t put = write(file, text, strlen(text));
    close(file);
    return put == (ssize_t) strlen(text) ? 0 : -1;
}

/* ------------------------------------------------------------------------- namespaces */

/* Written by the parent, which has the rights. Root maps itself and nobody: programs run as nobody,
 * because limits on processes do not hold for root. Returns whether nobody is mapped. Whoever
 * programs run as has the number OWN in there, as in the library's models. */
static int map_users(pid_t child, uid_t user, gid_t group)
{
    char path[64], map[96];
    if (user == 0) {
        snprintf(map, sizeof map, "0 0 1\n%d %d 1\n", OWN, NOBODY);
        snprintf(path, sizeof path, "/proc/%d/uid_map", child);
        if (write_text(path, map) == 0) {
            snprintf(path, sizeof path, "/proc/%d/gid_map", child);
            if (write_text(path, map) == 0)
                return 1;
        }
    }
    snprintf(path, sizeof path, "/proc/%d/setgroups", child);
    write_text(path, "deny");
    snprintf(path, sizeof path, "/proc/%d/uid_map", child);
    snprintf(map, sizeof map, "%d %u 1\n", OWN, user);
    write_text(path, map);
    snprintf(path, sizeof path, "/proc/%d/gid_map", child);
    snprintf(map, sizeof map, "%d %u 1\n", OWN, group);
    write_text(path, map);
    return 0;
}

/* Every mount read-only; 0 on success. */
static int close_mounts(void)
{
#ifdef SYS_mount_setattr
    struct {
        uint64_t set, clear, propagation, user_namespace;
    } attributes = {0x1 | 0x2, 0, 0, 0}; /* MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID */
    return (int) syscall(SYS_mount_setattr, AT_FDCWD, "/", 0x8000 /* AT_RECURSIVE */, &attributes,
                         sizeof attributes);
#else
    return -1;
#endif
}

/* A fresh /tmp in memory that still shows `builds` when that lies below the old one. */
static int mount_scratch(const char *scratch, const char *builds)
{
    if (mount("tmpfs", scratch, "tmpfs", MS_NOSUID | MS_NODEV, "size=64m,nr_inodes=8k,mode=1777")
        != 0)
        return -1;
    if (strncmp(builds, "/tmp/", 5) == 0) {
        char inside[4096];
        int length = snprintf(inside, sizeof inside, "%s/%s", scratch, builds + 5);
        if (length < 0 || (size_t) length >= sizeof inside
            || make_folders(inside, strlen(scratch) + 1) != 0
            || mount(builds, inside, NULL, MS_BIND, NULL) != 0)
            return -1;
    }
    return mount(scratch, "/tmp", NULL, MS_MOVE, NULL);
}

/* The folder of message queues of this IPC name space, which nobody else sees. */
static void open_queues(struct sandbox *sandbox, const char *place)
{
    if (sandbox->queues >= 0)
        close(sandbox->queues);
    sandbox->queues = -1;
    if (mount("mqueue", place, "mqueue", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0)
        return;
    int folder = open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    umount2(place, MNT_DETACH);
    sandbox->queues = fcntl(folder, F_DUPFD_CLOEXEC, 10);
    close(folder);
    if (fstat(sandbox->queues, &sandbox->unused) != 0)
        fail("fstat");
}

int used_ipc(const struct sandbox *sandbox)
{
    struct shm_info memory = {0};
    struct msginfo messages = {0};
    struct seminfo semaphores = {0};
    struct stat queues = {0};
    union {
        int value;
        struct seminfo *info;
    } all = {.info = &semaphores};
    if (!(sandbox->present & LAYER_NAMESPACES))
        return 0; /* what there is belongs to others: see enter_seccomp */
    shmctl(0, SHM_INFO, (struct shmid_ds *) &memory);
    msgctl(0, MSG_INFO, (struct msqid_ds *) &messages);
    semctl(0, 0, SEM_INFO, all);
    return memory.used_ids > 0 || messages.msgpool > 0 || semaphores.semusz > 0
           || (sandbox->queues >= 0 && fstat(sandbox->queues, &queues) == 0
               && (queues.st_size != sandbox->unused.st_size
                   || queues.st_ctim.tv_sec != sandbox->unused.st_ctim.tv_sec
                   || queues.st_ctim.tv_nsec != sandbox->unused.st_ctim.tv_nsec));
}

void renew_ipc(struct sandbox *sandbox)
{
    if (unshare(CLONE_NEWIPC) != 0)
        fail("unshare"); /* another runner begins anew */
    open_queues(sandbox, "/tmp");
}

uint64_t shared_memory(void)
{
    struct shm_info memory = {0};
    shmctl(0, SHM_INFO, (struct shmid_ds *) &memory);
    return (uint64_t) memory.shm_rss * 4096;
}

static int furnish(struct sandbox *sandbox, const char *scratch, char *const visible[])
{
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        return -1;
    if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0)
        errno = 0; /* refused in some containers: the old /proc stays, read-only */
    mount("tmpfs", "/dev/pts", "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
    mount("tmpfs", "/dev/shm", "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
    if (close_mounts() != 0 || mount_scratch(scratch, visible[0]) != 0 || hide_others(visible) != 0)
        return -1;
    open_queues(sandbox, "/tmp");
    return 0;
}

/* The process that csgtest has started waits here, and ends last: when no process of the runner or
 * of a program is left. SIGTERM, which main() has blocked, asks for the end. */
static __attribute__((noreturn)) void guard(pid_t runner)
{
    int status = 3, any;
    sigset_t heeded;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    sigemptyset(&heeded);
    sigaddset(&heeded, SIGTERM);
    sigaddset(&heeded, SIGCHLD);
    for (;;) {
        pid_t ended = waitpid(-1, &any, WNOHANG);
        if (ended == runner)
            status = any;
        if (ended == runner || (ended < 0 && errno == ECHILD))
            break;
        if (ended <= 0 && sigwaitinfo(&heeded, NULL) == SIGTERM)
            kill(runner, SIGKILL); /* as process 1 of a name space it takes all with it */
    }
    end_children();
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 3);
}

/* Held until the guard and the runner are gone: whoever wants to know asks for the lock. */
static void lock_scratch(const char *scratch)
{
    int folder = open(scratch, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0 || flock(folder, LOCK_SH) != 0)
        errno = 0;
}

/* Without name spaces: strays become children of the runner, or of its guard when it is gone. */
static void fork_guard(void)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    pid_t runner = fork();
    if (runner < 0)
        fail("fork");
    if (runner > 0) {
        close(0);
        close(1);
        guard(runner);
    }
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/* 1: we are process 1 in the namespaces. 0: there are none here, nothing has happened. */
static int enter_namespaces(struct sandbox *sandbox, const char *scratch, char *const visible[])
{
    int go[2], ready[2];
    if (pipe2(go, O_CLOEXEC) != 0 || pipe2(ready, O_CLOEXEC) != 0)
        fail("pipe2");
    uid_t user = geteuid();
    gid_t group = getegid();
    long flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWPID | CLONE_NEWIPC
                 | CLONE_NEWUTS | SIGCHLD;
    pid_t child = (pid_t) syscall(SYS_clone, flags, NULL, NULL, NULL, NULL);
    char answer = 0;
    if (child != 0) {
        answer = child > 0 && map_users(child, user, group) ? 2 : 1;
        close(ready[1]);
        if (child < 0 || write(go[1], &answer, 1) != 1 || read(ready[0], &answer, 1) != 1) {
            close(go[0]), close(go[1]), close(ready[0]);
            if (child > 0) {
                kill(child, SIGKILL);
                waitpid(child, NULL, 0);
            }
            return 0;
        }
        close(0);
        close(1);
        guard(child);
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (read(go[0], &answer, 1) != 1 || furnish(sandbox, scratch, visible) != 0)
        _exit(3);
    sandbox->change_user = answer == 2;
    if (answer == 2 && (setresgid(0, 0, 0) != 0 || setresuid(0, 0, 0) != 0))
        _exit(3);
    if (write(ready[1], &answer, 1) != 1)
        _exit(3);
    close(go[0]), close(go[1]), close(ready[0]), close(ready[1]);
    return 1;
}

/* --------------------------------------------------------------------------- landlock */

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

static int allow_below(int ruleset, const char *path, uint64_t access)
{
    struct {
        uint64_t access;
        int32_t parent;
    } __attribute__((packed)) rule = {access, open(path, O_PATH | O_CLOEXEC)};
    int failed = rule.parent < 0
                 || syscall(SYS_landlock_add_rule, ruleset, 1 /* PATH_BENEATH */, &rule, 0) != 0;
    if (rule.parent >= 0)
        close(rule.parent);
    return failed ? -1 : 0;
}

/* Reading and executing are for the system and what is visible; writing, making and removing are for
 * the scratch folder only. */
void prepare_landlock(struct sandbox *sandbox, const char *base, char *const visible[])
{
    const uint64_t reading = 0xd; /* EXECUTE, READ_FILE, READ_DIR */
    struct {
        uint64_t files, network, scoped;
    } handled = {0, 0, 0};
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, 1 /* VERSION */);
    size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    if (version < 1)
        return;
    handled.files = 0x1ff2 | reading; /* WRITE_FILE, REMOVE_*, MAKE_* */
    if (version >= 2)
        handled.files |= 1u << 13; /* REFER */
    if (version >= 3)
        handled.files |= 1u << 14; /* TRUNCATE */
    if (version >= 4)
        handled.network = 3; /* BIND_TCP, CONNECT_TCP */
    if (version >= 6)
        handled.scoped = 3; /* abstract sockets, signals */
    int ruleset = (int) syscall(SYS_landlock_create_ruleset, &handled, size, 0);
    if (ruleset < 0)
        return;
    if (allow_below(ruleset, base, handled.files) != 0) {
        close(ruleset);
        return;
    }
    for (int i = 0; system_folders[i]; i++) {
        char path[16];
        snprintf(path, sizeof path, "/%s", system_folders[i]);
        allow_below(ruleset, path, reading);
    }
    if (sandbox->present & LAYER_NAMESPACES) /* what is not to be seen is not there */
        allow_below(ruleset, "/", 8 /* READ_DIR */);
    for (int i = 0; visible[i]; i++)
        allow_below(ruleset, visible[i], reading);
    uint64_t file = handled.files & (1u << 1 | 1u << 2 | 1u << 14);
    const char *devices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/random", "/dev/urandom"};
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        allow_below(ruleset, devices[i], file);
    sandbox->landlock = fcntl(ruleset, F_DUPFD_CLOEXEC, 10); /* programs lose those below */
    close(ruleset);
    sandbox->present |= LAYER_LANDLOCK;
}

/* ---------------------------------------------------------------------------- seccomp */

#if defined __x86_64__
#define THIS_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define THIS_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef THIS_ARCHITECTURE
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define REFUSE(error) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error))
#define DENY(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 1), REFUSE(EPERM)
#define NAMESPACES 0x7e020080 /* all CLONE_NEW* */
/* Of the commands for terminals ('T', ioctl_tty(2)) those that ask, and those that any descriptor
 * has. The others answer as they do where there is no terminal. */
#define KEPT 9
#define KEEP(number, command) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (command), KEPT + 2 - (number), 0)
#define NO_TERMINAL                                                                             \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, KEPT + 5), LOAD(args[1]),                   \
        KEEP(0, TCGETS), KEEP(1, TIOCGPGRP), KEEP(2, TIOCOUTQ), KEEP(3, TIOCGWINSZ),             \
        KEEP(4, FIONREAD), KEEP(5, FIONBIO), KEEP(6, FIONCLEX), KEEP(7, FIOCLEX),                \
        KEEP(8, FIOASYNC), BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xff00),                           \
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 'T' << 8, 0, 1), REFUSE(ENOTTY), LOAD(nr)
#ifdef SYS_chmod
#define ATTRIBUTES (2 * 19) /* instructions for what Landlock leaves open: modes, owners, times, and
                             * what outlives a run in an IPC name space that is not its own */
#else
#define ATTRIBUTES (2 * 13)
#endif

#define LIMIT 5
#define ITSELF(call, index, value)                                                              \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, LIMIT - 1), LOAD(args[index]),                \
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 1, 0),                                      \
        BPF_STMT(BPF_RET | BPF_K, to_others), LOAD(nr)
#define TO_ALL (9 * LIMIT) /* what would be done to other processes as well: see enter_sandbox */

static int enter_seccomp(int namespaces, int crowded)
{
    uint32_t to_others = crowded ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ERRNO | EPERM;
    struct sock_filter filter[] = {
        LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_ARCHITECTURE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        LOAD(nr),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1), /* the x32 calls */
        REFUSE(ENOSYS),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1), /* flags in memory: use clone */
        REFUSE(ENOSYS),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4),
        LOAD(args[0]),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, NAMESPACES, 0, 1),
        REFUSE(EPERM),
        LOAD(nr),
        DENY(SYS_socket), DENY(SYS_ptrace), DENY(SYS_process_vm_readv),
        DENY(SYS_process_vm_writev), DENY(SYS_mount), DENY(SYS_umount2), DENY(SYS_pivot_root),
        DENY(SYS_chroot), DENY(SYS_unshare), DENY(SYS_setns), DENY(SYS_bpf),
        DENY(SYS_perf_event_open), DENY(SYS_keyctl), DENY(SYS_add_key), DENY(SYS_request_key),
        DENY(SYS_userfaultfd), DENY(SYS_io_uring_setup), DENY(SYS_reboot), DENY(SYS_swapon),
        DENY(SYS_sethostname), DENY(SYS_open_tree), DENY(SYS_move_mount), DENY(SYS_fsopen),
        DENY(SYS_init_module), DENY(SYS_finit_module), DENY(SYS_clock_settime),
        DENY(SYS_settimeofday), DENY(SYS_mknodat), DENY(438 /* pidfd_getfd */),
        DENY(440 /* process_madvise */), DENY(SYS_kcmp), NO_TERMINAL,
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prlimit64, 0, 4), /* of others: a server's */
        LOAD(args[0]),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0),
        REFUSE(EPERM),
        LOAD(nr),
        BPF_STMT(BPF_JMP | BPF_JA, crowded || !namespaces ? 0 : TO_ALL),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_kill, 0, LIMIT - 1),
        LOAD(args[0]),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0xffffffff, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, to_others),
        LOAD(nr),
        ITSELF(SYS_setpriority, 0, 0 /* PRIO_PROCESS */),
        ITSELF(SYS_setpriority, 1, 0),
        ITSELF(SYS_ioprio_set, 0, 1 /* IOPRIO_WHO_PROCESS */),
        ITSELF(SYS_ioprio_set, 1, 0),
        ITSELF(SYS_sched_setaffinity, 0, 0),
        ITSELF(SYS_sched_setscheduler, 0, 0),
        ITSELF(SYS_sched_setparam, 0, 0),
        ITSELF(SYS_sched_setattr, 0, 0),
        BPF_STMT(BPF_JMP | BPF_JA, namespaces ? ATTRIBUTES : 0),
        DENY(SYS_fchmod), DENY(SYS_fchmodat), DENY(452 /* fchmodat2 */), DENY(SYS_fchown),
        DENY(SYS_fchownat), DENY(SYS_utimensat), DENY(SYS_setxattr), DENY(SYS_lsetxattr),
        DENY(SYS_fsetxattr), DENY(SYS_shmget), DENY(SYS_msgget), DENY(SYS_semget),
        DENY(SYS_mq_open),
#ifdef SYS_chmod
        DENY(SYS_chmod), DENY(SYS_chown), DENY(SYS_lchown), DENY(SYS_utime), DENY(SYS_utimes),
        DENY(SYS_futimesat),
#endif
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
#else
static int enter_seccomp(int namespaces, int crowded)
{
    (void) namespaces, (void) crowded;
    return -1;
}
#endif

static int seccomp_works(void)
{
    pid_t child = fork();
    int status;
    if (child == 0) {
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        _exit(enter_seccomp(0, 1) != 0);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

/* ------------------------------------------------------------------------------- all */

static long existing_processes(void)
{
    long running, total = 0;
    FILE *load = fopen("/proc/loadavg", "r");
    if (load && fscanf(load, "%*s %*s %*s %ld/%ld", &running, &total) != 2)
        total = 4096;
    if (load)
        fclose(load);
    return total;
}

void make_sandbox(struct sandbox *sandbox, int allowed, const char *scratch, char *const visible[],
                 char *base, size_t base_size)
{
    sandbox->landlock = sandbox->queues = -1;
    sandbox->user = geteuid();
    sandbox->group = getegid();
    write_text("/proc/self/oom_score_adj", "900"); /* rather we than the user's editor */
    snprintf(base, base_size, "%s", scratch);
    lock_scratch(scratch);
    if ((allowed & LAYER_NAMESPACES) && enter_namespaces(sandbox, scratch, visible)) {
        sandbox->present |= LAYER_NAMESPACES;
        snprintf(base, base_size, "/tmp");
    } else {
        sandbox->change_user = geteuid() == 0;
        sandbox->process_limit = existing_processes();
        fork_guard();
    }
    if (sandbox->change_user)
        sandbox->user = sandbox->group = sandbox->present & LAYER_NAMESPACES ? OWN : NOBODY;
    prctl(PR_SET_DUMPABLE, 0);
    for (int right = 0; prctl(PR_CAPBSET_READ, right) >= 0; right++)
        prctl(PR_CAPBSET_DROP, right); /* not even root regains a right by execve */
    if (allowed & LAYER_LANDLOCK)
        prepare_landlock(sandbox, base, visible);
    if ((allowed & LAYER_SECCOMP) && seccomp_works())
        sandbox->present |= LAYER_SECCOMP;
}

/* A program that signals to all, or sets the priority or the processors of others, would find the
 * servers, which should not be there: it is ended, and runs again alone. Where no namespace hides the
 * processes of this machine, it may not reach them at all. */
void enter_sandbox(const struct sandbox *sandbox, int crowded)
{
    if (sandbox->change_user
        && (setgroups(0, NULL) != 0 || setresgid(sandbox->group, sandbox->group, sandbox->group)
            || setresuid(sandbox->user, sandbox->user, sandbox->user) != 0))
        _exit(126);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        _exit(126);
    if ((sandbox->present & LAYER_LANDLOCK)
        && syscall(SYS_landlock_restrict_self, sandbox->landlock, 0) != 0)
        _exit(126);
    if ((sandbox->present & LAYER_SECCOMP)
        && enter_seccomp(sandbox->present & LAYER_NAMESPACES, crowded) != 0)
        _exit(126);
}
