/* Functions of the C library on a stream or a folder that is closed: AddressSanitizer does not see
 * that they use freed memory (C17 7.21.3p4).
 *
 *     fclose(f); ferror(f)     the first byte of *f is read here: heap-use-after-free
 *
 * This file is compiled with the sanitizer. Nothing here is weak, for some of the functions that
 * sanitizers have are; a program that defines one of them itself is linked without this file (build.py).
 * Headers are not included: they give some functions the names of others. */
#include <dlfcn.h>
#include <stdarg.h>
#include <stddef.h>

typedef struct opened FILE;
typedef struct opened DIR;

/* Whatever is open has its first byte in memory. */
static inline void check(const FILE *opened)
{
    if (opened)
        (void) *(const volatile char *) opened;
}

/* The function of the sanitizer, or else that of the library. */
#define NEXT(result, name, parameters)                                                  \
    extern result __interceptor_##name parameters __attribute__((weak));                \
    static result (*next_##name(void)) parameters                                       \
    {                                                                                   \
        static void *found;                                                             \
        if (!found)                                                                     \
            found = __interceptor_##name ? (void *) __interceptor_##name                \
                                         : dlsym((void *) -1L /* RTLD_NEXT */, #name);  \
        return found;                                                                   \
    }

#define CHECKED(result, name, parameters, opened, arguments) \
    NEXT(result, name, parameters)                           \
    result name parameters                                   \
    {                                                        \
        check(opened);                                       \
        return next_##name() arguments;                      \
    }

/* ``listed`` is the same function for a list of arguments. */
#define VARIADIC(name, listed, text)                    \
    int name(FILE *f, const text *format, ...)          \
    {                                                   \
        va_list list;                                   \
        va_start(list, format);                         \
        check(f);                                       \
        int result = next_##listed()(f, format, list);  \
        va_end(list);                                   \
        return result;                                  \
    }

#define OF_STREAM(result, name) CHECKED(result, name, (FILE *f), f, (f))
#define BOTH_OF_STREAM(result, name) OF_STREAM(result, name) OF_STREAM(result, name##_unlocked)

/* ---------------------------------------------------------------------- the stream alone */

BOTH_OF_STREAM(int, feof)
BOTH_OF_STREAM(int, ferror)
BOTH_OF_STREAM(int, fileno)
BOTH_OF_STREAM(int, fflush)
BOTH_OF_STREAM(int, getc)
BOTH_OF_STREAM(int, fgetc)
BOTH_OF_STREAM(unsigned, getwc)
BOTH_OF_STREAM(unsigned, fgetwc)
BOTH_OF_STREAM(void, clearerr)
OF_STREAM(int, _IO_getc)
OF_STREAM(int, getw)
OF_STREAM(int, fclose)
OF_STREAM(int, pclose)
OF_STREAM(int, ftrylockfile)
OF_STREAM(void, flockfile)
OF_STREAM(void, funlockfile)
OF_STREAM(void, rewind)
OF_STREAM(void, setlinebuf)
OF_STREAM(void, __fpurge)
OF_STREAM(size_t, __fpending)
OF_STREAM(size_t, __fbufsize)
OF_STREAM(int, __freading)
OF_STREAM(int, __fwriting)
OF_STREAM(int, __freadable)
OF_STREAM(int, __fwritable)
OF_STREAM(int, __flbf)

/* ---------------------------------------------------------------------- positions and buffers */

OF_STREAM(long, ftell)
OF_STREAM(long, ftello)
OF_STREAM(long, ftello64)
CHECKED(int, fseek, (FILE *f, long n, int from), f, (f, n, from))
CHECKED(int, fseeko, (FILE *f, long n, int from), f, (f, n, from))
CHECKED(int, fseeko64, (FILE *f, long n, int from), f, (f, n, from))
CHECKED(int, fgetpos, (FILE *f, void *to), f, (f, to))
CHECKED(int, fgetpos64, (FILE *f, void *to), f, (f, to))
CHECKED(int, fsetpos, (FILE *f, const void *from), f, (f, from))
CHECKED(int, fsetpos64, (FILE *f, const void *from), f, (f, from))
CHECKED(int, setvbuf, (FILE *f, char *buffer, int mode, size_t n), f, (f, buffer, mode, n))
CHECKED(void, setbuf, (FILE *f, char *buffer), f, (f, buffer))
CHECKED(void, setbuffer, (FILE *f, char *buffer, size_t n), f, (f, buffer, n))
CHECKED(int, fwide, (FILE *f, int mode), f, (f, mode))
CHECKED(FILE *, freopen, (const char *name, const char *mode, FILE *f), f, (name, mode, f))
CHECKED(FILE *, freopen64, (const char *name, const char *mode, FILE *f), f, (name, mode, f))

/* ---------------------------------------------------------------------- reading and writing */

#define BOTH_LAST(result, name, type) \
    CHECKED(result, name, (type what, FILE *f), f, (what, f)) \
    CHECKED(result, name##_unlocked, (type what, FILE *f), f, (what, f))
#define BOTH_LINES(type, name) \
    CHECKED(type *, name, (type *to, int n, FILE *f), f, (to, n, f)) \
    CHECKED(type *, name##_unlocked, (type *to, int n, FILE *f), f, (to, n, f))
#define BOTH_ITEMS(name, type) \
    CHECKED(size_t, name, (type *p, size_t size, size_t n, FILE *f), f, (p, size, n, f)) \
    CHECKED(size_t, name##_unlocked, (type *p, size_t size, size_t n, FILE *f), f, (p, size, n, f))
#define LISTED(name, text) \
    CHECKED(int, name, (FILE *f, const text *format, va_list list), f, (f, format, list))

BOTH_LAST(int, putc, int)
BOTH_LAST(int, fputc, int)
BOTH_LAST(int, fputs, const char *)
BOTH_LAST(unsigned, putwc, wchar_t)
BOTH_LAST(unsigned, fputwc, wchar_t)
BOTH_LAST(int, fputws, const wchar_t *)
CHECKED(int, _IO_putc, (int c, FILE *f), f, (c, f))
CHECKED(int, putw, (int c, FILE *f), f, (c, f))
CHECKED(int, ungetc, (int c, FILE *f), f, (c, f))
CHECKED(unsigned, ungetwc, (unsigned c, FILE *f), f, (c, f))
BOTH_LINES(char, fgets)
BOTH_LINES(wchar_t, fgetws)
BOTH_ITEMS(fread, void)
BOTH_ITEMS(fwrite, const void)
CHECKED(long, getline, (char **line, size_t *n, FILE *f), f, (line, n, f))
CHECKED(long, getdelim, (char **line, size_t *n, int end, FILE *f), f, (line, n, end, f))
CHECKED(long, __getdelim, (char **line, size_t *n, int end, FILE *f), f, (line, n, end, f))
LISTED(vfprintf, char)
LISTED(vfscanf, char)
LISTED(__isoc99_vfscanf, char)
LISTED(__isoc23_vfscanf, char)
LISTED(vfwprintf, wchar_t)
LISTED(vfwscanf, wchar_t)
LISTED(__isoc99_vfwscanf, wchar_t)
LISTED(__isoc23_vfwscanf, wchar_t)
VARIADIC(fprintf, vfprintf, char)
VARIADIC(fscanf, vfscanf, char)
VARIADIC(__isoc99_fscanf, __isoc99_vfscanf, char)
VARIADIC(__isoc23_fscanf, __isoc23_vfscanf, char)
VARIADIC(fwprintf, vfwprintf, wchar_t)
VARIADIC(fwscanf, vfwscanf, wchar_t)
VARIADIC(__isoc99_fwscanf, __isoc99_vfwscanf, wchar_t)
VARIADIC(__isoc23_fwscanf, __isoc23_vfwscanf, wchar_t)

/* ---------------------------------------------------------------------- folders */

CHECKED(void *, readdir, (DIR *d), d, (d))
CHECKED(void *, readdir64, (DIR *d), d, (d))
CHECKED(int, readdir_r, (DIR *d, void *entry, void **to), d, (d, entry, to))
CHECKED(int, readdir64_r, (DIR *d, void *entry, void **to), d, (d, entry, to))
CHECKED(long, telldir, (DIR *d), d, (d))
CHECKED(void, seekdir, (DIR *d, long place), d, (d, place))
CHECKED(void, rewinddir, (DIR *d), d, (d))
CHECKED(int, dirfd, (DIR *d), d, (d))
CHECKED(int, closedir, (DIR *d), d, (d))
