/* 64-bit arithmetic: products, quotients, shifts, conversions to and from narrower types. */
#include <inttypes.h>
#include <stdio.h>

static uint64_t power(uint64_t base, unsigned exponent, uint64_t modulus)
{
    uint64_t result = 1;
    while (exponent) {
        if (exponent & 1)
            result = result * base % modulus;
        base = base * base % modulus;
        exponent >>= 1;
    }
    return result;
}

int main(void)
{
    int64_t a = 123456789012345, b = -987654321;
    uint64_t c = 0xdeadbeefcafebabe;
    printf("%" PRId64 " %" PRId64 " %" PRId64 "\n", a * 7, a / b, a % b);
    printf("%" PRIx64 " %" PRIx64 "\n", c >> 12, c << 12);
    printf("%d %d %d\n", (int) a, (short) c, (signed char) (c >> 8));
    printf("%" PRIu64 "\n", power(3, 200, 1000000007));
    printf("%lld %lld\n", (long long) (a > b), (long long) (c > (uint64_t) b));
    printf("%llu\n", 18446744073709551615ull / 10 * 3);
    printf("%lld\n", (long long) 3000000000u + 3000000000u);
    printf("%lld\n", (long long) (3000000000u + 3000000000u));
    a = -1;
    printf("%u %llu\n", (unsigned) a, (unsigned long long) (unsigned) a);
    return 0;
}
