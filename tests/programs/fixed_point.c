/* Fixed-point numbers in integers: products, quotients, square roots, sine by a table, printing. */
#include <stdint.h>
#include <stdio.h>

typedef int32_t fixed;
#define ONE 65536

static fixed times(fixed a, fixed b) { return (fixed) (((int64_t) a * b) >> 16); }
static fixed over(fixed a, fixed b) { return (fixed) (((int64_t) a << 16) / b); }

static uint32_t root(uint64_t n)
{
    uint64_t low = 0, high = 1ull << 32;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (middle * middle <= n)
            low = middle;
        else
            high = middle;
    }
    return (uint32_t) low;
}

static void show(fixed a)
{
    uint32_t u = a < 0 ? -(uint32_t) a : (uint32_t) a;
    printf("%s%u.%04u ", a < 0 ? "-" : "", u >> 16, (u & 0xffff) * 10000 >> 16);
}

static fixed sine(fixed x)
{
    fixed square = times(x, x), term = x, sum = x;
    int n;
    for (n = 1; n < 6; n++) {
        term = -over(times(term, square), (2 * n) * (2 * n + 1) * ONE);
        sum += term;
    }
    return sum;
}

int main(void)
{
    fixed a = 5 * ONE / 2, b = -3 * ONE;
    int i;
    show(a); show(b); show(times(a, b)); show(over(a, b)); show(-ONE / 3);
    printf("\n");
    for (i = 0; i < 7; i++)
        show(sine(i * ONE / 2));
    printf("\n%u %u %u\n", root(2), root(1ull << 40), root(15241578750190521ull));
    show((fixed) root((uint64_t) 2 * ONE * ONE));
    printf("\n");
    return 0;
}
