/* The system around one process: a clock that stands but for sleep, signals that are only noted, constant
 * numbers.
 *
 *     time(0)               ->  1600000000
 *     sleep(5), time(0)     ->  1600000005, at once
 *     signal(SIGINT, f)     ->  the handler that was there; f runs when the process sends itself
 *                               the signal: by raise, kill or abort */

/* Effects of calls, as csg/ir/library_effects.py reads them:
 *     clock getegid geteuid getgid getpagesize getpid getuid posix_fadvise: nothing
 *     abort: code, output
 *     sleep sysconf: writes errno
 *     time: writes 0 */

typedef unsigned long size_t;
typedef void handler(int);

extern int __csgtest_errno;
extern void __csgtest_approximated(const char *what);
extern void *memcpy(void *to, const void *from, size_t n);
extern void *memset(void *to, int value, size_t n);
extern void __csgtest_killed(int number) __attribute__((noreturn));
extern void __csgtest_unsupported(const char *what) __attribute__((noreturn));
extern void __csgtest_abort(void) __attribute__((noreturn));

enum { NOW = 1600000000, SIGNALS = 65, INVALID = 22, NO_SUCH_SYSTEM_CALL = 38 };
enum { SECOND = 1000000000, AGAIN = 0x10000000 /* SA_RESTART */ };
#define LONGEST (1L << 40) /* seconds */

struct timespec { long seconds, nanoseconds; };

static struct timespec now = {NOW, 0};
static unsigned long looks; /* at the clock: a loop that waits for it does not come to the same state again */

long time(long *at)
{
    looks++;
    if (at)
        *at = now.seconds;
    return now.seconds;
}

long clock(void) { return looks++, 0; }

enum { PROCESS_CLOCK = 2, THREAD_CLOCK, ALARM_CLOCK = 8, WAKING_CLOCK, NO_CLOCK, CLOCKS = 12 };

/* Is there such a clock? Those with negative numbers belong to processes, threads and devices. */
static int is_clock(int clock)
{
    if (clock < 0 || clock == PROCESS_CLOCK || clock == THREAD_CLOCK)
        __csgtest_approximated("the clocks of processes and threads stand");
    if (clock == ALARM_CLOCK || clock == WAKING_CLOCK)
        __csgtest_approximated("the machine can wake up by itself");
    return clock < CLOCKS && clock != NO_CLOCK;
}

int clock_gettime(int clock, struct timespec *at)
{
    if (!is_clock(clock)) {
        __csgtest_errno = INVALID;
        return -1;
    }
    looks++;
    *at = now;
    return 0;
}

int gettimeofday(struct timespec *at, void *zone)
{
    (void) zone;
    looks++;
    at->seconds = now.seconds;
    at->nanoseconds = now.nanoseconds / 1000;
    return 0;
}

/* Natively sleeping takes no time either (replay/sleeping.c). */
int nanosleep(const struct timespec *asked, struct timespec *left)
{
    (void) left;
    if (asked->seconds < 0 || (unsigned long) asked->nanoseconds >= SECOND) {
        __csgtest_errno = INVALID;
        return -1;
    }
    if (asked->seconds > LONGEST)
        __csgtest_unsupported("sleeping for ever");
    now.seconds += asked->seconds;
    now.nanoseconds += asked->nanoseconds;
    if (now.nanoseconds >= SECOND) {
        now.seconds++;
        now.nanoseconds -= SECOND;
    }
    return 0;
}

int clock_nanosleep(int clock, int flags, const struct timespec *asked, struct timespec *left)
{
    struct timespec until = *asked;
    (void) clock;
    if (until.seconds < 0 || (unsigned long) until.nanoseconds >= SECOND)
        return INVALID;
    if (flags & 1) {
        looks++;
        if (until.seconds < now.seconds || (until.seconds == now.seconds && until.nanoseconds <= now.nanoseconds))
            return 0;
        until.seconds -= now.seconds;
        until.nanoseconds -= now.nanoseconds;
        if (until.nanoseconds < 0) {
            until.seconds--;
            until.nanoseconds += SECOND;
        }
    }
    return nanosleep(&until, left);
}

unsigned sleep(unsigned seconds) { return nanosleep(&(struct timespec) {seconds, 0}, 0), 0; }
int usleep(unsigned n) { return nanosleep(&(struct timespec) {n / 1000000, n % 1000000 * 1000}, 0); }

/* ---------------------------------------------------------------------- signals */

struct sigaction {
    handler *function;
    unsigned long mask[16];
    int flags;
    void (*restorer)(void);
};

/* Sets have a bit for each signal; glibc keeps two of them (32 and 33) for itself. */
#define BIT(number) (1UL << ((number) - 1))
#define OWN (BIT(32) | BIT(33))

static struct sigaction actions[SIGNALS];
unsigned long __csgtest_interrupting; /* by siginterrupt */

extern int getpid(void);
extern unsigned getuid(void);

