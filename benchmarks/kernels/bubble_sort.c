/* Bubble sort of five unknown numbers: one path for each of their 120 orders. */
#include <assert.h>

void klee_make_symbolic(void *address, unsigned long size, const char *name);

#define N 5

int main(void)
{
    int a[N], i, k;

    klee_make_symbolic(a, sizeof a, "a");
    for (i = 0; i < N - 1; i++)
        for (k = 0; k < N - 1 - i; k++)
            if (a[k] > a[k + 1]) {
                int t = a[k];
                a[k] = a[k + 1];
                a[k + 1] = t;
            }
    for (i = 0; i + 1 < N; i++)
        assert(a[i] <= a[i + 1]);
    return 0;
}
