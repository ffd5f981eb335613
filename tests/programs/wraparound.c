/* Unsigned arithmetic wraps by the standard; signed does with -fwrapv. */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>

int main(void)
{
    unsigned u = 0;
    int s = INT_MAX;
    uint8_t b = 250;
    int i;

    u--;
    printf("%u %u\n", u, u + 2);
    s++;
    printf("%d %d %d\n", s, s - 1, -s);
    for (i = 0; i < 10; i++)
        printf("%d ", b++);
    printf("\n");
    b = 3;
    for (i = 0; i < 6; i++)
        printf("%d ", b--);
    printf("\n");
    printf("%u\n", 65536u * 65537u);
    printf("%d\n", 65536 * 32768);
    printf("%llu\n", ULLONG_MAX * ULLONG_MAX);
    printf("%ld\n", LONG_MAX + 1L == LONG_MIN ? 1L : 0L);
    {
        uint64_t x = 1, steps = 0;
        do {
            x = x * 6364136223846793005u + 1442695040888963407u;
            steps++;
        } while (steps < 20);
        printf("%llu\n", (unsigned long long) x);
    }
    return 0;
}
