/* What C needs no library for: system calls, copying, texts. For code that runs in a program before
 * its libraries do, or must leave no trace in them. x86-64 Linux. */
#ifndef CSGTEST_BARE_H
#define CSGTEST_BARE_H

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

static inline long call(long number, long a, long b, long c, long d, long e)
{
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    long result;
    __asm__ volatile("syscall" : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
                     : "rcx", "r11", "memory");
    return result;
}
#define CALL(name, a, b, c) call(SYS_##name, (long) (a), (long) (b), (long) (c), 0, 0)

static inline void *copy(void *to, const void *from, size_t size)
{
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
    return to;
}

static inline void clear(uintptr_t from, uintptr_t to)
{
    size_t size = to - from;
    __asm__ volatile("rep stosb" : "+D"(from), "+c"(size) : "a"(0) : "memory");
}

static inline size_t length(const char *text)
{
    size_t size = 0;
    while (text[size])
        size++;
    return size;
}

static inline int begins(const char *text, const char *with)
{
    while (*with && *with == *text)
        with++, text++;
    return !*with;
}

static inline uintptr_t number(const char **text, unsigned base)
{
    uintptr_t value = 0;
    for (;; ++*text) {
        unsigned digit = (unsigned) **text;
        digit = digit >= 'a' ? digit - 'a' + 10 : digit - '0';
        if (digit >= base)
            return value;
        value = value * base + digit;
    }
}

static inline long read_text(const char *path, char *text, size_t most)
{
    long file = CALL(open, path, O_RDONLY, 0), size = 0, got = 0;
    while (file >= 0 && (got = CALL(read, file, text + size, most - 1 - (size_t) size)) > 0)
        size += got;
    if (file >= 0)
        CALL(close, file, 0, 0);
    text[size] = '\0';
    return file < 0 || got < 0 || (size_t) size == most - 1 ? -1 : size;
}

#endif
