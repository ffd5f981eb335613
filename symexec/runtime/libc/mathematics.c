/* Exact functions of numbers with a point: C17 7.12. Those that round are worked out on the bits; the
 * rest compare. A long double's 64 bits behind its exponent are shifted the same way. */

/* Effects of calls, as csg/ir/library_effects.py reads them:
 *     ceil ceilf ceill copysign copysignf copysignl fabs fabsf fabsl floor floorf floorl fmax
 *         fmaxf fmaxl fmin fminf fminl isinf isnan llrint llrintf llrintl llround llroundf
 *         llroundl lrint lrintf lrintl lround lroundf lroundl nearbyint nearbyintf nearbyintl rint
 *         rintf rintl round roundf roundl trunc truncf truncl: nothing */

typedef unsigned long ulong;
typedef union { double number; ulong bits; } parts;
typedef union { float number; unsigned bits; } float_parts;
typedef union { long double number; struct { ulong bits; unsigned short head; } s; } long_parts;

enum { BIAS = 1023, STORED = 52, LONG_BIAS = 16383, LONG_STORED = 63 };

extern void __csgtest_approximated(const char *what);
extern int __csgtest_is_constant(ulong bits);

#define SIGN (1UL << 63)

double fabs(double x)
{
    parts p = {x};
    p.bits &= ~SIGN;
    return p.number;
}

long double fabsl(long double x)
{
    long_parts p = {x};
    p.s.head &= 0x7fff;
    return p.number;
}

float fabsf(float x)
{
    float_parts p = {x};
    p.bits &= ~0U >> 1;
    return p.number;
}

double trunc(double x)
{
    parts p = {x};
    int exponent = (int) (p.bits >> STORED & 0x7ff) - BIAS;
    if (exponent >= STORED)
        return x + 0;
    if (exponent < 0)
        p.bits &= SIGN;
    else
        p.bits &= ~((1UL << (STORED - exponent)) - 1);
    return p.number;
}

long double truncl(long double x)
{
    long_parts p = {x};
    int exponent = (p.s.head & 0x7fff) - LONG_BIAS;
    if (exponent >= LONG_STORED)
        return x + 0;
    if (exponent < 0) {
        p.s.bits = 0;
        p.s.head &= 0x8000;
    } else {
        p.s.bits &= ~((1UL << (LONG_STORED - exponent)) - 1);
    }
    return p.number;
}

float truncf(float x) { return (float) trunc(x); }

/* The sign of zero is x's. */
static double signed_as(double size, double x)
{
    parts p = {size}, q = {x};
    p.bits = (p.bits & ~SIGN) | (q.bits & SIGN);
    return p.number;
}

static long double signed_as_long(long double size, long double x)
{
    long_parts p = {size}, q = {x};
    p.s.head = (unsigned short) ((p.s.head & 0x7fff) | (q.s.head & 0x8000));
    return p.number;
}

double copysign(double x, double y) { return signed_as(x, y); }
long double copysignl(long double x, long double y) { return signed_as_long(x, y); }

float copysignf(float x, float y)
{
    float_parts p = {x}, q = {y};
    p.bits = (p.bits & ~0U >> 1) | (q.bits & 1U << 31);
    return p.number;
}

double floor(double x)
{
    double whole = trunc(x);
    return whole > x ? whole - 1 : whole;
}

double ceil(double x)
{
    double whole = trunc(x);
    return whole < x ? signed_as(whole + 1, x) : whole;
}

long double floorl(long double x)
{
    long double whole = truncl(x);
    return whole > x ? whole - 1 : whole;
}

long double ceill(long double x)
{
    long double whole = truncl(x);
    return whole < x ? signed_as_long(whole + 1, x) : whole;
}

float floorf(float x) { return (float) floor(x); }
float ceilf(float x) { return (float) ceil(x); }

/* Half goes away from zero. */
double round(double x)
{
    double whole = trunc(x), rest = fabs(x - whole);
    return rest >= 0.5 ? signed_as(fabs(whole) + 1, x) : whole;
}

long double roundl(long double x)
{
    long double whole = truncl(x), rest = fabsl(x - whole);
    return rest >= 0.5L ? signed_as_long(fabsl(whole) + 1, x) : whole;
}

float roundf(float x) { return (float) round(x); }

/* Half goes to the even one: what adding and taking away 2^52 leaves. */
double rint(double x)
{
    double size = fabs(x);
    if (!(size < 4503599627370496.0))
        return x + 0;
    return signed_as(size + 4503599627370496.0 - 4503599627370496.0, x);
}

long double rintl(long double x)
{
    long double size = fabsl(x);
    if (!(size < 9223372036854775808.0L))
        return x + 0;
    return signed_as_long(size + 9223372036854775808.0L - 9223372036854775808.0L, x);
}

