/* Packed bit-fields: they straddle the units of their types, and records have odd sizes. */
#include <stdio.h>
#include <string.h>

#pragma pack(push, 1)
struct odd { int low : 7; int high : 31; };
struct many { unsigned a : 29; signed b : 30; unsigned c : 3; signed char d; unsigned e : 31; };
struct wide { unsigned long long a : 5; long long b : 64; };
#pragma pack(pop)
struct marked { unsigned a : 12; unsigned b : 31; short c; } __attribute__((packed));

static struct odd first = { -5, 0x2abcdef1 };
static const struct many second = { 0x1fffffff, -3, 5, -7, 0x7fffffff };
static struct wide third = { 17, -0x123456789abcdef };
static struct marked fourth[2] = { { 0xabc, 0x7ffffffe, -2 }, { 1, 2, 3 } };

static void dump(const void *data, unsigned long size)
{
    const unsigned char *bytes = data;
    unsigned long i;
    for (i = 0; i < size; i++)
        printf("%02x", bytes[i]);
    printf(" %lu\n", size);
}

int main(void)
{
    struct odd local = { 3, -9 };
    struct many copy;

    memcpy(&copy, &second, sizeof copy); /* its last bit, too, which belongs to no field */
    dump(&first, sizeof first);
    dump(&second, sizeof second);
    dump(&third, sizeof third);
    dump(fourth, sizeof fourth);
    first.high--;
    first.low = first.high;
    third.b ^= -1;
    third.a += 20;
    fourth[1].b -= 5;
    fourth[0].a = fourth[1].b;
    copy.b = copy.e >> 2;
    copy.e <<= 1;
    printf("%d %d %d %d\n", first.low, first.high, local.low, local.high);
    printf("%d %lld %u %u\n", (int) third.a, (long long) third.b, fourth[0].a, fourth[1].b);
    printf("%u %d %u %d %u\n", copy.a, copy.b, copy.c, copy.d, copy.e);
    dump(&first, sizeof first);
    dump(&local, sizeof local);
    dump(&third, sizeof third);
    dump(fourth, sizeof fourth);
    dump(&copy, sizeof copy);
    return 0;
}
