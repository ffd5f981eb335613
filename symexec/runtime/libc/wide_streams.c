/* Reading and writing wide characters, C17 7.29.2, 7.29.3: in the C locale each is a byte. A stream
 * takes both kinds (its orientation is what fwide was told, and stops nobody): where a change meets a
 * stream that takes both, symexec/exploration/orientations.py says so.
 *
 *     wprintf(L"%d\n", 7)    ->   printf("%d\n", 7)
 *     fputwc(0xe4, stdout)   ->   unsupported: glibc writes something similar, if it knows any */

/* Effects of calls, as csg/ir/library_effects.py reads them:
 *     fgetwc getwc: reads 0, writes 0 errno
 *     fputwc putwc: reads 1, writes errno, output
 *     fputws fwprintf wprintf: reads 0.., writes errno, output
 *     vfwprintf: reads 0 1 2+, writes 2 errno, output
 *     vwprintf: reads 0 1+, writes 1 errno, output
 *     putwchar: writes errno, output
 *     swprintf: reads 2.., writes 0 errno
 *     wcsftime: reads 2 3+ environ *environ, writes 0 errno
 *     vswprintf: reads 2 3+, writes 0 3 errno */

typedef unsigned long size_t;
typedef int wchar_t;
typedef unsigned wint_t;
typedef __builtin_va_list va_list;

typedef union {
    struct { int descriptor, orientation; } s;
    char room[216];
} FILE;

struct tm;

extern FILE *stdin, *stdout;
extern int __csgtest_errno;
extern int fgetc(FILE *stream);
extern int fputc(int c, FILE *stream);
extern int ungetc(int c, FILE *stream);
extern int vfprintf(FILE *to, const char *format, va_list rest);
extern int vsnprintf(char *to, size_t room, const char *format, va_list rest);
extern int vsscanf(const char *text, const char *format, va_list rest);
extern size_t strftime(char *to, size_t room, const char *format, const struct tm *t);
extern size_t wcslen(const wchar_t *s);
extern void *malloc(size_t n);
extern void free(void *p);
extern int __csgtest_failed(FILE *stream);
extern int __csgtest_scan_wide(FILE *stream, const char *format, va_list rest);
extern size_t fwrite(const void *from, size_t size, size_t n, FILE *stream);
extern void __csgtest_unsupported(const char *what) __attribute__((noreturn));

enum { ILLEGAL_SEQUENCE = 84 };

#define END (~0U)
#define ASCII(c) ((unsigned) (c) < 128)

/* The byte stays where it is. */
static int illegal(int c, FILE *stream)
{
    ungetc(c, stream);
    __csgtest_failed(stream);
    __csgtest_errno = ILLEGAL_SEQUENCE;
    return -1;
}

/* Later calls find a stream wide that took wide characters first. */
static void widen(FILE *stream)
{
    if (!stream->s.orientation)
        stream->s.orientation = 1;
}

/* ---------------------------------------------------------------------- characters and lines */

wint_t fputwc(wchar_t c, FILE *stream)
{
    widen(stream);
    if (!ASCII(c))
        __csgtest_unsupported("a wide character beyond ASCII written to a stream");
    return (wint_t) fputc(c, stream);
}

wint_t fgetwc(FILE *stream)
{
    widen(stream);
    int c = fgetc(stream);
    return c == -1 ? END : ASCII(c) ? (wint_t) c : (wint_t) illegal(c, stream);
}

wint_t ungetwc(wint_t c, FILE *stream) { return c == END ? END : (wint_t) ungetc((int) c, stream); }

#define TO_STREAM(name) wint_t name(wchar_t c, FILE *stream) { return fputwc(c, stream); }
#define FROM_STREAM(name) wint_t name(FILE *stream) { return fgetwc(stream); }

TO_STREAM(putwc)
TO_STREAM(fputwc_unlocked)
TO_STREAM(putwc_unlocked)
FROM_STREAM(getwc)
FROM_STREAM(fgetwc_unlocked)
FROM_STREAM(getwc_unlocked)

wint_t putwchar(wchar_t c) { return fputwc(c, stdout); }
wint_t putwchar_unlocked(wchar_t c) { return fputwc(c, stdout); }
wint_t getwchar(void) { return fgetwc(stdin); }
wint_t getwchar_unlocked(void) { return fgetwc(stdin); }

int fputws(const wchar_t *s, FILE *stream)
{
    for (; *s; s++)
        if (fputwc(*s, stream) == END)
            return -1;
    return 1;
}

wchar_t *fgetws(wchar_t *to, int room, FILE *stream)
{
    int n = 0;
    widen(stream);
    while (n < room - 1) {
        int c = fgetc(stream);
        if (c == -1)
            break;
        if (!ASCII(c))
            return illegal(c, stream), (wchar_t *) 0;
        to[n++] = c;
        if (c == '\n')
            break;
    }
    if (!n && room != 1)
        return 0;
    to[n] = 0;
    return to;
}

