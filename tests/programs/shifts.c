/* Shifts: arithmetic and logical to the right, the count does not widen the value. */
#include <stdint.h>
#include <stdio.h>

static uint32_t rotate(uint32_t x, int n)
{
    n &= 31;
    return n ? x << n | x >> (32 - n) : x;
}

int main(void)
{
    int i;
    for (i = 0; i < 32; i += 5)
        printf("%d %d %u %u\n", 1 << i, -1000000 >> i, 4294967295u >> i, rotate(0x80000001u, i));
    printf("%lld\n", (long long) (1 << 31));
    printf("%lld\n", 1LL << 62);
    printf("%llu\n", 1ull << 63);
    printf("%d\n", (unsigned char) 200 >> 3);
    printf("%d\n", (signed char) -100 >> 3);
    printf("%ld\n", (long) -1 >> 63);
    i = 3;
    i <<= 4;
    i >>= 1;
    printf("%d\n", i);
    {
        unsigned short s = 0x8001;
        s <<= 1;
        printf("%d\n", s);
        s = 0x8001;
        s >>= 1;
        printf("%d\n", s);
    }
    return 0;
}
