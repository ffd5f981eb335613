#include <stdio.h>
int main(void) {
    int a[5] = {1, 2}, b[] = {[3] = 7, 8, [0] = 1}, m[2][3] = {{1}, {4, 5}}, z[3] = {0}; char s[] = "hey", t[8] = "hi", u[2] = "xy", v[4] = {'a', 'b'}, e[3] = "";
    printf("%d %d %d %zu\n", a[1], a[4], b[4], sizeof b / sizeof *b); printf("%d %d %d %d\n", b[0], b[1], m[0][1], m[1][1]); printf("%zu %s %s %d %c%c %s %d %d\n", sizeof s, s, t, t[7], u[0], u[1], v, z[2], e[2]);
    char lines[][4] = {"ab", "cde", {'x'}}; printf("%s %c %s %zu\n", lines[0], lines[1][2], lines[2], sizeof lines); const char *w[] = {"one", "two", 0}; for (int i = 0; w[i]; i++) printf("%s ", w[i]); puts("");
    long sum = 0; for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) sum = sum * 10 + m[i][j]; printf("%ld\n", sum); for (int k = 0; k < 2; k++) { int fresh[3] = {k}; fresh[1] += 5; printf("%d%d%d ", fresh[0], fresh[1], fresh[2]); }
    int n = 3; int x[3] = {n, n * 2, n + a[0]}; printf("%d %d %d\n", x[0], x[1], x[2]); int *p = (int[]){4, 5, 6}; p[1] = 9; printf("%d %d\n", p[1], ((int[3]){7, 8})[1]); printf("%c%c\n", "abc"[1], *("xyz" + 2));
    struct { char n[3]; int v[2]; } q[2] = {{"a", {1, 2}}, {.v = {[1] = 6}}}; printf("%s %d %d %d\n", q[0].n, q[0].v[1], q[1].v[1], q[1].v[0]); int y = {5}; printf("%d\n", y); return 0;
}
