/* Exponents and neighbours of numbers with a point, C17 7.12.6, 7.12.11, exact on the bits.
 *
 *     frexp(12.0, &e)     ->   0.75, e is 4
 *     ldexp(0.75, 4)      ->   12.0 */

/* Effects of calls, as csg/ir/library_effects.py reads them:
 *     fdim fdimf fdiml ilogb ilogbf ilogbl ldexp ldexpf ldexpl nextafter nextafterf nextafterl
 *         scalbln scalblnf scalblnl scalbn scalbnf scalbnl: writes errno
 *     logb logbf logbl: nothing
 *     frexp frexpf frexpl modf modff modfl: writes 1 */

typedef unsigned long ulong;
typedef union { double number; ulong bits; } parts;
typedef union { float number; unsigned bits; } float_parts;
typedef union { long double number; struct { ulong bits; unsigned short head; } s; } long_parts;

extern int __csgtest_errno;
extern void __csgtest_approximated(const char *what);
extern int __csgtest_is_constant(ulong bits);
extern int __issignaling(double x), __issignalingf(float x), __issignalingl(long double x);
extern int isalnum(int c);
extern unsigned long long strtoull(const char *text, char **end, int base);
extern double trunc(double x), fabs(double x);
extern float truncf(float x), fabsf(float x);
extern long double truncl(long double x), fabsl(long double x);
extern double copysign(double x, double y);
extern float copysignf(float x, float y);
extern long double copysignl(long double x, long double y);

enum { STORED = 52, BIAS = 1023, TOP = 2047, LONG_BIAS = 16383, LONG_TOP = 32767 };
enum { OUT_OF_DOMAIN = 33, OUT_OF_RANGE = 34, FAR = 50000, LEAST_INT = -2147483647 - 1 };

#define SIGN (1UL << 63)
#define LEADING (1UL << 63) /* of a long double */
#define TO_NORMAL 18446744073709551616.0 /* 2^64 makes every subnormal number a normal one */
#define INFINITE(x) ((x) - (x) != 0)

/* ---------------------------------------------------------------------- exponents */

/* x is m * 2^exponent with 0.5 <= |m| < 1; no number and zero stay, with exponent 0. */
double frexp(double x, int *exponent)
{
    parts p = {x};
    int lifted = 0, e = (int) (p.bits >> STORED & TOP);
    *exponent = 0;
    if (e == TOP || x == 0)
        return x + x;
    if (!e) {
        p.number *= TO_NORMAL;
        e = (int) (p.bits >> STORED & TOP);
        lifted = 64;
    }
    *exponent = e - (BIAS - 1) - lifted;
    p.bits = (p.bits & ~((ulong) TOP << STORED)) | (ulong) (BIAS - 1) << STORED;
    return p.number;
}

float frexpf(float x, int *exponent) { return (float) frexp(x, exponent); }

long double frexpl(long double x, int *exponent)
{
    long_parts p = {x};
    int lifted = 0, e = p.s.head & LONG_TOP;
    *exponent = 0;
    if (e == LONG_TOP || x == 0)
        return x + x;
    if (!e) {
        p.number *= TO_NORMAL;
        e = p.s.head & LONG_TOP;
        lifted = 64;
    }
    *exponent = e - (LONG_BIAS - 1) - lifted;
    p.s.head = (unsigned short) ((p.s.head & 0x8000) | (LONG_BIAS - 1));
    return p.number;
}

static int bounded(long n)
{
    return n > FAR ? FAR : n < -FAR ? -FAR : (int) n;
}

static double scaled(double x, int n)
{
    parts p = {x};
    int e = (int) (p.bits >> STORED & TOP);
    if (e == TOP || x == 0)
        return x + x;
    if (!e) {
        p.number *= TO_NORMAL;
        e = (int) (p.bits >> STORED & TOP) - 64;
    }
    e += n;
    if (e >= TOP)
        return copysign(__builtin_inf(), x);
    if (e < -STORED - 1)
        return copysign(0, x);
    int low = e <= 0; /* rounded once, by the last multiplication */
    p.bits = (p.bits & ~((ulong) TOP << STORED)) | (ulong) (e + (low ? 64 : 0)) << STORED;
    return low ? p.number * (1 / TO_NORMAL) : p.number;
}

