/* What string.h and strings.h have beyond C and are seldom called: POSIX and glibc's additions.
 *
 *     strverscmp("file9", "file10")   ->   negative: numbers in names are compared as numbers */

/* Effects of calls, as csg/ir/library_effects.py reads them:
 *     basename: reads 0.., returns 0 1
 *     dirname: reads 0, writes 0, returns 0
 *     ffsl ffsll: nothing
 *     strcasecmp_l strcoll_l strncasecmp_l strsignal strverscmp: reads 0..
 *     strxfrm_l: reads 1, writes 0 */

typedef unsigned long size_t;
typedef unsigned char byte;

extern int __csgtest_errno;
extern int strcmp(const char *a, const char *b);
extern int strcasecmp(const char *a, const char *b);
extern int strncasecmp(const char *a, const char *b, size_t n);
extern int strcoll(const char *a, const char *b);
extern size_t strxfrm(char *to, const char *from, size_t room);
extern int memcmp(const void *a, const void *b, size_t n);
extern char *stpcpy(char *to, const char *from);
extern char *stpncpy(char *to, const char *from, size_t n);
extern char *strerror(int number);
extern char *strrchr(const char *s, int c);
extern size_t strlen(const char *s);
extern void *memcpy(void *to, const void *from, size_t n);
extern int sprintf(char *to, const char *format, ...);

/* ---------------------------------------------------------------------- the same under other names */

int strcasecmp_l(const char *a, const char *b, void *locale) { return (void) locale, strcasecmp(a, b); }
int strcoll_l(const char *a, const char *b, void *locale) { return (void) locale, strcoll(a, b); }
char *strerror_l(int number, void *locale) { return (void) locale, strerror(number); }
void swab(const void *from, void *to, long n)
{
    const char *source = from;
    char *goal = to;
    for (n &= ~1l; n > 0; n -= 2, source += 2, goal += 2) {
        char first = source[0];
        goal[0] = source[1];
        goal[1] = first;
    }
}

char *__stpcpy(char *to, const char *from) { return stpcpy(to, from); }
char *__stpncpy(char *to, const char *from, size_t n) { return stpncpy(to, from, n); }
int __memcmpeq(const void *a, const void *b, size_t n) { return memcmp(a, b, n); }

int strncasecmp_l(const char *a, const char *b, size_t n, void *locale)
{
    (void) locale;
    return strncasecmp(a, b, n);
}

size_t strxfrm_l(char *to, const char *from, size_t room, void *locale)
{
    (void) locale;
    return strxfrm(to, from, room);
}

/* GNU's, which returns the text; POSIX's is __xpg_strerror_r. */
char *strerror_r(int number, char *to, size_t room)
{
    char *text = strerror(number);
    if (number >= 0 && text[0] != 'U')
        return text;
    size_t n = strlen(text);
    if (room) {
        size_t have = n < room ? n : room - 1;
        memcpy(to, text, have);
        to[have] = 0;
    }
    return to;
}

/* ---------------------------------------------------------------------- bits */

int ffsl(long n)
{
    for (int i = 0; i < 64; i++)
        if ((unsigned long) n >> i & 1)
            return i + 1;
    return 0;
}

int ffsll(long long n) { return ffsl(n); }

void *memfrob(void *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ((byte *) s)[i] ^= 42;
    return s;
}

/* ---------------------------------------------------------------------- parts of paths */

/* GNU's basename; __xpg_basename is POSIX's, which changes its argument. */
char *basename(const char *path)
{
    char *slash = strrchr(path, '/');
    return slash ? slash + 1 : (char *) path;
}

char *__xpg_basename(char *path)
{
    if (!path || !*path)
        return (char *) ".";
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        path[--n] = 0;
    if (n == 1)
        return path;
    return basename(path);
}

/* The slashes in front of a name go; of exactly two at the start of a path both stay. */
static size_t without_slashes(const char *path, size_t n)
{
    size_t all = n;
    while (n > 1 && path[n - 1] == '/')
        n--;
    return n == 1 && all == 2 && path[0] == '/' ? 2 : n;
}

char *dirname(char *path)
{
    size_t n = path ? without_slashes(path, strlen(path)) : 0;
    while (n && path[n - 1] != '/')
        n--;
    if (!n)
        return (char *) ".";
    path[without_slashes(path, n)] = 0;
    return path;
}

/* ---------------------------------------------------------------------- versions in names */

static int is_digit(byte c) { return (unsigned) c - '0' < 10; }

/* At the first difference, runs of digits count: a run that begins with 0 is a fraction, where the
 * longer run of zeros is the smaller one; else the longer number is the larger. */
int strverscmp(const char *a, const char *b)
{
    const byte *p = (const byte *) a, *q = (const byte *) b;
    size_t i = 0, run;
    while (p[i] == q[i]) {
        if (!p[i])
            return 0;
        i++;
    }
    for (run = i; run > 0 && is_digit(p[run - 1]); run--)
        ;
    int difference = p[i] - q[i], x = is_digit(p[i]), y = is_digit(q[i]);
    if (run < i && p[run] == '0') {
        int zeros = 1;
        for (size_t j = run; j < i; j++)
            zeros &= p[j] == '0';
        return zeros & (x != y) ? y - x : difference;
    }
    if (run == i && (!(x & y) || p[i] == '0' || q[i] == '0'))
        return difference;
    size_t m = i, n = i;
    while (is_digit(p[m]))
        m++;
    while (is_digit(q[n]))
        n++;
    return m != n ? (m > n ? 1 : -1) : difference;
}

/* ---------------------------------------------------------------------- signals' names */

static const char *const abbreviations[] = {
    0,      "HUP",  "INT",  "QUIT", "ILL",  "TRAP", "ABRT",   "BUS",  "FPE",  "KILL", "USR1",
    "SEGV", "USR2", "PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN",
    "TTOU", "URG",  "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "POLL", "PWR", "SYS",
};

static const char *const descriptions[] = {
    0,
    "Hangup",
    "Interrupt",
    "Quit",
    "Illegal instruction",
    "Trace/breakpoint trap",
    "Aborted",
    "Bus error",
    "Floating point exception",
    "Killed",
    "User defined signal 1",
    "Segmentation fault",
    "User defined signal 2",
    "Broken pipe",
    "Alarm clock",
    "Terminated",
    "Stack fault",
    "Child exited",
    "Continued",
    "Stopped (signal)",
    "Stopped",
    "Stopped (tty input)",
    "Stopped (tty output)",
    "Urgent I/O condition",
    "CPU time limit exceeded",
    "File size limit exceeded",
    "Virtual timer expired",
    "Profiling timer expired",
    "Window changed",
    "I/O possible",
    "Power failure",
    "Bad system call",
};

const char *sigabbrev_np(int number) { return (unsigned) number < 32 ? abbreviations[number] : 0; }
const char *sigdescr_np(int number) { return (unsigned) number < 32 ? descriptions[number] : 0; }

char *strsignal(int number)
{
    static char unknown[40];
    if (sigdescr_np(number))
        return (char *) sigdescr_np(number);
    if (number >= 34 && number <= 64)
        sprintf(unknown, "Real-time signal %d", number - 34);
    else
        sprintf(unknown, "Unknown signal %d", number);
    return unknown;
}
