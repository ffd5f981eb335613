/* Strings of wide characters, C17 7.29.4: as string.c does for bytes, one decision a character where
 * there can be one. Numbers are read from a narrow copy.
 *
 *     wcschr(L"abc", L'b')   ->   L"bc" */

/* Effects of calls, as csg/ir/library_effects.py reads them:
 *     wcpcpy wcpncpy wcscat wcscpy wcsncat wcsncpy wmemcpy wmemmove wmempcpy: reads 0 1, writes 0,
 *         returns 0, copies 0:1
 *     wcscasecmp wcscmp wcscoll wcscspn wcsncasecmp wcsncmp wcsnlen wcsspn wmemcmp: reads 0..
 *     wcschr wcschrnul wcspbrk wcsrchr wcsstr wmemchr: reads 0.., returns 0 1
 *     wcsdup: reads 0, writes errno, fresh
 *     wcstod wcstof wcstoimax wcstol wcstold wcstoll wcstoul wcstoull wcstoumax: reads 0, writes 1
 *         errno, keeps 1:0
 *     wmemset: writes 0, returns 0 */

typedef unsigned long size_t;
typedef int wchar_t;
typedef unsigned wint_t;

extern void *memcpy(void *to, const void *from, size_t n);
extern void *memmove(void *to, const void *from, size_t n);
extern void *malloc(size_t n);
extern void free(void *p);
extern size_t wcslen(const wchar_t *s);
extern int __csgtest_errno;
extern long strtol(const char *s, char **end, int base);
extern unsigned long strtoul(const char *s, char **end, int base);
extern double strtod(const char *s, char **end);
extern float strtof(const char *s, char **end);
extern long double strtold(const char *s, char **end);

size_t wcsnlen(const wchar_t *s, size_t n)
{
    size_t i = 0;
    while (i < n && s[i])
        i++;
    return i;
}

/* ---------------------------------------------------------------------- copying */

wchar_t *wmemcpy(wchar_t *to, const wchar_t *from, size_t n) { return memcpy(to, from, n * sizeof *to); }
wchar_t *wmemmove(wchar_t *to, const wchar_t *from, size_t n) { return memmove(to, from, n * sizeof *to); }
wchar_t *wmempcpy(wchar_t *to, const wchar_t *from, size_t n) { return wmemcpy(to, from, n) + n; }

wchar_t *wmemset(wchar_t *to, wchar_t c, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = c;
    return to;
}

wchar_t *wcscpy(wchar_t *to, const wchar_t *from) { return wmemcpy(to, from, wcslen(from) + 1); }

wchar_t *wcpcpy(wchar_t *to, const wchar_t *from)
{
    size_t n = wcslen(from);
    wmemcpy(to, from, n + 1);
    return to + n;
}

wchar_t *wcpncpy(wchar_t *to, const wchar_t *from, size_t n)
{
    size_t have = wcsnlen(from, n);
    wmemcpy(to, from, have);
    wmemset(to + have, 0, n - have);
    return to + have;
}

wchar_t *wcsncpy(wchar_t *to, const wchar_t *from, size_t n)
{
    wcpncpy(to, from, n);
    return to;
}

wchar_t *wcscat(wchar_t *to, const wchar_t *from)
{
    wcscpy(to + wcslen(to), from);
    return to;
}

wchar_t *wcsncat(wchar_t *to, const wchar_t *from, size_t n)
{
    wchar_t *end = to + wcslen(to);
    size_t have = wcsnlen(from, n);
    wmemcpy(end, from, have);
    end[have] = 0;
    return to;
}

wchar_t *wcsdup(const wchar_t *s)
{
    size_t n = wcslen(s) + 1;
    wchar_t *copy = malloc(n * sizeof *copy);
    return copy ? wmemcpy(copy, s, n) : 0;
}

size_t wcsxfrm(wchar_t *to, const wchar_t *from, size_t room)
{
    size_t n = wcslen(from);
    if (room)
        wmemcpy(to, from, n < room ? n + 1 : room);
    return n;
}

/* ---------------------------------------------------------------------- comparing */

int wcscmp(const wchar_t *a, const wchar_t *b)
{
    for (;; a++, b++) {
        if (*a != *b)
            return *a < *b ? -1 : 1;
        if (!*b)
            return 0;
    }
}

int wcsncmp(const wchar_t *a, const wchar_t *b, size_t n)
{
    for (; n; a++, b++, n--) {
        if (*a != *b)
            return *a < *b ? -1 : 1;
        if (!*b)
            return 0;
    }
    return 0;
}

