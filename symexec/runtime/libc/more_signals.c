/* What signal.h has beyond C: a process that nobody else sends signals to.
 *
 *     kill(getpid(), SIGTERM)   ->   as raise(SIGTERM) */

/* Effects of calls, as csg/ir/library_effects.py reads them:
 *     alarm: nothing
 *     kill: writes errno
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
extern int getpid(void);
extern const char *sigdescr_np(int number);
extern int fprintf(FILE *to, const char *format, ...);
extern void *memset(void *to, int value, size_t n);
extern void __csgtest_approximated(const char *what);
extern void __csgtest_unsupported(const char *what) __attribute__((noreturn));

enum { SIGNALS = 65, WORDS = 16, NOT_PERMITTED = 1, NO_PROCESS = 3, INVALID = 22, DISABLED = 2 };

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
    (void) flag;
    if (number > 0 && number < SIGNALS && number != 9 && number != 19 && number != 32 && number != 33)
        return 0;
    __csgtest_errno = INVALID;
    return -1;
}

int sigaltstack(const void *new, void *old)
{
    (void) new;
    if (old)
        memset(old, 0, 24), ((int *) old)[2] = DISABLED;
    return 0;
}

/* Nothing comes. */
int pause(void) { __csgtest_unsupported("waiting for a signal"); }
int sigsuspend(const unsigned long *set) { (void) set, __csgtest_unsupported("waiting for a signal"); }
int sigwait(const unsigned long *set, int *number)
{
    (void) set, (void) number;
    __csgtest_unsupported("waiting for a signal");
}

/* No second ever passes. */
struct timeval { long seconds, microseconds; };
struct itimerval { struct timeval every, left; };

static struct itimerval timers[3];

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
    return 0;
}

unsigned alarm(unsigned seconds)
{
    struct timeval left = timers[0].left;
    timers[0].every.seconds = timers[0].every.microseconds = timers[0].left.microseconds = 0;
    timers[0].left.seconds = seconds;
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
