/* What a process without rights may change of itself: POSIX unistd.h, sched.h, sys/resource.h, prctl.
 *
 *     setuid(0)                  ->   -1, errno EPERM: it runs as user 1000
 *     setsid()                   ->   -1, errno EPERM: it leads a group, as in replay
 *     mlockall(MCL_CURRENT)      ->   -1, errno ENOMEM: 64 kB may be locked, as in replay
 *     chroot("/")                ->   -1, errno EPERM
 *
 * Its rights, groups and limits are those of replay in a sandbox with all its layers. */

typedef unsigned long size_t;

struct rlimit { unsigned long now, most; };

extern int __csgtest_errno;
extern int getpid(void);
extern int getrlimit(int resource, struct rlimit *limit);
extern int fcntl(int d, int command, ...);
extern long lseek(int d, long offset, int whence);
extern void *memset(void *to, int value, size_t n);
extern void *memcpy(void *to, const void *from, size_t n);
extern char *strncpy(char *to, const char *from, size_t n);
extern void __csgtest_approximated(const char *what);
extern void __csgtest_unsupported(const char *what) __attribute__((noreturn));

enum { NOT_PERMITTED = 1, NO_PROCESS = 3, BAD_DESCRIPTOR = 9, NO_MEMORY = 12, NO_ACCESS = 13 };
enum { INVALID = 22, TOO_LARGE = 75, USER = 1000, OPEN_FILES = 7, LOCKED = 8, PAGE = 4096 };

static int fails(int number)
{
    __csgtest_errno = number;
    return -1;
}

/* ---------------------------------------------------------------------- users and groups */

/* One with more rights, or one that leads no group, is another process behind such a call. */
static int as_in_replay(int result)
{
    __csgtest_approximated("a process cannot change its rights and groups, nor the system");
    return result;
}

static int not_permitted(void) { return as_in_replay(fails(NOT_PERMITTED)); }

static int others(unsigned id) { return id + 1 > 0 && id != USER; }

/* In a sandbox the kernel may not know a number at all: EINVAL. */
static int change(unsigned a, unsigned b, unsigned c)
{
    if (!(others(a) | others(b) | others(c)))
        return as_in_replay(0);
    __csgtest_approximated("user and group numbers other than its own are those of others");
    return fails(NOT_PERMITTED);
}

int setresuid(unsigned real, unsigned effective, unsigned saved) { return change(real, effective, saved); }
int setresgid(unsigned real, unsigned effective, unsigned saved) { return change(real, effective, saved); }
int setreuid(unsigned real, unsigned effective) { return change(real, effective, USER); }
int setregid(unsigned real, unsigned effective) { return change(real, effective, USER); }
int setuid(unsigned id) { return id == ~0u ? fails(INVALID) : change(id, USER, USER); }
int setgid(unsigned id) { return setuid(id); }
int seteuid(unsigned id) { return setuid(id); }
int setegid(unsigned id) { return setuid(id); }
int setfsuid(unsigned id) { return (void) id, as_in_replay(USER); }
int setfsgid(unsigned id) { return (void) id, as_in_replay(USER); }
int setgroups(size_t n, const unsigned *groups) { return (void) n, (void) groups, not_permitted(); }
int initgroups(const char *user, unsigned group) { return (void) user, (void) group, not_permitted(); }

/* ---------------------------------------------------------------------- groups of processes */

static int is_this(int process) { return process == 0 || process == getpid(); }

int getpgrp(void) { return getpid(); }

int getpgid(int process)
{
    if (is_this(process))
        return getpid();
    if (process != 1)
        return fails(NO_PROCESS);
    return 0;
}

int getsid(int process) { return getpgid(process); }
int setsid(void) { return not_permitted(); }

int setpgid(int process, int group)
{
    return group < 0 ? fails(INVALID) : is_this(process) ? not_permitted() : fails(NO_PROCESS);
}

int setpgrp(void) { return setpgid(0, 0); }

/* ---------------------------------------------------------------------- rights that are not there */

#define NOT_ALLOWED(name, ...) \
    int name(__VA_ARGS__) { return not_permitted(); }

NOT_ALLOWED(chroot, const char *path)
NOT_ALLOWED(mount, const char *what, const char *where, const char *kind, unsigned long flags, const void *data)
NOT_ALLOWED(umount, const char *path)
NOT_ALLOWED(umount2, const char *path, int flags)
NOT_ALLOWED(swapon, const char *path, int flags)
NOT_ALLOWED(swapoff, const char *path)
NOT_ALLOWED(reboot, int how)
NOT_ALLOWED(acct, const char *path)
NOT_ALLOWED(vhangup, void)
NOT_ALLOWED(sethostname, const char *name, size_t n)
NOT_ALLOWED(setdomainname, const char *name, size_t n)

struct timespec { long seconds, nanoseconds; };

int clock_settime(int clock, const struct timespec *now)
{
    (void) clock;
    return (unsigned long) now->nanoseconds > 999999999 ? fails(INVALID) : not_permitted();
}

