/* Strings: C17 7.24, POSIX string.h and strings.h, glibc's additions, in the C locale.
 *
 * Written for symbolic bytes: one decision a byte where there can be one, and the byte that is more
 * often a constant (the second argument's) is the one that says where to stop. strlen, memcpy and
 * memset are models in Python, and so are strcmp and its kin (runtime/memory.py). */

/* Effects of calls, as csg/ir/library_effects.py reads them:
 *     bcmp strcoll strcspn strspn: reads 0..
 *     index memchr memmem memrchr rawmemchr rindex strcasestr strchr strchrnul strpbrk strrchr
 *         strstr: reads 0.., returns 0 1
 *     stpcpy stpncpy strcpy strncpy: reads 1, writes 0, returns 0, copies 0:1
 *     strcat strncat: reads 0 1, writes 0, returns 0, copies 0:1
 *     strdup strndup: reads 0, writes errno, fresh */

typedef unsigned long size_t;
typedef unsigned char byte;

extern size_t strlen(const char *s);
extern size_t strnlen(const char *s, size_t n);
extern void *memcpy(void *to, const void *from, size_t n);
extern void *memmove(void *to, const void *from, size_t n);
extern void *memset(void *to, int value, size_t n);
extern int strcmp(const char *a, const char *b);
extern int strncmp(const char *a, const char *b, size_t n);
extern int strncasecmp(const char *a, const char *b, size_t n);
extern int memcmp(const void *a, const void *b, size_t n);
extern void *malloc(size_t n);
extern void __csgtest_apart(const void *to, size_t m, const void *from, size_t n);

/* ---------------------------------------------------------------------- copying
 * What AddressSanitizer checks first comes first: of strcpy and strncpy that nothing overlaps, of
 * strcat and strncat that there is room. A text that is copied to itself overlaps. */

char *strcpy(char *to, const char *from)
{
    size_t n = strlen(from) + 1;
    __csgtest_apart(to, n, from, n);
    memcpy(to, from, n);
    return to;
}

char *stpcpy(char *to, const char *from)
{
    size_t n = strlen(from);
    memcpy(to, from, n + 1);
    return to + n;
}

char *strncpy(char *to, const char *from, size_t n)
{
    size_t have = strnlen(from, n), read = have < n ? have + 1 : n;
    __csgtest_apart(to, read, from, read);
    memcpy(to, from, have);
    memset(to + have, 0, n - have);
    return to;
}

char *stpncpy(char *to, const char *from, size_t n)
{
    size_t have = strnlen(from, n);
    memcpy(to, from, have);
    memset(to + have, 0, n - have);
    return to + have;
}

char *strcat(char *to, const char *from)
{
    size_t before = strlen(to), n = strlen(from);
    memmove(to + before, from, n + 1);
    if (n)
        __csgtest_apart(to, before + n + 1, from, n + 1);
    return to;
}

char *strncat(char *to, const char *from, size_t n)
{
    size_t before = strlen(to), have = strnlen(from, n);
    memmove(to + before, from, have);
    to[before + have] = 0;
    if (have)
        __csgtest_apart(to, before + have + 1, from, have);
    return to;
}

size_t strlcpy(char *to, const char *from, size_t room)
{
    size_t n = strlen(from);
    if (room) {
        size_t have = n < room ? n : room - 1;
        memcpy(to, from, have);
        to[have] = 0;
    }
    return n;
}

size_t strlcat(char *to, const char *from, size_t room)
{
    size_t have = strnlen(to, room);
    if (have == room)
        return have + strlen(from);
    return have + strlcpy(to + have, from, room - have);
}

char *strdup(const char *s)
{
    size_t n = strlen(s) + 1;
    char *copy = malloc(n);
    if (copy)
        memcpy(copy, s, n);
    return copy;
}

char *strndup(const char *s, size_t most)
{
    size_t n = strnlen(s, most);
    char *copy = malloc(n + 1);
    if (copy) {
        memcpy(copy, s, n);
        copy[n] = 0;
    }
    return copy;
}

