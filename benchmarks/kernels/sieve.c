/* The sieve of Eratosthenes up to 20,000: nothing unknown, 2262 primes. */
#include <stdio.h>

#define LIMIT 20000

static char composite[LIMIT + 1];

int main(void)
{
    int i, k, count = 0;

    for (i = 2; i <= LIMIT; i++) {
        if (composite[i])
            continue;
        count++;
        for (k = i + i; k <= LIMIT; k += i)
            composite[k] = 1;
    }
    printf("%d\n", count);
    return 0;
}
