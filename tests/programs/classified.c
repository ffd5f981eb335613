/* What kind of number: the macros of math.h, on all three types. */
#include <float.h>
#include <math.h>
#include <stdio.h>

#define SHOW(x)                                                                              \
    printf("%d%d%d%d%d%d%d%d%d\n", fpclassify(x) == FP_NAN, fpclassify(x) == FP_INFINITE,    \
           fpclassify(x) == FP_NORMAL, fpclassify(x) == FP_SUBNORMAL, fpclassify(x) == FP_ZERO, \
           !!isnan(x), !!isinf(x), !!isnormal(x), !!signbit(x))

static int calls;
static float sums[] = { INFINITY + 1, -INFINITY, 0.0f / 0.0f };
static long double far[] = { INFINITY, -INFINITY, NAN };

static double next(void)
{
    static const double values[] = { 0.0, -0.0, 1.5, DBL_MIN, DBL_MIN / 2, DBL_TRUE_MIN, INFINITY, NAN };
    return values[calls++ % 8];
}

int main(void)
{
    volatile float narrow[] = { 0, -0.0f, 1, FLT_MIN, FLT_MIN / 2, -FLT_TRUE_MIN, -INFINITY, NAN };
    volatile long double wide[] = { 0, -0.0L, 1, LDBL_MIN, LDBL_MIN / 2, -LDBL_TRUE_MIN, INFINITY, NAN };
    for (int i = 0; i < 8; i++) {
        double x = next();
        SHOW(x);
        SHOW(narrow[i]);
        SHOW(wide[i]);
    }
    printf("%g %g %g %Lg %Lg %Lg\n", sums[0], sums[1], sums[2], far[0], far[1], far[2]);
    printf("%d %d\n", fpclassify(next()) == FP_ZERO, calls);
    printf("%d %d %d %d\n", signbit(narrow[1]), signbit(wide[1]), signbit(sums[0]), signbit(-1.0f));
    return 0;
}
