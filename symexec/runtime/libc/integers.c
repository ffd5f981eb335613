/* Numbers from text, and absolute values: C17 7.22.1, 7.22.6, 7.8.2.
 *
 *     strtol("-12x", &end, 10)   ->  -12, end at "x"
 *
 * A digit costs one decision. While so few digits are read that they fit whatever they are, overflow
 * is not asked about. */

/* Effects of calls, as csg/ir/library_effects.py reads them:
 *     abs ffs labs llabs __csgtest_has_bit: nothing
 *     atoi atol atoll: reads 0.., writes errno
 *     strtoimax strtol strtoll strtoul strtoull strtoumax __isoc23_strtol __isoc23_strtoll
 *         __isoc23_strtoul __isoc23_strtoull: reads 0, writes 1 errno, keeps 1:0 */

typedef unsigned long ulong;

extern int __csgtest_errno;
extern void __csgtest_approximated(const char *what);

void __csgtest_has_bit(ulong x)
{
    if (!x)
        __csgtest_approximated("the number of zeros in 0 (__builtin_clz, __builtin_ctz: undefined)");
}

enum { INVALID = 22, OUT_OF_RANGE = 34 };

#define MOST (~0UL)
#define MOST_LONG (~0UL >> 1)

static int is_space(int c)
{
    return (c == ' ') | ((unsigned) c - '\t' < 5);
}

/* What a digit or letter counts, something large for any other byte; no decision. */
static unsigned digit_value(int c)
{
    unsigned digit = (unsigned) c - '0', letter = ((unsigned) c | 32) - 'a';
    return (-(unsigned) (digit < 10) & digit) | (-(unsigned) (letter < 26) & (letter + 10)) |
           (-(unsigned) !((digit < 10) | (letter < 26)) & 99);
}

static unsigned value_in(int c, int base)
{
    return base <= 10 ? (unsigned) c - '0' : digit_value(c);
}

/* As many digits of a base never reach 2^63. */
static int safe_digits(int base)
{
    return base <= 2 ? 62 : base <= 8 ? 20 : base <= 10 ? 18 : base <= 16 ? 15 : 12;
}

struct number {
    ulong size;   /* without its sign */
    int negative;
    int large;    /* it has enough digits that it may not fit */
    int overflow; /* more than an unsigned long holds */
    int found;    /* there was a number */
};

/* ``binary``: 0b is a prefix, as C23 has it. */
static struct number read_number(const char *s, char **end, int base, int binary)
{
    struct number n = {0, 0, 0, 0, 0};
    const char *start = s;
    while (is_space(*s))
        s++;
    if (*s == '-') {
        n.negative = 1;
        s++;
    } else if (*s == '+') {
        s++;
    }
    if (binary && (base == 0 || base == 2) && *s == '0' && (s[1] | 32) == 'b' && (s[2] | 1) == '1') {
        s += 2;
        base = 2;
    } else if (base == 0 || base == 16) {
        if (*s == '0') {
            if ((s[1] | 32) == 'x' && digit_value(s[2]) < 16) {
                s += 2;
                base = 16;
            } else if (base == 0) {
                base = 8;
            }
        } else if (base == 0) {
            base = 10;
        }
    }
    int safe = safe_digits(base);
    for (int digits = 1; value_in(*s, base) < (unsigned) base; s++, digits++) {
        unsigned digit = value_in(*s, base);
        n.found = 1;
        if (digits > safe) {
            n.large = 1;
            if (n.size > (MOST - digit) / base)
                n.overflow = 1;
        }
        n.size = n.size * base + digit;
    }
    if (end)
        *end = (char *) (n.found ? s : start);
    return n;
}

static int bad_base(int base)
{
    if (base == 0 || (base >= 2 && base <= 36))
        return 0;
    __csgtest_errno = INVALID;
    return 1;
}

static long read_long(const char *s, char **end, int base, int binary)
{
    if (bad_base(base))
        return 0;
    struct number n = read_number(s, end, base, binary);
    if (n.large && (n.overflow || n.size > MOST_LONG + n.negative)) {
        __csgtest_errno = OUT_OF_RANGE;
        return (long) (MOST_LONG + n.negative);
    }
    return n.negative ? -n.size : n.size;
}

static ulong read_ulong(const char *s, char **end, int base, int binary)
{
    if (bad_base(base))
        return 0;
    struct number n = read_number(s, end, base, binary);
    if (n.overflow) {
        __csgtest_errno = OUT_OF_RANGE;
        return MOST;
    }
    return n.negative ? -n.size : n.size;
}

long strtol(const char *s, char **end, int base) { return read_long(s, end, base, 0); }
ulong strtoul(const char *s, char **end, int base) { return read_ulong(s, end, base, 0); }
long long strtoll(const char *s, char **end, int base) { return strtol(s, end, base); }
unsigned long long strtoull(const char *s, char **end, int base) { return strtoul(s, end, base); }
long strtoimax(const char *s, char **end, int base) { return strtol(s, end, base); }
ulong strtoumax(const char *s, char **end, int base) { return strtoul(s, end, base); }
long long strtoq(const char *s, char **end, int base) { return strtol(s, end, base); }
unsigned long long strtouq(const char *s, char **end, int base) { return strtoul(s, end, base); }

/* The names that strtol and its kin have in C23 programs built with newer headers. */
long __isoc23_strtol(const char *s, char **end, int base) { return read_long(s, end, base, 1); }
ulong __isoc23_strtoul(const char *s, char **end, int base) { return read_ulong(s, end, base, 1); }
long long __isoc23_strtoll(const char *s, char **end, int base) { return read_long(s, end, base, 1); }
unsigned long long __isoc23_strtoull(const char *s, char **end, int base)
{
    return read_ulong(s, end, base, 1);
}

int atoi(const char *s) { return (int) strtol(s, 0, 10); }
long atol(const char *s) { return strtol(s, 0, 10); }
long long atoll(const char *s) { return strtol(s, 0, 10); }

/* ---------------------------------------------------------------------- arithmetic */

typedef struct { int quot, rem; } div_t;
typedef struct { long quot, rem; } ldiv_t;
typedef struct { long long quot, rem; } lldiv_t;

/* The sign is spread over the bits: no decision. The most negative value stays (it has no other). */
int abs(int n) { return (int) (((unsigned) n ^ (unsigned) (n >> 31)) - (unsigned) (n >> 31)); }
long labs(long n) { return (long) (((ulong) n ^ (ulong) (n >> 63)) - (ulong) (n >> 63)); }
long long llabs(long long n) { return labs(n); }
long imaxabs(long n) { return labs(n); }

div_t div(int a, int b)
{
    div_t result = {a / b, a % b};
    return result;
}

ldiv_t ldiv(long a, long b)
{
    ldiv_t result = {a / b, a % b};
    return result;
}

lldiv_t lldiv(long long a, long long b)
{
    lldiv_t result = {a / b, a % b};
    return result;
}

ldiv_t imaxdiv(long a, long b) { return ldiv(a, b); }

int ffs(int n)
{
    for (int i = 0; i < 32; i++)
        if ((unsigned) n >> i & 1)
            return i + 1;
    return 0;
}