int settimeofday(const struct timespec *now, const void *zone)
{
    if (now && zone)
        return fails(INVALID);
    return now && (unsigned long) now->nanoseconds > 999999 ? fails(INVALID) : not_permitted();
}

/* Natively a file system may allow it; replay does not. */
static int no_device(void)
{
    __csgtest_approximated("devices and named pipes cannot be made");
    return fails(NOT_PERMITTED);
}

int mkfifo(const char *path, unsigned mode) { return (void) path, (void) mode, no_device(); }
int mkfifoat(int d, const char *path, unsigned mode) { return (void) d, (void) path, (void) mode, no_device(); }
int mknod(const char *path, unsigned mode, unsigned long device)
{
    (void) path, (void) mode, (void) device;
    return no_device();
}

int mknodat(int d, const char *path, unsigned mode, unsigned long device)
{
    return (void) d, mknod(path, mode, device);
}

/* ---------------------------------------------------------------------- limits */

int getdtablesize(void)
{
    struct rlimit limit;
    getrlimit(OPEN_FILES, &limit);
    return (int) limit.now;
}

static size_t lockable(void)
{
    struct rlimit limit;
    getrlimit(LOCKED, &limit);
    return limit.now;
}

int mlockall(int flags)
{
    if (flags & ~7 || !(flags & 3))
        return fails(INVALID);
    if (!lockable())
        return fails(NOT_PERMITTED);
    if (flags & 1)
        return fails(NO_MEMORY);
    __csgtest_approximated("memory that is to be locked when it is made does not become scarce");
    return 0;
}

static int unlock(void)
{
    __csgtest_approximated("no memory was locked before the call");
    return 0;
}

int munlockall(void) { return unlock(); }

int mlock(const void *from, size_t size)
{
    size_t most = lockable(), pages = (size_t) from % PAGE + size + PAGE - 1;
    if (!most)
        return fails(NOT_PERMITTED);
    if (size && (!from || size > most || pages - pages % PAGE > most))
        return fails(NO_MEMORY);
    __csgtest_approximated("what is locked in memory is not added up");
    return 0;
}

int mlock2(const void *from, size_t size, unsigned flags) { return flags & ~1u ? fails(INVALID) : mlock(from, size); }
int munlock(const void *from, size_t size) { return from || !size ? unlock() : fails(NO_MEMORY); }

/* ---------------------------------------------------------------------- priority */

static int priority;

static int none_such(unsigned which, unsigned who)
{
    if (which > 2)
        return fails(INVALID);
    __csgtest_approximated("the process begins with priority 0");
    return who && who != (which == 2 ? USER : (unsigned) getpid()) ? fails(NO_PROCESS) : 0;
}

int getpriority(unsigned which, unsigned who) { return none_such(which, who) ? -1 : priority; }

int setpriority(unsigned which, unsigned who, int to)
{
    if (none_such(which, who))
        return -1;
    to = to < -20 ? -20 : to > 19 ? 19 : to;
    if (to < priority)
        return fails(NO_ACCESS);
    priority = to;
    return 0;
}

int nice(int more)
{
    if (setpriority(0, 0, (int) ((unsigned) priority + (unsigned) more)))
        return fails(NOT_PERMITTED);
    return priority;
}

enum { OTHER, FIRST_COME, ROUND_ROBIN, BATCH, IDLE = 5, DEADLINE, ON_FORK = 0x40000000 };

static int policy;

static int rank(int of, int most)
{
    switch (of) {
    case FIRST_COME:
    case ROUND_ROBIN:
        return most ? 99 : 1;
    case OTHER:
    case BATCH:
    case IDLE:
    case DEADLINE:
        return 0;
    case 7:
        __csgtest_approximated("the kernel is older than SCHED_EXT");
        /* fall through */
    default:
        return fails(INVALID);
    }
}

int sched_get_priority_max(int of) { return rank(of, 1); }
int sched_get_priority_min(int of) { return rank(of, 0); }

static int other_process(int process)
{
    return process < 0 ? fails(INVALID) : is_this(process) ? 0 : fails(NO_PROCESS);
}

int sched_getscheduler(int process) { return other_process(process) ? -1 : policy; }

int sched_setscheduler(int process, int wanted, const int *rank_in_it)
{
    int of = wanted & ~ON_FORK, real_time = of == FIRST_COME || of == ROUND_ROBIN;
    if (wanted < 0 || !rank_in_it || process < 0)
        return fails(INVALID);
    if (!is_this(process))
        return fails(NO_PROCESS);
    if (of == DEADLINE || of == 4 || of > DEADLINE || *rank_in_it < 0 || *rank_in_it > 99
        || real_time != (*rank_in_it > 0))
        return fails(INVALID);
    if (real_time || (policy == IDLE && of != IDLE))
        return fails(NOT_PERMITTED);
    __csgtest_approximated("how processes are scheduled is not felt");
    policy = wanted;
    return 0;
}

int sched_setparam(int process, const int *rank_in_it)
{
    return sched_setscheduler(process, policy, rank_in_it);
}