int fputws_unlocked(const wchar_t *s, FILE *stream) { return fputws(s, stream); }
wchar_t *fgetws_unlocked(wchar_t *to, int room, FILE *stream) { return fgetws(to, room, stream); }

int fwide(FILE *stream, int mode)
{
    if (!stream->s.orientation)
        stream->s.orientation = (mode > 0) - (mode < 0);
    return stream->s.orientation;
}

/* ---------------------------------------------------------------------- formats */

/* A copy in bytes. */
static char *narrowed(const wchar_t *s)
{
    size_t n = wcslen(s);
    char *copy = malloc(n + 1);
    for (size_t i = 0; i <= n; i++) {
        if (!ASCII(s[i]))
            __csgtest_unsupported("a wide character beyond ASCII in a format or its text");
        copy[i] = (char) s[i];
    }
    return copy;
}

/* A text of n bytes, zeros among them, and one behind. */
static void widened(wchar_t *to, const char *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = (unsigned char) from[i];
    to[n] = 0;
}

/* Texts and characters are bytes that have to be a character each; numbers always are. */
static int has_text(const char *format)
{
    for (; *format; format++)
        if (*format == 's' || *format == 'c')
            return 1;
    return 0;
}

static void check_ascii(const char *text, int count)
{
    for (; count > 0; text++, count--)
        if (!ASCII(*text))
            __csgtest_unsupported("a byte beyond ASCII printed as a wide character");
}

int vfwprintf(FILE *stream, const wchar_t *format, va_list rest)
{
    char *narrow = narrowed(format);
    int count;
    widen(stream);
    if (has_text(narrow)) {
        va_list again;
        __builtin_va_copy(again, rest);
        size_t room = vsnprintf(0, 0, narrow, again) + 1;
        __builtin_va_end(again);
        char *text = malloc(room);
        count = vsnprintf(text, room, narrow, rest);
        check_ascii(text, count);
        fwrite(text, 1, count, stream);
        free(text);
    } else {
        count = vfprintf(stream, narrow, rest);
    }
    free(narrow);
    return count;
}

int vswprintf(wchar_t *to, size_t room, const wchar_t *format, va_list rest)
{
    char *narrow = narrowed(format);
    char *text = malloc(room + 1);
    int count = vsnprintf(text, room + 1, narrow, rest);
    check_ascii(text, count < (int) room ? count : (int) room);
    if (count >= 0 && (size_t) count < room)
        widened(to, text, (size_t) count);
    else
        count = -1;
    free(text);
    free(narrow);
    return count;
}

int vfwscanf(FILE *stream, const wchar_t *format, va_list rest)
{
    char *narrow = narrowed(format);
    widen(stream);
    int done = __csgtest_scan_wide(stream, narrow, rest);
    free(narrow);
    return done;
}

int vswscanf(const wchar_t *text, const wchar_t *format, va_list rest)
{
    char *narrow = narrowed(format), *from = narrowed(text);
    int done = vsscanf(from, narrow, rest);
    free(from);
    free(narrow);
    return done;
}

int vwprintf(const wchar_t *format, va_list rest) { return vfwprintf(stdout, format, rest); }
int vwscanf(const wchar_t *format, va_list rest) { return vfwscanf(stdin, format, rest); }

#define WITH_LIST(name, parameters, call)     \
    int name parameters                       \
    {                                         \
        va_list rest;                         \
        __builtin_va_start(rest, format);     \
        int count = call;                     \
        __builtin_va_end(rest);               \
        return count;                         \
    }

WITH_LIST(fwprintf, (FILE * s, const wchar_t *format, ...), vfwprintf(s, format, rest))
WITH_LIST(wprintf, (const wchar_t *format, ...), vfwprintf(stdout, format, rest))
WITH_LIST(swprintf, (wchar_t * to, size_t n, const wchar_t *format, ...), vswprintf(to, n, format, rest))
WITH_LIST(fwscanf, (FILE * s, const wchar_t *format, ...), vfwscanf(s, format, rest))
WITH_LIST(wscanf, (const wchar_t *format, ...), vfwscanf(stdin, format, rest))
WITH_LIST(swscanf, (const wchar_t *s, const wchar_t *format, ...), vswscanf(s, format, rest))
WITH_LIST(__isoc99_fwscanf, (FILE * s, const wchar_t *format, ...), vfwscanf(s, format, rest))
WITH_LIST(__isoc99_wscanf, (const wchar_t *format, ...), vfwscanf(stdin, format, rest))
WITH_LIST(__isoc99_swscanf, (const wchar_t *s, const wchar_t *format, ...), vswscanf(s, format, rest))

size_t wcsftime(wchar_t *to, size_t room, const wchar_t *format, const struct tm *t)
{
    char *narrow = narrowed(format), *text = malloc(room + 1);
    size_t n = strftime(text, room, narrow, t);
    if (n)
        widened(to, text, n);
    else if (room && !*narrow)
        *to = 0;
    free(text);
    free(narrow);
    return n;
}
