/* Computes what the tests of floating point ask, the way gcc does it on x86-64.
   A line "op bits a b" (hexadecimal patterns) gives the result's pattern in hexadecimal. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef unsigned __int128 u128;

static u128 parse(const char *text)
{
    u128 value = 0;
    for (; *text; text++)
        value = value * 16 + (unsigned)(*text <= '9' ? *text - '0' : *text - 'a' + 10);
    return value;
}

static void print(u128 value)
{
    printf("%016llx%016llx\n", (unsigned long long)(value >> 64), (unsigned long long)value);
}

#define FORMAT(T, NAME, SIZE)                                                          \
    static T NAME##_of(u128 bits) { T x; memcpy(&x, &bits, SIZE); return x; }          \
    static u128 NAME##_bits(T x) { u128 b = 0; memcpy(&b, &x, SIZE); return b; }       \
    static void NAME(const char *op, u128 p, u128 q)                                   \
    {                                                                                  \
        volatile T a = NAME##_of(p), b = NAME##_of(q);                                 \
        if (!strcmp(op, "add")) print(NAME##_bits(a + b));                             \
        if (!strcmp(op, "sub")) print(NAME##_bits(a - b));                             \
        if (!strcmp(op, "mul")) print(NAME##_bits(a * b));                             \
        if (!strcmp(op, "div")) print(NAME##_bits(a / b));                             \
        if (!strcmp(op, "sqrt")) print(NAME##_bits(NAME##_root(a)));                   \
        if (!strcmp(op, "eq")) print(a == b);                                          \
        if (!strcmp(op, "ne")) print(a != b);                                          \
        if (!strcmp(op, "lt")) print(a < b);                                           \
        if (!strcmp(op, "le")) print(a <= b);                                          \
        if (!strcmp(op, "f32")) print(f_bits((float)a));                               \
        if (!strcmp(op, "f64")) print(d_bits((double)a));                              \
        if (!strcmp(op, "f80")) print(x_bits((long double)a));                         \
        if (!strcmp(op, "s8")) print((u128)(uint8_t)(int8_t)a);                        \
        if (!strcmp(op, "s16")) print((u128)(uint16_t)(int16_t)a);                     \
        if (!strcmp(op, "s32")) print((u128)(uint32_t)(int32_t)a);                     \
        if (!strcmp(op, "s64")) print((u128)(uint64_t)(int64_t)a);                     \
        if (!strcmp(op, "s128")) print((u128)(__int128)a);                             \
        if (!strcmp(op, "u128")) print((u128)a);                                       \
        if (!strcmp(op, "u8")) print((u128)(uint8_t)a);                                \
        if (!strcmp(op, "u16")) print((u128)(uint16_t)a);                              \
        if (!strcmp(op, "u32")) print((u128)(uint32_t)a);                              \
        if (!strcmp(op, "u64")) print((u128)(uint64_t)a);                              \
        if (!strcmp(op, "from_s32")) { volatile T r = (T)(int32_t)p; print(NAME##_bits(r)); }  \
        if (!strcmp(op, "from_s64")) { volatile T r = (T)(int64_t)p; print(NAME##_bits(r)); }  \
        if (!strcmp(op, "from_s128")) { volatile T r = (T)(__int128)p; print(NAME##_bits(r)); } \
        if (!strcmp(op, "from_u128")) { volatile T r = (T)p; print(NAME##_bits(r)); }          \
        if (!strcmp(op, "from_u32")) { volatile T r = (T)(uint32_t)p; print(NAME##_bits(r)); } \
        if (!strcmp(op, "from_u64")) { volatile T r = (T)(uint64_t)p; print(NAME##_bits(r)); } \
    }

static float f_root(float a)
{
    __asm__("sqrtss %0, %0" : "+x"(a));
    return a;
}
static double d_root(double a)
{
    __asm__("sqrtsd %0, %0" : "+x"(a));
    return a;
}
static long double x_root(long double a)
{
    __asm__("fsqrt" : "+t"(a));
    return a;
}
static u128 d_bits(double x);
static u128 x_bits(long double x);
FORMAT(float, f, 4)
FORMAT(double, d, 8)
FORMAT(long double, x, 10)

int main(void)
{
    char op[16], a[40], b[40];
    int bits;
    while (scanf("%15s %d %39s %39s", op, &bits, a, b) == 4)
        (bits == 32 ? f : bits == 64 ? d : x)(op, parse(a), parse(b));
    return 0;
}