int sigaction(int number, const struct sigaction *new, struct sigaction *old)
{
    if (number <= 0 || number >= SIGNALS || number == 32 || number == 33 || ((number == 9 || number == 19) && new)) {
        __csgtest_errno = INVALID;
        return -1;
    }
    if (old)
        *old = actions[number];
    if (new)
        actions[number] = *new;
    return 0;
}

enum { INTERRUPTING = 0x20000000, NOT_BLOCKED = 0x40000000 };
#define ONCE 0x80000000u

handler *signal(int number, handler *function)
{
    if (number <= 0 || number >= SIGNALS || number == 9 || number == 19 || number == 32 || number == 33) {
        __csgtest_errno = INVALID;
        return (handler *) -1L;
    }
    handler *before = actions[number].function;
    actions[number].function = function;
    actions[number].mask[0] = BIT(number);
    actions[number].flags = __csgtest_interrupting & BIT(number) ? 0 : AGAIN;
    return before;
}

/* The signal function of System V, for -D_XOPEN_SOURCE without more: the handler runs once, and the
 * signal is not blocked while it runs. */
handler *__sysv_signal(int number, handler *function)
{
    handler *before = signal(number, function);
    if (before == (handler *) -1L)
        return before;
    actions[number].mask[0] = 0;
    actions[number].flags = (int) ONCE | NOT_BLOCKED | INTERRUPTING;
    return before;
}

handler *sysv_signal(int number, handler *function) { return __sysv_signal(number, function); }

unsigned long __csgtest_blocked; /* sigsetjmp saves it */
static unsigned long pending;
#define blocked __csgtest_blocked

static int invalid(void)
{
    __csgtest_errno = INVALID;
    return -1;
}

/* What SA_SIGINFO passes: a thread of this process sent the signal. */
struct information { int number, error, code, room, process; unsigned user; char rest[104]; };
typedef void detailed(int, struct information *, void *);

enum { BY_THREAD = -6, DETAILED = 4 };

static void deliver_pending(void);

static void call(int number)
{
    struct sigaction *action = &actions[number];
    handler *function = action->function;
    unsigned flags = (unsigned) action->flags;
    unsigned long before = blocked;
    blocked |= (action->mask[0] | (flags & NOT_BLOCKED ? 0 : BIT(number))) & ~(OWN | BIT(9) | BIT(19));
    if (flags & ONCE)
        action->function = 0;
    if (flags & DETAILED) {
        struct information known;
        memset(&known, 0, sizeof known);
        known.number = number;
        known.code = BY_THREAD;
        known.process = getpid();
        known.user = getuid();
        ((detailed *) function)(number, &known, 0);
    } else
        function(number);
    blocked = before; /* a handler left by longjmp leaves it as it is */
    deliver_pending();
}

static void deliver(int number)
{
    handler *function = actions[number].function;
    if (function == (handler *) 1L)
        return;
    if (function) {
        call(number);
        return;
    }
    if (number == 17 || number == 18 || number == 23 || number == 28)
        return;
    if (number >= 19 && number <= 22)
        __csgtest_unsupported("a signal that stops the process");
    if (number == 6)
        __csgtest_abort();
    __csgtest_killed(number);
}

static void deliver_pending(void)
{
    for (int number = 1; pending & ~blocked; number++)
        if (pending & ~blocked & BIT(number)) {
            pending &= ~BIT(number);
            deliver(number);
        }
}

int raise(int number)
{
    if (number < 0 || number >= SIGNALS)
        return invalid();
    if (number && blocked & BIT(number))
        pending |= BIT(number);
    else if (number)
        deliver(number);
    return 0;
}

/* The signal is not blocked, and has its handler once; then the default ends the process. */
void abort(void)
{
    blocked &= ~BIT(6);
    raise(6);
    __csgtest_abort();
}

int sigemptyset(unsigned long *set) { return memset(set, 0, 128), 0; }

int sigfillset(unsigned long *set)
{
    memset(set, 255, 128);
    set[0] &= ~OWN;
    return 0;
}

static int is_other(int n) { return (unsigned) n - 1 >= SIGNALS - 1; }
static int is_own(int n) { return (unsigned) n - 32 < 2; }

int sigaddset(unsigned long *set, int n) { return is_other(n) | is_own(n) ? invalid() : (set[0] |= BIT(n), 0); }
int sigdelset(unsigned long *set, int n) { return is_other(n) | is_own(n) ? invalid() : (set[0] &= ~BIT(n), 0); }
int sigismember(const unsigned long *set, int n) { return is_other(n) ? invalid() : (int) (set[0] >> (n - 1) & 1); }

int sigpending(unsigned long *set)
{
    memset(set, 0, 128);
    set[0] = pending;
    return 0;
}

int sigprocmask(int how, const unsigned long *set, unsigned long *old)
{
    unsigned long given = set ? set[0] : 0, before = blocked;
    if (set && (unsigned) how > 2)
        return invalid();
    if (set)
        blocked = (how == 0 ? blocked | given : how == 1 ? blocked & ~given : given)
                  & ~(OWN | BIT(9) | BIT(19));
    if (old) {
        memset(old, 0, 128);
        old[0] = before;
    }
    deliver_pending();
    return 0;
}