static long double scaled_long(long double x, int n)
{
    long_parts p = {x};
    int e = p.s.head & LONG_TOP;
    if (e == LONG_TOP || x == 0)
        return x + x;
    if (!e) {
        p.number *= TO_NORMAL;
        e = (p.s.head & LONG_TOP) - 64;
    }
    e += n;
    if (e >= LONG_TOP)
        return copysignl(__builtin_inf(), x);
    if (e < -63) /* below half of the least number; lifted, -64 would be no normal number either */
        return copysignl(0, x);
    int low = e <= 0;
    p.s.head = (unsigned short) ((p.s.head & 0x8000) | (e + (low ? 64 : 0)));
    return low ? p.number * (1 / (long double) TO_NORMAL) : p.number;
}

/* What became infinite or zero and was not is out of range. Where n is a constant 0, gcc takes x as
 * it is, and a signalling NaN stays one. */
#define SCALE(kind, name, count, how, signalling)                           \
    kind name(kind x, count n)                                              \
    {                                                                       \
        if (__csgtest_is_constant((ulong) n) && n == 0 && signalling(x))    \
            __csgtest_approximated(#name " of a signalling NaN and 0");     \
        kind result = (kind) how(x, bounded(n));                            \
        if ((result == 0 && x != 0) | (INFINITE(result) & !INFINITE(x)))    \
            __csgtest_errno = OUT_OF_RANGE;                                 \
        return result;                                                      \
    }

/* A double holds a scaled float exactly, up to what no float reaches. */
static float scaled_float(float x, int n)
{
    return (float) scaled(x, n > 400 ? 400 : n < -400 ? -400 : n);
}

SCALE(double, ldexp, int, scaled, __issignaling)
SCALE(double, scalbn, int, scaled, __issignaling)
SCALE(double, scalbln, long, scaled, __issignaling)
SCALE(float, ldexpf, int, scaled_float, __issignalingf)
SCALE(float, scalbnf, int, scaled_float, __issignalingf)
SCALE(float, scalblnf, long, scaled_float, __issignalingf)
SCALE(long double, ldexpl, int, scaled_long, __issignalingl)
SCALE(long double, scalbnl, int, scaled_long, __issignalingl)
SCALE(long double, scalblnl, long, scaled_long, __issignalingl)

long double logbl(long double x)
{
    int e;
    if (x == 0)
        return -__builtin_inf();
    if (x - x != 0)
        return x * x;
    frexpl(x, &e);
    return e - 1;
}

double logb(double x) { return (double) logbl(x); }
float logbf(float x) { return (float) logbl(x); }

int ilogbl(long double x)
{
    int e;
    if (x == 0 || x - x != 0) {
        __csgtest_errno = OUT_OF_DOMAIN;
        return x == 0 || x != x ? LEAST_INT : ~LEAST_INT;
    }
    frexpl(x, &e);
    return e - 1;
}

int ilogb(double x) { return ilogbl(x); }
int ilogbf(float x) { return ilogbl(x); }

/* ---------------------------------------------------------------------- parts */

#define PARTS(kind, name, truncated, signed_as, size)              \
    kind name(kind x, kind *whole)                                 \
    {                                                              \
        *whole = truncated(x);                                     \
        return size(x) == size(*whole) ? signed_as(0, x) : x - *whole; \
    }

PARTS(double, modf, trunc, copysign, fabs)
PARTS(float, modff, truncf, copysignf, fabsf)
PARTS(long double, modfl, truncl, copysignl, fabsl)

#define DIFFERENCE(kind, name)                                       \
    kind name(kind x, kind y)                                        \
    {                                                                \
        if (x <= y)                                                  \
            return 0;                                                \
        kind result = x - y;                                         \
        if (INFINITE(result) & !INFINITE(x) & !INFINITE(y))          \
            __csgtest_errno = OUT_OF_RANGE;                          \
        return result;                                               \
    }

DIFFERENCE(double, fdim)
DIFFERENCE(float, fdimf)
DIFFERENCE(long double, fdiml)

/* nan("0x12"): the number is the payload, as far as it has room. */
static ulong payload(const char *tag)
{
    char *end;
    for (const char *at = tag; *at; at++)
        if (!isalnum((unsigned char) *at) && *at != '_')
            return 0;
    ulong number = strtoull(tag, &end, 0);
    return *end ? 0 : number;
}

double nan(const char *tag)
{
    parts p = {__builtin_nan("")};
    p.bits |= payload(tag) & ((1UL << (STORED - 1)) - 1);
    return p.number;
}

float nanf(const char *tag)
{
    float_parts p = {__builtin_nanf("")};
    p.bits |= payload(tag) & ((1U << 22) - 1);
    return p.number;
}

long double nanl(const char *tag)
{
    long_parts p = {__builtin_nanl("")};
    p.s.bits |= payload(tag) & ((1UL << 62) - 1);
    return p.number;
}

/* ---------------------------------------------------------------------- neighbours */

/* Not told of zero's own neighbours. */
static void check_neighbour(int is_zero, int is_infinite, int is_subnormal)
{
    if (!is_zero & (is_infinite | is_subnormal))
        __csgtest_errno = OUT_OF_RANGE;
}

static double step(double x, int up)
{
    parts p = {x};
    if (x == 0)
        p.bits = up ? 1 : SIGN | 1;
    else
        p.bits += (x > 0) == up ? 1UL : -1UL;
    check_neighbour(x == 0, INFINITE(p.number) & !INFINITE(x), !(p.bits >> STORED & TOP));
    return p.number;
}

static float float_step(float x, int up)
{
    float_parts p = {x};
    if (x == 0)
        p.bits = up ? 1 : 1U << 31 | 1;
    else
        p.bits += (x > 0) == up ? 1U : -1U;
    check_neighbour(x == 0, INFINITE(p.number) & !INFINITE(x), !(p.bits >> 23 & 255));
    return p.number;
}

static long double long_step(long double x, int up)
{
    long_parts p = {x};
    if (x == 0) {
        p.s.bits = 1;
        p.s.head = up ? 0 : 0x8000;
    } else if ((x > 0) == up) {
        if (!(++p.s.bits & ~LEADING) && p.s.head & LONG_TOP) {
            p.s.head++;
            p.s.bits = LEADING;
        } else if (p.s.bits & LEADING && !(p.s.head & LONG_TOP)) {
            p.s.head++;
        }
    } else if (!(p.s.bits-- & ~LEADING) && p.s.head & LONG_TOP) {
        p.s.head--;
        p.s.bits = p.s.head & LONG_TOP ? ~0UL : ~LEADING;
    }
    check_neighbour(x == 0, INFINITE(p.number) & !INFINITE(x), !(p.s.head & LONG_TOP));
    return p.number;
}

#define NEIGHBOUR(kind, name, other, way)      \
    kind name(kind x, other y)                 \
    {                                          \
        if (x != x || y != y)                  \
            return (kind) (x + y);             \
        return x == y ? (kind) y : way(x, x < y); \
    }

NEIGHBOUR(double, nextafter, double, step)
NEIGHBOUR(float, nextafterf, float, float_step)
NEIGHBOUR(long double, nextafterl, long double, long_step)
NEIGHBOUR(double, nexttoward, long double, step)
NEIGHBOUR(float, nexttowardf, long double, float_step)
NEIGHBOUR(long double, nexttowardl, long double, long_step)

/* ---------------------------------------------------------------------- kinds of numbers */

int signgam; /* what lgamma says of the gamma function's sign */

int __fpclassify(double x)
{
    parts p = {x};
    int e = (int) (p.bits >> STORED & TOP);
    if (e == TOP)
        return x != x ? 0 : 1;
    return e ? 4 : x == 0 ? 2 : 3;
}

int __fpclassifyf(float x)
{
    float_parts p = {x};
    int e = (int) (p.bits >> 23 & 255);
    if (e == 255)
        return x != x ? 0 : 1;
    return e ? 4 : x == 0 ? 2 : 3;
}

int __fpclassifyl(long double x)
{
    long_parts p = {x};
    int e = p.s.head & LONG_TOP;
    if (e == LONG_TOP)
        return x != x ? 0 : 1;
    return e ? 4 : x == 0 ? 2 : 3;
}

int __issignaling(double x)
{
    parts p = {x};
    ulong size = p.bits & ~SIGN;
    return size > 0x7ff0000000000000 && size < 0x7ff8000000000000;
}

int __issignalingf(float x)
{
    float_parts p = {x};
    unsigned size = p.bits & ~0U >> 1;
    return size > 0x7f800000 && size < 0x7fc00000;
}

int __issignalingl(long double x)
{
    long_parts p = {x};
    ulong rest = p.s.bits & ~LEADING;
    return (p.s.head & LONG_TOP) == LONG_TOP && rest && !(rest >> 62);
}

/* Equal, and an error when they cannot be compared. */
#define EQUAL(kind, name)                     \
    int name(kind x, kind y)                  \
    {                                         \
        if ((x != x) | (y != y))              \
            __csgtest_errno = OUT_OF_DOMAIN;  \
        return x == y;                        \
    }

EQUAL(double, __iseqsig)
EQUAL(float, __iseqsigf)
EQUAL(long double, __iseqsigl)
