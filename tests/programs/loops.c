/* All loops, with break, continue and missing parts. */
#include <stdio.h>

int main(void)
{
    int i, n = 0, k;
    for (i = 0; i < 20; i++) {
        if (i % 3 == 0)
            continue;
        if (i > 15)
            break;
        n += i;
    }
    printf("%d %d\n", i, n);
    do {
        n -= 7;
        if (n % 2)
            continue;
        n--;
    } while (n > 0);
    printf("%d\n", n);
    while (1) {
        if (++n > 10)
            break;
    }
    for (;;) {
        n += 3;
        if (n > 30)
            break;
    }
    printf("%d\n", n);
    for (i = 0, k = 10; i < k; i++, k--)
        ;
    printf("%d %d\n", i, k);
    for (int i = 5; i--;)
        for (int k = i; k; k >>= 1)
            n ^= k;
    printf("%d\n", n);
    do
        n = 0;
    while (0);
    while (n++ < 3)
        while (k-- > 0)
            if (k == 2)
                break;
    printf("%d %d\n", n, k);
    return 0;
}
