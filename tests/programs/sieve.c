/* The sieve of Eratosthenes: how many, the last, their sum. */
#include <stdio.h>
#include <string.h>

#define LIMIT 2000
static char composite[LIMIT + 1];

int main(void)
{
    int i, k, count = 0, last = 0;
    long sum = 0;
    for (i = 2; i * i <= LIMIT; i++)
        if (!composite[i])
            for (k = i * i; k <= LIMIT; k += i)
                composite[k] = 1;
    for (i = 2; i <= LIMIT; i++)
        if (!composite[i]) {
            count++;
            last = i;
            sum += i;
        }
    printf("%d %d %ld\n", count, last, sum);
    return 0;
}
