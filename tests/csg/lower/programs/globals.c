#include <stdio.h>
int a[4] = {1, 2, 3}; int *p = &a[2], *q = a + 1; char *s = "hello" + 1; char t[] = "abc"; const char *names[] = {"x", "yy", [3] = "z"}; int (*fp)(const char *) = puts; double d = 1.0 / 3; float f = 0.1f + 2; long double ld = 1.5L; unsigned char uc = 300; _Bool b = 42; _Bool bp = a; int neg = -5 / 2, sh = 1 << 10, tern = 1 ? 3 : 4, lg = 2 && 0;
struct s { int x; struct { char c[3]; short y; } in; struct s *self; } g = {1, {"ab", -2}, &g}, arr[2] = {[1] = {.in.y = 9, .self = arr}}; long off = (long)&((struct s *)0)->in.y; static int zero, *pz = &zero; enum { K = 5 }; int k[K] = {[K - 1] = K * 2}; struct { unsigned a : 3, b : 5; int c : 8; } bits = {5, 17, -3}; union { double d; int i[2]; } un = {2.0}; int *cl = (int[]){7, 8, 9}; struct s *cs = &(struct s){.x = 77}; char *ca[2] = {t, t + 2}; long diff = &a[3] - &a[1]; char grid[2][3] = {"ab", "cd"}; int fl = 3.99; double neg0 = -0.0; unsigned long big = 1UL << 63; size_t sz = sizeof(struct s);
extern int later; int later = 12; int tentative; int tentative; static int st = 4; int counter(void) { static int n = 10; static int *pn = &n; return ++*pn; } int other(void) { static int n; return n += 3; }
int main(void) {
    printf("%d %d %s %s %s %s\n", *p, *q, s, t, names[1], names[3]); fp("fp"); printf("%f %f %d %d %d %d %d %d %d %d\n", d, f, uc, b, bp, neg, sh, tern, lg, names[2] == 0);
    printf("%d %s %d %d %d %d %ld %d %d\n", g.x, g.in.c, g.in.y, g.self == &g, arr[1].in.y, arr[1].self == arr, off, *pz, k[4]); printf("%d %d %d %f %d %d\n", bits.a, bits.b, bits.c, un.d, un.i[1], (int)(ld * 2));
    printf("%d %d %s %ld %s %d %lx %zu %d\n", cl[2], cs->x, ca[1], diff, grid[1], fl, big, sz, later); printf("%d %d %d %d %d\n", counter(), counter(), other(), other(), tentative + st); printf("%d\n", 1 / neg0 < 0);
    return 0;
}
