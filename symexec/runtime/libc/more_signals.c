/* What signal.h has beyond C: a process that nobody else sends signals to.
 *
 *     kill(getpid(), SIGTERM)   ->   as raise(SIGTERM) */

/* Effects of calls, as csg/ir/library_effects.py reads them:
 *     psignal: code, output */

typedef unsigned long size_t;
typedef void handler(int);

typedef union {
    int descriptor;
    char room[216];
} FILE;

extern FILE *stderr;
extern int __csgtest_errno;
extern int raise(int number);
extern handler *signal(int number, handler *function);
extern int sigprocmask(int how, const unsigned long *set, unsigned long *old);
extern int sigpending(unsigned long *set);
extern int getpid(void);
extern const char *sigdescr_np(int number);
extern int fprintf(FILE *to, const char *format, ...);
extern void *memset(void *to, int value, size_t n);
extern void __csgtest_approximated(const char *what);
extern void __csgtest_unsupported(const char *what) __attribute__((noreturn));

enum { SIGNALS = 65, WORDS = 16, NOT_PERMITTED = 1, NO_PROCESS = 3, INTERRUPTED = 4, NO_MEMORY = 12 };
enum { INVALID = 22, DISABLED = 2, LEAST = 2048, AGAIN = 0x10000000 /* SA_RESTART */ };

struct sigaction {
    handler *function;
    unsigned long mask[16];
    int flags;
    void (*restorer)(void);
};

extern unsigned long __csgtest_interrupting;
extern int sigaction(int number, const struct sigaction *new, struct sigaction *old);

int __libc_current_sigrtmin(void) { return 34; }
int __libc_current_sigrtmax(void) { return 64; }

int kill(int process, int number)
{
    if (number < 0 || number >= SIGNALS) {
        __csgtest_errno = INVALID;
        return -1;
    }
    if (process != getpid() && process != 0) {
        __csgtest_errno = process == 1 ? NOT_PERMITTED : NO_PROCESS;
        return -1;
    }
    return number ? raise(number) : 0;
}

int killpg(int group, int number) { return kill(group, number); }
int gsignal(int number) { return raise(number); }
int pthread_kill(unsigned long thread, int number) { return (void) thread, raise(number) ? INVALID : 0; }
handler *bsd_signal(int number, handler *function) { return signal(number, function); }
handler *ssignal(int number, handler *function) { return signal(number, function); }

int siginterrupt(int number, int flag)
{
    struct sigaction action;
    if (sigaction(number, 0, &action))
        return -1;
    unsigned long bit = 1UL << (number - 1), others = __csgtest_interrupting & ~bit;
    if (number != 9 && number != 19)
        __csgtest_interrupting = flag ? others | bit : others;
    action.flags = flag ? action.flags & ~AGAIN : action.flags | AGAIN;
    return sigaction(number, &action, 0);
}

/* The stack is never used; builds with sanitizers begin with one of their own. */
struct stack { void *at; int flags; size_t size; };

static struct stack alternative = {0, DISABLED, 0};

int sigaltstack(const struct stack *new, struct stack *old)
{
    static const struct stack none = {0, DISABLED, 0};
    struct stack set = new ? *new : none;
    int is_none = (set.flags & DISABLED) != 0;
    if (set.flags & 0x7ffffffc || (!is_none && set.size < LEAST)) {
        __csgtest_errno = set.flags & 0x7ffffffc ? INVALID : NO_MEMORY;
        return -1;
    }
    if (old)
        *old = alternative;
    if (new) {
        alternative = is_none ? none : set;
        alternative.flags &= ~1; /* SS_ONSTACK */
    }
    return 0;
}

int sigwait(const unsigned long *set, int *number)
{
    (void) set, (void) number;
    __csgtest_unsupported("waiting for a signal");
}

/* No second ever passes but where the program waits for a signal. */
struct timeval { long seconds, microseconds; };
struct itimerval { struct timeval every, left; };

static struct itimerval timers[3];

static int is_set(int which) { return (timers[which].left.seconds | timers[which].left.microseconds) != 0; }

/* Signals of timers: SIGALRM, SIGVTALRM, SIGPROF. */
static int signal_of(int which) { return which == 0 ? 14 : 25 + which; }

/* A timer that began natively ends at any later moment; here where the program waits for it. */
static void begin(int which)
{
    if (is_set(which))
        __csgtest_approximated("a timer ends only where the program waits for a signal");
}

static void wait_for_signal(void)
{
    if (!is_set(0))
        __csgtest_unsupported("waiting for a signal");
    timers[0].left = timers[0].every;
    raise(signal_of(0));
    __csgtest_errno = INTERRUPTED;
}

int pause(void) { return wait_for_signal(), -1; }

int sigsuspend(const unsigned long *set)
{
    unsigned long before[WORDS], waiting[WORDS];
    sigprocmask(2 /* SIG_SETMASK */, 0, before);
    sigpending(waiting);
    if (waiting[0] & ~set[0]) {
        sigprocmask(2, set, 0); /* they are delivered */
        __csgtest_errno = INTERRUPTED;
    } else {
        sigprocmask(2, set, 0);
        wait_for_signal();
    }
    sigprocmask(2, before, 0);
    return -1;
}

static int told(int which, struct itimerval *to)
{
    if ((unsigned) which > 2) {
        __csgtest_errno = INVALID;
        return -1;
    }
    if (to)
        *to = timers[which];
    return 0;
}

int getitimer(int which, struct itimerval *to)
{
    if ((unsigned) which < 3 && timers[which].left.seconds | timers[which].left.microseconds)
        __csgtest_approximated("the time of a timer stands still");
    return told(which, to);
}

static int is_no_time(const struct timeval *t)
{
    return (t->seconds < 0) | ((unsigned long) t->microseconds > 999999);
}

int setitimer(int which, const struct itimerval *new, struct itimerval *old)
{
    static const struct itimerval none;
    struct itimerval set = new ? *new : none;
    if (is_no_time(&set.every) | is_no_time(&set.left)) {
        __csgtest_errno = INVALID;
        return -1;
    }
    if (old ? getitimer(which, old) : told(which, 0))
        return -1;
    if (!which && !(set.left.seconds | set.left.microseconds))
        set.every = none.every; /* ITIMER_REAL, stopped; the others keep it */
    timers[which] = set;
    begin(which);
    return 0;
}

unsigned alarm(unsigned seconds)
{
    struct timeval left = timers[0].left;
    timers[0].every.seconds = timers[0].every.microseconds = timers[0].left.microseconds = 0;
    timers[0].left.seconds = seconds;
    begin(0);
    return (unsigned) left.seconds + (left.microseconds >= 500000 || (!left.seconds && left.microseconds));
}

int sigisemptyset(const unsigned long *set)
{
    int any = 0; /* so in glibc, whose answer knows the lower half of each word alone */
    for (int i = 0; i < WORDS; i++)
        any |= (int) set[i];
    return !any;
}

int sigorset(unsigned long *to, const unsigned long *a, const unsigned long *b)
{
    for (int i = 0; i < WORDS; i++)
        to[i] = a[i] | b[i];
    return 0;
}

int sigandset(unsigned long *to, const unsigned long *a, const unsigned long *b)
{
    for (int i = 0; i < WORDS; i++)
        to[i] = a[i] & b[i];
    return 0;
}

void psignal(int number, const char *text)
{
    int told = text && *text;
    const char *known = sigdescr_np(number);
    fprintf(stderr, "%s%s", told ? text : "", told ? ": " : "");
    if (known)
        fprintf(stderr, "%s\n", known);
    else
        fprintf(stderr, "Unknown signal %d\n", number);
}
