#include <stdio.h>
int n; int next(void) { return n++; }
int main(void) {
    int a[4] = {1, 2, 3, 4}; char c = 100; unsigned char u = 250; short s = 1000; double d = 1.5; float f = 3;
    a[next()] += 10; a[next()] *= 5; a[next()] <<= 2; a[next()] %= 3;
    printf("%d %d %d %d %d\n", a[0], a[1], a[2], a[3], n);
    c += 100; u += 10; s *= 100; printf("%d %d %d\n", c, u, s);
    c = 10; c *= 2.6; u /= 0.5; d += c; f -= 0.25; printf("%d %d %f %f\n", c, u, d, f);
    int i = 7; i += 1.9; i -= -2147483647 - 1; printf("%d\n", i);
    u = 5; u -= 6; printf("%d\n", u); u ^= 0xF0; u &= ~1; u |= 0x100; printf("%d\n", u);
    long l = 1; l -= 3u; printf("%ld\n", l); i = -1; i /= 2u; printf("%d\n", i); i = -1; i >>= 1u; printf("%d\n", i);
    int x = (i = 3) + (c = 300); printf("%d %d\n", x, c);
    d = i = 3.7; printf("%f\n", d); i = c = u = 511; printf("%d\n", i);
    int j = 5; j = j++ + 1; printf("%d\n", j); j += j -= 2; printf("%d\n", j);
    return 0;
}