int wmemcmp(const wchar_t *a, const wchar_t *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

int wcscoll(const wchar_t *a, const wchar_t *b) { return wcscmp(a, b); }

static int lower(wchar_t c) { return c + (((unsigned) c - 'A' < 26) << 5); }

int wcscasecmp(const wchar_t *a, const wchar_t *b)
{
    for (;; a++, b++) {
        int x = lower(*a), y = lower(*b);
        if (x != y)
            return x - y;
        if (!y)
            return 0;
    }
}

int wcsncasecmp(const wchar_t *a, const wchar_t *b, size_t n)
{
    for (; n; a++, b++, n--) {
        int x = lower(*a), y = lower(*b);
        if (x != y)
            return x - y;
        if (!y)
            return 0;
    }
    return 0;
}

/* ---------------------------------------------------------------------- searching */

wchar_t *wcschr(const wchar_t *s, wchar_t c)
{
    for (;; s++) {
        if (*s == c)
            return (wchar_t *) s;
        if (!*s)
            return 0;
    }
}

wchar_t *wcschrnul(const wchar_t *s, wchar_t c)
{
    for (;; s++)
        if ((*s == c) | !*s)
            return (wchar_t *) s;
}

wchar_t *wcsrchr(const wchar_t *s, wchar_t c)
{
    const wchar_t *found = 0;
    for (;; s++) {
        if (*s == c)
            found = s;
        if (!*s)
            return (wchar_t *) found;
    }
}

wchar_t *wmemchr(const wchar_t *s, wchar_t c, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (s[i] == c)
            return (wchar_t *) s + i;
    return 0;
}

wchar_t *wcsstr(const wchar_t *s, const wchar_t *wanted)
{
    size_t n = wcslen(wanted);
    if (!n)
        return (wchar_t *) s;
    for (; *s; s++)
        if (!wcsncmp(s, wanted, n))
            return (wchar_t *) s;
    return 0;
}

wchar_t *wcswcs(const wchar_t *s, const wchar_t *wanted) { return wcsstr(s, wanted); }

static int is_in(wchar_t c, const wchar_t *set)
{
    int found = 0;
    for (; *set; set++)
        found |= c == *set;
    return found;
}

size_t wcsspn(const wchar_t *s, const wchar_t *set)
{
    size_t n = 0;
    while (is_in(s[n], set))
        n++;
    return n;
}

size_t wcscspn(const wchar_t *s, const wchar_t *set)
{
    size_t n = 0;
    while (!(is_in(s[n], set) | !s[n]))
        n++;
    return n;
}

wchar_t *wcspbrk(const wchar_t *s, const wchar_t *set)
{
    s += wcscspn(s, set);
    return *s ? (wchar_t *) s : 0;
}

wchar_t *wcstok(wchar_t *s, const wchar_t *set, wchar_t **rest)
{
    if (!s) {
        if (!*rest) {
            __csgtest_errno = 22; /* EINVAL */
            return 0;
        }
        s = *rest;
    }
    s += wcsspn(s, set);
    if (!*s) {
        *rest = 0;
        return 0;
    }
    wchar_t *end = s + wcscspn(s, set);
    if (*end) {
        *end++ = 0;
        *rest = end;
    } else {
        *rest = 0;
    }
    return s;
}

/* ---------------------------------------------------------------------- numbers */

/* What is not ASCII ends a number; so does the byte 1. */
static char *narrowed(const wchar_t *s)
{
    size_t n = wcslen(s);
    char *copy = malloc(n + 1);
    for (size_t i = 0; i <= n; i++)
        copy[i] = (char) ((unsigned) s[i] < 128 ? s[i] : 1);
    return copy;
}

#define READ(kind, name, narrow)                          \
    kind name(const wchar_t *s, wchar_t **end)            \
    {                                                     \
        char *copy = narrowed(s), *stop;                  \
        kind value = narrow(copy, &stop);                 \
        if (end)                                          \
            *end = (wchar_t *) s + (stop - copy);         \
        free(copy);                                       \
        return value;                                     \
    }

READ(double, wcstod, strtod)
READ(float, wcstof, strtof)
READ(long double, wcstold, strtold)

#define READ_IN_BASE(kind, name, narrow)                  \
    kind name(const wchar_t *s, wchar_t **end, int base)  \
    {                                                     \
        char *copy = narrowed(s), *stop = 0;              \
        kind value = (kind) narrow(copy, &stop, base);    \
        if (end && stop) /* not of a base that is none */ \
            *end = (wchar_t *) s + (stop - copy);         \
        free(copy);                                       \
        return value;                                     \
    }

READ_IN_BASE(long, wcstol, strtol)
READ_IN_BASE(long long, wcstoll, strtol)
READ_IN_BASE(long, wcstoimax, strtol)
READ_IN_BASE(long long, wcstoq, strtol)
READ_IN_BASE(unsigned long, wcstoul, strtoul)
READ_IN_BASE(unsigned long long, wcstoull, strtoul)
READ_IN_BASE(unsigned long, wcstoumax, strtoul)
READ_IN_BASE(unsigned long long, wcstouq, strtoul)
