/* The assert that csgtest reads: an expression with one known function, whatever the C library. */

#undef assert
#ifdef NDEBUG
#define assert(expression) ((void)0)
#else
#ifndef __FILE_NAME__ /* the file without its folders: equal for two versions of it */
#define __FILE_NAME__ __FILE__
#endif
#define assert(expression) \
    ((expression) ? (void)0 : __csgtest_assert_fail(#expression, __FILE_NAME__, __LINE__, __func__))
#endif

#ifndef CSGTEST_ASSERT_H
#define CSGTEST_ASSERT_H
extern void __csgtest_assert_fail(const char *text, const char *file, unsigned int line,
                                  const char *function) __attribute__((noreturn));
#if !defined __cplusplus && (!defined __STDC_VERSION__ || __STDC_VERSION__ <= 201710L)
#undef static_assert
#define static_assert _Static_assert
#endif
#endif
