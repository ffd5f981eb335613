/* Division and remainder of negative numbers truncate; of unsigned numbers they do not know a sign. */
#include <stdio.h>

int main(void)
{
    int as[] = { 7, -7, 0, 1, -1, 2147483647, -2147483647 - 1 };
    int bs[] = { 2, -2, 3, -3, 7, 100, -100 };
    unsigned i, k;
    for (i = 0; i < 7; i++)
        for (k = 0; k < 7; k++) {
            int a = as[i], b = bs[k];
            printf("%d/%d=%d %d ", a, b, a / b, a % b);
            printf("%u %u\n", (unsigned) a / (unsigned) b, (unsigned) a % (unsigned) b);
        }
    printf("%lld %lld\n", -9000000000LL / 7, -9000000000LL % 7);
    printf("%d %d\n", (signed char) -128 / (short) -1, -13 / 4 * 4 + -13 % 4);
    return 0;
}
