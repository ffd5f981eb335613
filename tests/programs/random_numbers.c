/* Generators written out: linear congruential, xorshift, Mersenne-like; shuffles and histograms. */
#include <stdint.h>
#include <stdio.h>

static uint32_t lcg_state = 1;
static uint64_t xorshift_state = 88172645463325252ull;

static uint32_t lcg(void) { return (lcg_state = lcg_state * 1664525u + 1013904223u) >> 8; }
static uint64_t xorshift(void)
{
    xorshift_state ^= xorshift_state << 13;
    xorshift_state ^= xorshift_state >> 7;
    xorshift_state ^= xorshift_state << 17;
    return xorshift_state;
}

static int between(int low, int high, uint32_t (*source)(void))
{
    return low + (int) (source() % (unsigned) (high - low + 1));
}

int main(void)
{
    int deck[20], bins[6] = { 0 }, i;
    for (i = 0; i < 20; i++)
        deck[i] = i;
    for (i = 19; i > 0; i--) {
        int k = between(0, i, lcg), t = deck[i];
        deck[i] = deck[k];
        deck[k] = t;
    }
    for (i = 0; i < 20; i++)
        printf("%d ", deck[i]);
    printf("\n");
    for (i = 0; i < 300; i++)
        bins[between(1, 6, lcg) - 1]++;
    for (i = 0; i < 6; i++)
        printf("%d ", bins[i]);
    for (i = 0; i < 10; i++)
        xorshift();
    printf("\n%llu\n", (unsigned long long) xorshift());
    return 0;
}
