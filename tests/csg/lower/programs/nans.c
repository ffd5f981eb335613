#include <stdio.h>
#include <string.h>

static double of_file = __builtin_nans("");
static long double long_ones[2] = {__builtin_nansl("0x7"), 1};
static float octal = __builtin_nanf("077");

static void show(double x)
{
    unsigned long bits;
    memcpy(&bits, &x, 8);
    printf("%lx\n", bits);
}

static void show_float(float x)
{
    unsigned bits;
    memcpy(&bits, &x, 4);
    printf("%x\n", bits);
}

static void show_long(long double x)
{
    unsigned long bits;
    memcpy(&bits, &x, 8);
    printf("%lx\n", bits);
}

int main(void)
{
    show(of_file), show_long(long_ones[0]), show_float(octal);
    show(__builtin_nan("0x12")), show(__builtin_nans("12")), show(__builtin_nans("0"));
    show(-__builtin_nans("1")), show(__builtin_nansf("0x100")), show(__builtin_nan("zz"));
    show_float(__builtin_nansf("")), show_float(__builtin_nanf("0xffffffff"));
    show_float((float) __builtin_nans("1"));
    show_long(__builtin_nansl("")), show_long(__builtin_nanl("0x123456789abcdef01"));
    return 0;
}
