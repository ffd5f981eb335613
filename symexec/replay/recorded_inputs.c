/* The functions through which programs ask for inputs by themselves, as SV-COMP and KLEE have them,
 * and what our canonical assert calls. harness_support.c has the values. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WEAK __attribute__((weak))

extern char *csgtest_recorded(char kind);
extern void csgtest_store(const char *kind, void *value, unsigned long size);
extern void csgtest_assume_failed(void);

static void next_value(void *value, size_t size)
{
    const char *kind = csgtest_recorded('n');
    memset(value, 0, size);
    if (kind)
        csgtest_store(kind, value, size);
}

#define NONDET(name, type)                  \
    WEAK type __VERIFIER_nondet_##name(void) \
    {                                       \
        type value;                         \
        next_value(&value, sizeof value);   \
        return value;                       \
    }
NONDET(bool, _Bool) NONDET(char, char) NONDET(schar, signed char) NONDET(uchar, unsigned char)
NONDET(short, short) NONDET(ushort, unsigned short) NONDET(int, int) NONDET(uint, unsigned)
NONDET(unsigned, unsigned) NONDET(long, long) NONDET(ulong, unsigned long)
NONDET(longlong, long long) NONDET(ulonglong, unsigned long long) NONDET(float, float)
NONDET(double, double) NONDET(size_t, size_t) NONDET(pointer, void *) NONDET(u8, unsigned char)
NONDET(u16, unsigned short) NONDET(u32, unsigned) NONDET(loff_t, long long)
NONDET(int128, __int128) NONDET(uint128, unsigned __int128)

WEAK void __VERIFIER_assume(int condition)
{
    if (!condition)
        csgtest_assume_failed();
}

WEAK void reach_error(void)
{
    fprintf(stderr, "reach_error\n");
    abort();
}

WEAK void __VERIFIER_error(void)
{
    reach_error();
}

WEAK void klee_make_symbolic(void *address, size_t size, const char *name)
{
    const char *line = csgtest_recorded('o');
    const char *kind = line ? strstr(line, " i ") : NULL;
    (void) name;
    memset(address, 0, size);
    if (kind)
        csgtest_store(kind + 1, address, size);
}

WEAK int klee_int(const char *name)
{
    int value;
    klee_make_symbolic(&value, sizeof value, name);
    return value;
}

WEAK int klee_range(int begin, int end, const char *name)
{
    int value = klee_int(name);
    if (value < begin || value >= end)
        csgtest_assume_failed();
    return value;
}

WEAK size_t klee_choose(size_t count)
{
    size_t value;
    klee_make_symbolic(&value, sizeof value, "klee_choose");
    if (value >= count)
        csgtest_assume_failed();
    return value;
}

WEAK void klee_assume(size_t condition)
{
    if (!condition)
        csgtest_assume_failed();
}

WEAK void klee_prefer_cex(void *object, size_t condition)
{
    (void) object, (void) condition;
}

WEAK void klee_silent_exit(int status)
{
    exit(status);
}

WEAK void klee_report_error(const char *file, int line, const char *message, const char *suffix)
{
    (void) suffix;
    fprintf(stderr, "%s:%d: %s\n", file, line, message);
    abort();
}

WEAK unsigned klee_is_symbolic(size_t value)
{
    (void) value;
    return 0;
}

WEAK void klee_warning(const char *message)
{
    (void) message;
}

WEAK void klee_warning_once(const char *message)
{
    (void) message;
}

WEAK void klee_print_expr(const char *message, ...)
{
    (void) message;
}

#define GET_VALUE(name, type)              \
    WEAK type klee_get_value##name(type value) \
    {                                      \
        return value;                      \
    }
GET_VALUE(f, float) GET_VALUE(d, double) GET_VALUE(l, long) GET_VALUE(ll, long long)
GET_VALUE(_i32, int) GET_VALUE(_i64, long)

/* What our canonical assert calls: as glibc's. */
WEAK void __csgtest_assert_fail(const char *text, const char *file, unsigned line,
                                const char *function)
{
    fprintf(stderr, "%s: %s:%u: %s: Assertion `%s' failed.\n", program_invocation_short_name, file,
            line, function, text);
    abort();
}