float rintf(float x) { return (float) rint(x); }
double nearbyint(double x) { return rint(x); }
long double nearbyintl(long double x) { return rintl(x); }
float nearbyintf(float x) { return rintf(x); }
#define TO_INTEGER(name, kind, whole) \
    long name(kind x) { return (long) whole(x); }

TO_INTEGER(lround, double, round)
TO_INTEGER(lroundf, float, roundf)
TO_INTEGER(lroundl, long double, roundl)
TO_INTEGER(llround, double, round)
TO_INTEGER(llroundf, float, roundf)
TO_INTEGER(llroundl, long double, roundl)
TO_INTEGER(lrint, double, rint)
TO_INTEGER(lrintf, float, rintf)
TO_INTEGER(lrintl, long double, rintl)
TO_INTEGER(llrint, double, rint)
TO_INTEGER(llrintf, float, rintf)
TO_INTEGER(llrintl, long double, rintl)

/* Only fmin and fmax tell a signalling NaN from a quiet one. */
static int is_signalling(double x)
{
    parts p = {x};
    ulong size = p.bits & ~SIGN;
    return (size > 0x7ff0000000000000) & (size < 0x7ff8000000000000);
}

static int is_signalling_float(float x)
{
    float_parts p = {x};
    unsigned size = p.bits & ~0U >> 1;
    return (size > 0x7f800000) & (size < 0x7fc00000);
}

static int is_signalling_long(long double x)
{
    long_parts p = {x};
    ulong rest = p.s.bits & ~SIGN;
    return ((p.s.head & 0x7fff) == 0x7fff) & (rest != 0) & !(rest >> 62);
}

static ulong pattern(double x) { return ((parts) {x}).bits; }
static ulong pattern_float(float x) { return ((float_parts) {x}).bits; }
static ulong pattern_long(long double x) { return ((long_parts) {x}).s.bits; }

/* Of two zeros glibc takes the second one, or by their signs; and gcc may exchange them in the call.
 * With a signalling NaN the result is a NaN, but gcc takes a constant one for a quiet one. */
#define BETTER(kind, name, order, other, signalling, bits)                          \
    kind name(kind a, kind b)                                                       \
    {                                                                               \
        if (a == 0 && b == 0 && !__builtin_signbit(a) != !__builtin_signbit(b))     \
            __csgtest_approximated("which of two zeros " #name " returns");         \
        if (a order b)                                                              \
            return a;                                                               \
        if (a other b)                                                              \
            return b;                                                               \
        if (signalling(a) | signalling(b)) {                                        \
            if ((signalling(a) && __csgtest_is_constant(bits(a)))                   \
                || (signalling(b) && __csgtest_is_constant(bits(b))))               \
                __csgtest_approximated(#name " of a constant signalling NaN");      \
            return a + b;                                                           \
        }                                                                           \
        return b != b ? a : b;                                                      \
    }

BETTER(double, fmin, <, >=, is_signalling, pattern)
BETTER(double, fmax, >, <=, is_signalling, pattern)
BETTER(float, fminf, <, >=, is_signalling_float, pattern_float)
BETTER(float, fmaxf, >, <=, is_signalling_float, pattern_float)
BETTER(long double, fminl, <=, >, is_signalling_long, pattern_long)
BETTER(long double, fmaxl, >, <=, is_signalling_long, pattern_long)

int isnan(double x) { return x != x; }
int isinf(double x) { return __builtin_isinf_sign(x); }
int finite(double x) { return __builtin_isfinite(x); }
int finitef(float x) { return __builtin_isfinite(x); }
int finitel(long double x) { return __builtin_isfinite(x); }
int isnanf(float x) { return x != x; }
int isnanl(long double x) { return x != x; }
int isinff(float x) { return __builtin_isinf_sign(x); }
int isinfl(long double x) { return __builtin_isinf_sign(x); }
int __isnan(double x) { return x != x; }
int __isnanf(float x) { return x != x; }
int __isnanl(long double x) { return x != x; }
int __isinf(double x) { return __builtin_isinf_sign(x); }
int __isinff(float x) { return __builtin_isinf_sign(x); }
int __isinfl(long double x) { return __builtin_isinf_sign(x); }
int __finite(double x) { return __builtin_isfinite(x); }
int __finitef(float x) { return __builtin_isfinite(x); }
int __finitel(long double x) { return __builtin_isfinite(x); }
int __signbit(double x) { return !!__builtin_signbit(x) << 7; }
int __signbitf(float x) { return !!__builtin_signbitf(x) << 3; }
int __signbitl(long double x) { return !!__builtin_signbitl(x) << 9; }
