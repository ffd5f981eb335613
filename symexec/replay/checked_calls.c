/* Functions of strings and arrays that AddressSanitizer does not know: it would not see what the C
 * library reads and writes behind an object in them. Each looks at its operands one by one, as C has
 * it (C17 7.29.4), and is compiled with the sanitizer. A program's own functions go before these. */
#include <stddef.h>
#include <wchar.h>
#include <wctype.h>

#define CHECKED(result, name, parameters)  \
    result name parameters;                \
    __attribute__((weak)) result name parameters

/* ---------------------------------------------------------------------- copying */

CHECKED(wchar_t *, wmemset, (wchar_t *to, wchar_t c, size_t n))
{
    for (size_t i = 0; i < n; i++)
        to[i] = c;
    return to;
}

CHECKED(wchar_t *, wmemmove, (wchar_t *to, const wchar_t *from, size_t n))
{
    if (to < from)
        for (size_t i = 0; i < n; i++)
            to[i] = from[i];
    else
        for (size_t i = n; i > 0; i--)
            to[i - 1] = from[i - 1];
    return to;
}

CHECKED(wchar_t *, wmemcpy, (wchar_t *to, const wchar_t *from, size_t n))
{
    return wmemmove(to, from, n);
}

CHECKED(wchar_t *, wmempcpy, (wchar_t *to, const wchar_t *from, size_t n))
{
    return wmemmove(to, from, n) + n;
}

CHECKED(wchar_t *, wcpcpy, (wchar_t *to, const wchar_t *from))
{
    while ((*to = *from++))
        to++;
    return to;
}

CHECKED(wchar_t *, wcscpy, (wchar_t *to, const wchar_t *from))
{
    wcpcpy(to, from);
    return to;
}

CHECKED(wchar_t *, wcpncpy, (wchar_t *to, const wchar_t *from, size_t n))
{
    size_t have = 0;
    while (have < n && from[have])
        have++;
    wmemmove(to, from, have);
    wmemset(to + have, 0, n - have);
    return to + have;
}

CHECKED(wchar_t *, wcsncpy, (wchar_t *to, const wchar_t *from, size_t n))
{
    wcpncpy(to, from, n);
    return to;
}

/* ---------------------------------------------------------------------- comparing */

static int order(wchar_t a, wchar_t b) { return (a > b) - (a < b); }

CHECKED(int, wcsncmp, (const wchar_t *a, const wchar_t *b, size_t n))
{
    for (; n; a++, b++, n--)
        if (*a != *b || !*b)
            return order(*a, *b);
    return 0;
}

CHECKED(int, wcscmp, (const wchar_t *a, const wchar_t *b)) { return wcsncmp(a, b, -1); }

CHECKED(int, wmemcmp, (const wchar_t *a, const wchar_t *b, size_t n))
{
    for (size_t i = 0; i < n; i++)
        if (a[i] != b[i])
            return order(a[i], b[i]);
    return 0;
}

CHECKED(int, wcsncasecmp, (const wchar_t *a, const wchar_t *b, size_t n))
{
    for (; n; a++, b++, n--) {
        int x = towlower(*a), y = towlower(*b);
        if (x != y || !y)
            return x - y;
    }
    return 0;
}

CHECKED(int, wcscasecmp, (const wchar_t *a, const wchar_t *b)) { return wcsncasecmp(a, b, -1); }

/* ---------------------------------------------------------------------- searching */

CHECKED(wchar_t *, wmemchr, (const wchar_t *s, wchar_t c, size_t n))
{
    for (; n; s++, n--)
        if (*s == c)
            return (wchar_t *) s;
    return 0;
}

CHECKED(wchar_t *, wcschrnul, (const wchar_t *s, wchar_t c))
{
    while (*s != c && *s)
        s++;
    return (wchar_t *) s;
}

CHECKED(wchar_t *, wcschr, (const wchar_t *s, wchar_t c))
{
    wchar_t *found = wcschrnul(s, c);
    return *found == c ? found : 0;
}

CHECKED(wchar_t *, wcsrchr, (const wchar_t *s, wchar_t c))
{
    const wchar_t *last = 0;
    do
        last = *s == c ? s : last;
    while (*s++);
    return (wchar_t *) last;
}

static size_t span(const wchar_t *s, const wchar_t *set, int within)
{
    size_t n = 0;
    while (s[n] && !wcschr(set, s[n]) == !within)
        n++;
    return n;
}

CHECKED(size_t, wcsspn, (const wchar_t *s, const wchar_t *set)) { return span(s, set, 1); }
CHECKED(size_t, wcscspn, (const wchar_t *s, const wchar_t *set)) { return span(s, set, 0); }

CHECKED(wchar_t *, wcspbrk, (const wchar_t *s, const wchar_t *set))
{
    s += span(s, set, 0);
    return *s ? (wchar_t *) s : 0;
}

CHECKED(wchar_t *, wcsstr, (const wchar_t *s, const wchar_t *wanted))
{
    for (;; s++) {
        size_t n = 0;
        while (wanted[n] && s[n] == wanted[n])
            n++;
        if (!wanted[n])
            return (wchar_t *) s;
        if (!*s)
            return 0;
    }
}

/* ---------------------------------------------------------------------- bytes */

CHECKED(void *, rawmemchr, (const void *s, int c))
{
    const char *at = s;
    while (*at != (char) c)
        at++;
    return (void *) at;
}

CHECKED(void *, memccpy, (void *to, const void *from, int c, size_t n))
{
    for (size_t i = 0; i < n; i++)
        if ((((char *) to)[i] = ((const char *) from)[i]) == (char) c)
            return (char *) to + i + 1;
    return 0;
}
