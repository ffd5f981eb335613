/* GNU's ranges: a value given to many elements is worked out once. */
#include <stdio.h>

static int calls;
static int next(void) { return ++calls; }

struct pair { int a, b; };
static struct pair made(void) { return (struct pair){++calls, 40}; }

static int table[6] = {[1 ... 3] = 7, [2] = 5};
static struct pair pairs[4] = {[0 ... 2].a = 1, 2, [3] = {8, 9}};

static void show(const int *values, int n)
{
    for (int i = 0; i < n; i++)
        printf("%d ", values[i]);
    printf("after %d calls\n", calls);
}

int main(void)
{
    show(table, 6);
    show(&pairs[0].a, 8);
    int a[4] = {[1 ... 2] = next(), [3] = calls};
    show(a, 4);
    int b[4] = {[0 ... 3] = next(), [0] = 9, [2] = next()};
    show(b, 4);
    int c[4] = {[0 ... 3] = next(), [0 ... 3] = 7};
    show(c, 4);
    struct pair d[3] = {[0 ... 2] = {next(), calls}};
    show(&d[0].a, 6);
    struct pair e[3] = {[0 ... 2] = made()};
    show(&e[0].a, 6);
    int f[2][3] = {[0 ... 1][1 ... 2] = next()};
    show(&f[0][0], 6);
    struct pair g[3] = {[0 ... 2].a = next(), next()};
    show(&g[0].a, 6);
    int *h[3] = {[0 ... 2] = (int[]){next()}};
    printf("%d %d\n", h[0] == h[2], *h[1]);
    int i = 3, k[6] = {[0 ... 2] = i++, i, [4 ... 5] = i};
    show(k, 6);
    struct pair l[3] = {[0 ... 2] = {.b = 4}, [1 ... 2].a = next()};
    show(&l[0].a, 6);
    int m[5] = {[0 ... 2] = next(), [1 ... 3] = next(), next()};
    show(m, 5);
    struct pair o[2] = {[0 ... 1] = i};
    show(&o[0].a, 4);
    struct { unsigned x : 3, y : 5; } q[2] = {[0 ... 1] = {next(), next()}};
    printf("%d %d %d %d\n", q[0].x, q[1].x, q[0].y, q[1].y);
    struct { struct pair p[2]; int z; } r[2] = {[0 ... 1].p[0 ... 1].b = next(), next()};
    show(&r[0].p[0].a, 10);
    return 0;
}
