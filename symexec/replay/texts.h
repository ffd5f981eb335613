/* How our code reads and copies texts where it is linked to a program under test, which may define
 * functions of the C library itself: these would be called.
 *
 *     size_t strlen(const char *s) { return 7; }      of the program; our strlen is right
 */
#ifndef CSGTEST_TEXTS_H
#define CSGTEST_TEXTS_H

#include <stddef.h>
#include <string.h>

static inline void *csgtest_copy(void *to, const void *from, size_t size)
{
    void *begin = to;
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
    return begin;
}

static inline size_t csgtest_length(const char *text)
{
    size_t size = 0;
    while (((const volatile char *) text)[size]) /* volatile: no call of strlen is made of it */
        size++;
    return size;
}

static inline int csgtest_compare(const char *one, const char *other, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (one[i] != other[i] || !one[i])
            return one[i] != other[i];
    return 0;
}

/* The length of what stands before the first of `ends`. */
static inline size_t csgtest_span(const char *text, const char *ends)
{
    size_t size = 0;
    for (; text[size]; size++)
        for (const char *end = ends; *end; end++)
            if (text[size] == *end)
                return size;
    return size;
}

static inline char *csgtest_find(const char *text, char wanted)
{
    for (; *text != wanted; text++)
        if (!*text)
            return NULL;
    return (char *) text;
}

/* A decimal number behind spaces. */
static inline long csgtest_number(const char *text, char **end)
{
    while (*text == ' ')
        text++;
    int negative = *text == '-';
    unsigned long value = 0;
    for (text += negative; *text >= '0' && *text <= '9'; text++)
        value = 10 * value + (unsigned long) (*text - '0');
    if (end)
        *end = (char *) text;
    return (long) (negative ? -value : value);
}

#undef strlen
#undef strncmp
#undef strcspn
#undef strchr
#undef strtol
#undef strtoul
#undef memcpy
#define strlen csgtest_length
#define strncmp csgtest_compare
#define strcspn csgtest_span
#define strchr csgtest_find
#define strtol(text, end, base) csgtest_number(text, end)
#define strtoul(text, end, base) (unsigned long) csgtest_number(text, end)
#define memcpy csgtest_copy

#endif
