/* Bits: counting, reversing, powers of two, isolating, parity, Gray code, swapping without a third. */
#include <stdint.h>
#include <stdio.h>

static int count(uint32_t x) { int n = 0; while (x) { x &= x - 1; n++; } return n; }
static int count_fast(uint32_t x)
{
    x -= x >> 1 & 0x55555555;
    x = (x & 0x33333333) + (x >> 2 & 0x33333333);
    return (x + (x >> 4) & 0x0f0f0f0f) * 0x01010101 >> 24;
}
static uint32_t reverse(uint32_t x)
{
    uint32_t r = 0;
    int i;
    for (i = 0; i < 32; i++, x >>= 1)
        r = r << 1 | (x & 1);
    return r;
}
static uint32_t round_up(uint32_t x)
{
    x--;
    x |= x >> 1; x |= x >> 2; x |= x >> 4; x |= x >> 8; x |= x >> 16;
    return x + 1;
}
static uint32_t swap_bytes(uint32_t x)
{
    return x >> 24 | (x >> 8 & 0xff00) | (x << 8 & 0xff0000) | x << 24;
}

int main(void)
{
    uint32_t xs[] = { 0, 1, 2, 0xff, 0x80000000, 0xdeadbeef, 12345678 }, a = 5, b = 9;
    int i;
    for (i = 0; i < 7; i++) {
        uint32_t x = xs[i];
        printf("%u: %d %d %x %u %x %d %u\n", x, count(x), count_fast(x), reverse(x), round_up(x),
               swap_bytes(x), (x & (x - 1)) == 0, x & -x);
    }
    for (i = 0; i < 8; i++)
        printf("%d ", i ^ i >> 1);
    a ^= b; b ^= a; a ^= b;
    printf("\n%u %u %d %d\n", a, b, (-7 ^ -7 >> 31) - (-7 >> 31), 7 & ~(7 >> 1));
    return 0;
}
