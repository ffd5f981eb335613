#include <stdio.h>
struct b { int x : 3; unsigned y : 4; } b;
int main(void) {
    char c = 127; unsigned char u = 0; short s = 32767; int i = 2147483647; long l = -1; float f = 1.5f; double d = -0.5;
    printf("%d %d %d\n", c++, c, ++c); printf("%d %d\n", u--, u); printf("%d %d\n", s++, s);
    printf("%d %d\n", ++i, i--); printf("%ld\n", ++l); printf("%f %f\n", f++, --d);
    b.x = 3; b.x++; b.y = 0; printf("%d ", b.x--); printf("%d ", b.x); printf("%d ", --b.y); printf("%d\n", b.y++ + b.y);
    int a[3] = {1, 2, 3}, *p = a; int k = *p++ + *p++; printf("%d %ld\n", k, (long)(p - a)); (*p)--; printf("%d\n", a[2]);
    long double q = 1; q++; --q; q++; printf("%d\n", (int)q);
    enum { A, B, C } e = A; e++; printf("%d\n", e); _Bool t = 0; t++; t++; printf("%d\n", t);
    return 0;
}
