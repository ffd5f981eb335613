/* The assert that csgtest reads: an expression with one known function, whatever the C library. What
 * else glibc's header defines is as it is there. */

#undef assert
#undef assert_perror
#undef __ASSERT_VOID_CAST

#include <features.h>

#define _ASSERT_H 1
#define __ASSERT_VOID_CAST (void)

#ifdef NDEBUG
#define assert(expression) ((void)0)
#ifdef __USE_GNU
#define assert_perror(number) ((void)0)
#endif
#else
#ifndef __FILE_NAME__ /* the file without its folders: equal for two versions of it */
#define __FILE_NAME__ __FILE__
#endif
#define assert(expression) \
    ((expression) ? (void)0 : __csgtest_assert_fail(#expression, __FILE_NAME__, __LINE__, __func__))
#ifndef _ASSERT_H_DECLS
#define _ASSERT_H_DECLS
extern void __assert_fail(const char *text, const char *file, unsigned int line, const char *function)
    __attribute__((noreturn));
extern void __assert_perror_fail(int number, const char *file, unsigned int line, const char *function)
    __attribute__((noreturn));
extern void __assert(const char *text, const char *file, int line) __attribute__((noreturn));
#endif
#ifdef __USE_GNU
#define assert_perror(number) \
    (!(number) ? (void)0 : __assert_perror_fail((number), __FILE__, __LINE__, __func__))
#endif
#undef __ASSERT_FUNCTION
#define __ASSERT_FUNCTION __extension__ __PRETTY_FUNCTION__
#endif

#ifndef CSGTEST_ASSERT_H
#define CSGTEST_ASSERT_H
extern void __csgtest_assert_fail(const char *text, const char *file, unsigned int line,
                                  const char *function) __attribute__((noreturn));
#endif

#if defined __USE_ISOC11 && !defined __cplusplus
#undef static_assert
#define static_assert _Static_assert
#endif
