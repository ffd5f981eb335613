/* Goto: out of nested loops, backwards, into a block, for cleaning up. */
#include <stdio.h>

static int find(int want)
{
    int i, k;
    for (i = 0; i < 10; i++)
        for (k = 0; k < 10; k++)
            if (i * k == want)
                goto found;
    return -1;
found:
    return 100 * i + k;
}

static int loop(int n)
{
    int sum = 0;
again:
    if (n > 0) {
        sum += n--;
        goto again;
    }
    return sum;
}

static int into(int n)
{
    int r = 0;
    if (n == 1)
        goto inside;
    while (r < 3) {
        r++;
inside:
        r += 10;
    }
    return r;
}

static int clean(int fail_at)
{
    int undone = 0;
    if (fail_at == 1) goto one;
    if (fail_at == 2) goto two;
    return 0;
two:
    undone += 2;
one:
    undone += 1;
    return undone;
}

int main(void)
{
    printf("%d %d %d\n", find(42), find(77), find(0));
    printf("%d %d\n", loop(10), loop(0));
    printf("%d %d\n", into(0), into(1));
    printf("%d %d %d\n", clean(0), clean(1), clean(2));
    return 0;
}