/* ---------------------------------------------------------------------- numbers that never change */

static int process(int number)
{
    __csgtest_approximated("processes have numbers of no meaning");
    return number;
}

int getpid(void) { return process(4242); }
int getppid(void) { return process(4241); }
unsigned getuid(void) { return 1000; }
unsigned geteuid(void) { return 1000; }
unsigned getgid(void) { return 1000; }
unsigned getegid(void) { return 1000; }
int getpagesize(void) { return 4096; }

long sysconf(int name)
{
    switch (name) {
    case 2:
        return 100; /* ticks */
    case 4:
        return 256; /* open files */
    case 30:
        return 4096; /* the size of a page */
    case 83:
    case 84:
        __csgtest_approximated("there is one processor");
        return 1;
    case 85: /* pages there are, */
    case 86: /* and free ones */
        __csgtest_approximated("there is a gigabyte of memory, half of it free");
        return name == 85 ? 262144 : 131072;
    default:
        if (name < 0 || name > 250)
            __csgtest_errno = INVALID;
        else
            __csgtest_approximated("what sysconf says of this system is not known");
        return -1;
    }
}

/* One processor. */
int sched_getaffinity(int process, size_t size, unsigned char *set)
{
    (void) process;
    if (size < 8 || size % 8) {
        __csgtest_errno = INVALID;
        return -1;
    }
    __csgtest_approximated("there is one processor");
    memset(set, 0, size);
    set[0] = 1;
    return 0;
}

int __sched_cpucount(size_t size, const unsigned char *set)
{
    int count = 0;
    for (size_t i = 0; i < 8 * size; i++)
        count += set[i / 8] >> i % 8 & 1;
    return count;
}

struct rlimit { unsigned long now, most; };

enum { CPU, FILE_SIZE, STACK = 3, CORE, PROCESSES = 6, OPEN_FILES, LOCKED, ADDRESSES, RESOURCES = 16 };

static struct rlimit limits[RESOURCES]; /* as the program has set them, */
static unsigned set_by_program; /* a bit for each */

/* As in replay. */
int getrlimit(int resource, struct rlimit *limit)
{
    if ((unsigned) resource >= RESOURCES) {
        __csgtest_errno = INVALID;
        return -1;
    }
    if (set_by_program >> resource & 1) {
        *limit = limits[resource];
        return 0;
    }
    unsigned long most = ~0UL;
    switch (resource) {
    case FILE_SIZE:
    case STACK:
        most = 8 << 20;
        break;
    case CORE:
        most = 0;
        break;
    case OPEN_FILES:
        most = 256;
        break;
    case LOCKED:
        most = 65536;
        break;
    case ADDRESSES: /* of builds with sanitizers none */
        most = 1 << 30;
        __csgtest_approximated("addresses are limited to a gigabyte");
        break;
    case CPU:
    case PROCESSES:
        __csgtest_approximated("there is no limit on time and processes");
    }
    limit->now = limit->most = most;
    return 0;
}

int getrlimit64(int resource, struct rlimit *limit) { return getrlimit(resource, limit); }
int setrlimit(int resource, const struct rlimit *limit)
{
    struct rlimit known;
    if ((unsigned) resource >= RESOURCES || limit->now > limit->most) {
        __csgtest_errno = INVALID;
        return -1;
    }
    getrlimit(resource, &known);
    if (limit->most > known.most) {
        __csgtest_errno = 1; /* EPERM */
        return -1;
    }
    __csgtest_approximated("a limit that is set is not felt");
    limits[resource] = *limit;
    set_by_program |= 1u << resource;
    return 0;
}

int setrlimit64(int resource, const struct rlimit *limit) { return setrlimit(resource, limit); }

struct rusage { long words[18]; };

int getrusage(int who, struct rusage *usage) { return (void) who, memset(usage, 0, sizeof *usage), 0; }

int posix_fadvise(int d, long from, long size, int advice)
{
    (void) d, (void) from;
    return size < 0 || (unsigned) advice > 5 ? INVALID : 0;
}

int posix_fadvise64(int d, long from, long size, int advice)
{
    return posix_fadvise(d, from, size, advice);
}

/* ---------------------------------------------------------------------- numbers of devices */

unsigned gnu_dev_major(unsigned long device)
{
    return (unsigned) ((device >> 8 & 0xfff) | (device >> 32 & 0xfffff000));
}

unsigned gnu_dev_minor(unsigned long device)
{
    return (unsigned) ((device & 0xff) | (device >> 12 & 0xffffff00));
}

unsigned long gnu_dev_makedev(unsigned major, unsigned minor)
{
    return (major & 0xfffUL) << 8 | (major & 0xfffff000UL) << 32 | (minor & 0xffUL)
           | (minor & 0xffffff00UL) << 12;
}