void *memccpy(void *to, const void *from, int c, size_t n)
{
    byte *t = to;
    const byte *f = from;
    for (size_t i = 0; i < n; i++) {
        t[i] = f[i];
        if (f[i] == (byte) c)
            return t + i + 1;
    }
    return 0;
}

size_t strxfrm(char *to, const char *from, size_t room)
{
    size_t n = strlen(from);
    if (room)
        memcpy(to, from, n < room ? n + 1 : room);
    return n;
}

/* ---------------------------------------------------------------------- comparing */

int strcoll(const char *a, const char *b)
{
    return strcmp(a, b);
}

int bcmp(const void *a, const void *b, size_t n)
{
    return memcmp(a, b, n);
}

/* ---------------------------------------------------------------------- searching */

char *strchr(const char *s, int c)
{
    for (;; s++) {
        if (*s == (char) c)
            return (char *) s;
        if (!*s)
            return 0;
    }
}

char *index(const char *s, int c)
{
    return strchr(s, c);
}

char *strchrnul(const char *s, int c)
{
    for (;; s++)
        if ((*s == (char) c) | !*s)
            return (char *) s;
}

char *strrchr(const char *s, int c)
{
    const char *found = 0;
    for (;; s++) {
        if (*s == (char) c)
            found = s;
        if (!*s)
            return (char *) found;
    }
}

char *rindex(const char *s, int c)
{
    return strrchr(s, c);
}

void *memchr(const void *s, int c, size_t n)
{
    const byte *p = s;
    for (size_t i = 0; i < n; i++)
        if (p[i] == (byte) c)
            return (void *) (p + i);
    return 0;
}

void *memrchr(const void *s, int c, size_t n)
{
    const byte *p = s;
    while (n--)
        if (p[n] == (byte) c)
            return (void *) (p + n);
    return 0;
}

void *rawmemchr(const void *s, int c)
{
    const byte *p = s;
    while (*p != (byte) c)
        p++;
    return (void *) p;
}

char *strstr(const char *s, const char *wanted)
{
    size_t n = strlen(wanted);
    if (!n)
        return (char *) s;
    for (; *s; s++)
        if (!strncmp(s, wanted, n))
            return (char *) s;
    return 0;
}

char *strcasestr(const char *s, const char *wanted)
{
    size_t n = strlen(wanted);
    if (!n)
        return (char *) s;
    for (; *s; s++)
        if (!strncasecmp(s, wanted, n))
            return (char *) s;
    return 0;
}

void *memmem(const void *s, size_t size, const void *wanted, size_t n)
{
    const byte *p = s;
    for (size_t i = 0; i + n <= size; i++)
        if (!memcmp(p + i, wanted, n))
            return (void *) (p + i);
    return 0;
}

/* Whether c is one of the bytes of a set, as one condition. */
static int is_in(char c, const char *set)
{
    int found = 0;
    for (; *set; set++)
        found |= c == *set;
    return found;
}

size_t strspn(const char *s, const char *set)
{
    size_t n = 0;
    while (is_in(s[n], set)) /* the NUL is in no set */
        n++;
    return n;
}

size_t strcspn(const char *s, const char *set)
{
    size_t n = 0;
    while (!(is_in(s[n], set) | !s[n]))
        n++;
    return n;
}

char *strpbrk(const char *s, const char *set)
{
    s += strcspn(s, set);
    return *s ? (char *) s : 0;
}

/* ---------------------------------------------------------------------- cutting into words */

char *strtok_r(char *s, const char *set, char **rest)
{
    if (!s)
        s = *rest;
    s += strspn(s, set);
    if (!*s) {
        *rest = s;
        return 0;
    }
    char *end = s + strcspn(s, set);
    if (*end)
        *end++ = 0;
    *rest = end;
    return s;
}

char *__strtok_r(char *s, const char *set, char **rest)
{
    return strtok_r(s, set, rest);
}

char *strtok(char *s, const char *set)
{
    static char *rest;
    return strtok_r(s, set, &rest);
}

char *strsep(char **text, const char *set)
{
    char *s = *text;
    if (!s)
        return 0;
    char *end = s + strcspn(s, set);
    if (*end)
        *end++ = 0;
    else
        end = 0;
    *text = end;
    return s;
}
