#include <stdio.h>
int a[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
struct pair { int x; long y; } ps[4];
int main(void) {
    int *p = a, *q = &a[7]; char *c = (char *)a; void *v = a;
    printf("%ld %ld %d %d\n", q - p, p - q, p < q, p + 7 == q);
    printf("%d %d %d\n", *p++, *++p, *p--);
    printf("%d %d\n", (*p)++, ++*p);
    printf("%d %d %d\n", p[2], 3[p], *(p + 4));
    printf("%ld\n", (char *)q - c);
    p += 3; p -= 1; printf("%d\n", *p);
    v = (char *)v + 4; printf("%d\n", *(int *)v);
    struct pair *r = ps + 1; r->y = 7; r[1].x = 5; (*r).x = 2;
    printf("%d %ld %d %ld\n", ps[1].x, ps[1].y, ps[2].x, (long)(&ps[3] - ps));
    short i = -2; printf("%d\n", q[i]); unsigned char u = 2; printf("%d\n", q[-u]);
    int **pp = &p; **pp = 77; *pp += 1; printf("%d %d\n", p[-1], *p);
    int (*row)[5] = (int (*)[5])a; printf("%d %d\n", row[1][2], (*(row + 1))[0]);
    int m[3][4]; for (int x = 0; x < 3; x++) for (int y = 0; y < 4; y++) m[x][y] = x * 10 + y;
    printf("%d %d %ld %zu\n", m[2][3], *(*(m + 1) + 2), (long)(&m[2] - &m[0]), sizeof m[0]);
    printf("%d %d %d\n", p == 0, !p, p && *p);
    for (p = a; p != a + 3; ++p) printf("%d;", *p);
    long address = (long)&a[1]; printf("%d\n", *(int *)(address + 4));
    return 0;
}
