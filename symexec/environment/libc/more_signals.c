/* What signal.h has beyond C: a process that nobody else sends signals to.
 *
 *     kill(getpid(), SIGTERM)   ->   as raise(SIGTERM) */

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
extern char *strsignal(int number);
extern int fprintf(FILE *to, const char *format, ...);
extern void *memset(void *to, int value, size_t n);
extern void __csgtest_unsupported(const char *what) __attribute__((noreturn));

enum { SIGNALS = 65, WORDS = 16, NOT_PERMITTED = 1, NO_PROCESS = 3, INVALID = 22 };

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
int pthread_kill(unsigned long thread, int number) { return (void) thread, number ? raise(number) : 0; }
handler *bsd_signal(int number, handler *function) { return signal(number, function); }
handler *ssignal(int number, handler *function) { return signal(number, function); }
int siginterrupt(int number, int flag) { return (void) number, (void) flag, 0; }

int sigaltstack(const void *new, void *old)
{
    (void) new;
    if (old)
        memset(old, 0, 24);
    return 0;
}

/* Nothing is pending, and nothing comes. */
int sigpending(unsigned long *set) { return memset(set, 0, 8 * WORDS), 0; }
int pause(void) { __csgtest_unsupported("waiting for a signal"); }
int sigsuspend(const unsigned long *set) { (void) set, __csgtest_unsupported("waiting for a signal"); }
int sigwait(const unsigned long *set, int *number)
{
    (void) set, (void) number;
    __csgtest_unsupported("waiting for a signal");
}
unsigned alarm(unsigned seconds) { return (void) seconds, 0; }

int sigisemptyset(const unsigned long *set)
{
    unsigned long any = 0;
    for (int i = 0; i < WORDS; i++)
        any |= set[i];
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
    fprintf(stderr, "%s%s%s\n", told ? text : "", told ? ": " : "", strsignal(number));
}