int sched_getparam(int process, int *rank_in_it)
{
    if (!rank_in_it)
        return fails(INVALID);
    return other_process(process) ? -1 : (*rank_in_it = 0);
}

int sched_rr_get_interval(int process, struct timespec *slice)
{
    if (other_process(process))
        return -1;
    __csgtest_approximated("how processes are scheduled is not felt");
    slice->seconds = slice->nanoseconds = 0;
    return 0;
}

static void one_processor(void) { __csgtest_approximated("there is one processor"); }

int sched_setaffinity(int process, size_t size, const unsigned char *set)
{
    one_processor();
    if (other_process(process))
        return -1;
    return size && set[0] & 1 ? 0 : fails(INVALID);
}

int sched_getcpu(void) { return one_processor(), 0; }
int get_nprocs(void) { return one_processor(), 1; }
int get_nprocs_conf(void) { return one_processor(), 1; }

/* ---------------------------------------------------------------------- the machine */

static void gigabyte(void) { __csgtest_approximated("there is a gigabyte of memory, half of it free"); }

long get_phys_pages(void) { return gigabyte(), 262144; }
long get_avphys_pages(void) { return gigabyte(), 131072; }

struct sysinfo {
    long seconds;
    unsigned long loads[3], memory, free, shared, buffers, swap, free_swap;
    unsigned short processes;
    unsigned long high, free_high;
    unsigned unit;
};

int sysinfo(struct sysinfo *to)
{
    gigabyte();
    memset(to, 0, sizeof *to);
    to->seconds = 1000;
    to->memory = 1 << 30;
    to->free = 1 << 29;
    to->processes = 2;
    to->unit = 1;
    return 0;
}

int getloadavg(double *to, int n)
{
    __csgtest_approximated("the machine has nothing to do");
    n = n < 3 ? n : 3;
    for (int i = 0; i < n; i++)
        to[i] = 0;
    return n;
}

long times(long *to) /* as clock() */
{
    if (to)
        memset(to, 0, 4 * sizeof *to);
    return 160000000000;
}

/* ---------------------------------------------------------------------- prctl */

enum { SET_END_SIGNAL = 1, GET_END_SIGNAL, GET_DUMPABLE, SET_DUMPABLE, GET_KEEPS = 7, SET_KEEPS };
enum { SET_NAME = 15, GET_NAME, NO_MORE_RIGHTS = 38, HAS_NO_MORE_RIGHTS };

int prctl(int option, ...)
{
    static int end_signal, dumpable = 1, keeps;
    static char name[16];
    __builtin_va_list rest;
    __builtin_va_start(rest, option);
    if (option == GET_DUMPABLE || option == GET_KEEPS)
        return option == GET_KEEPS ? keeps : dumpable;
    if (option == HAS_NO_MORE_RIGHTS)
        return 1;
    unsigned long given = __builtin_va_arg(rest, unsigned long);
    switch (option) {
    case SET_END_SIGNAL:
        return given > 64 ? fails(INVALID) : (end_signal = (int) given, 0);
    case GET_END_SIGNAL:
        *(int *) given = end_signal;
        return 0;
    case SET_DUMPABLE:
        return given > 1 ? fails(INVALID) : (dumpable = (int) given, 0);
    case SET_KEEPS:
        return given > 1 ? fails(INVALID) : (keeps = (int) given, 0);
    case NO_MORE_RIGHTS:
        return given == 1 ? as_in_replay(0) : fails(INVALID);
    case SET_NAME:
        strncpy(name, (const char *) given, 15);
        return 0;
    case GET_NAME:
        if (!*name)
            __csgtest_unsupported("the name that the system gives to a process");
        memcpy((char *) given, name, sizeof name);
        return 0;
    default:
        __csgtest_unsupported("this option of prctl");
    }
}

/* ---------------------------------------------------------------------- files that others have, too */

int flock(int d, int operation)
{
    int kind = operation & ~4;
    if (operation & 32) /* LOCK_MAND: once something, now nothing */
        return 0;
    if (kind != 1 && kind != 2 && kind != 8)
        return fails(INVALID);
    if (fcntl(d, 1) < 0)
        return -1;
    __csgtest_approximated("locks on files always succeed");
    return 0;
}

int lockf(int d, int command, long size)
{
    if ((unsigned) command > 3)
        return fails(INVALID);
    int flags = fcntl(d, 3), before = __csgtest_errno;
    if (flags < 0)
        return -1;
    long at = lseek(d, 0, 1);
    if (at < 0)
        at = 0, __csgtest_errno = before;
    if (size < 0 && at + size < 0)
        return fails(INVALID);
    if (size > 0 && size - 1 > 0x7fffffffffffffff - at)
        return fails(TOO_LARGE);
    if ((command == 1 || command == 2) && !(flags & 3))
        return fails(BAD_DESCRIPTOR);
    __csgtest_approximated("locks on files always succeed");
    return 0;
}

int lockf64(int d, int command, long size) { return lockf(d, command, size); }
void sync(void) {}
int syncfs(int d) { return fcntl(d, 1) < 0 ? -1 : 0; }
