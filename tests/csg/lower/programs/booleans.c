#include <stdio.h>
#include <stdbool.h>
int g(int n) { printf("g%d ", n); return n; }
int main(void) {
    _Bool b = 256; bool d = 0.5; int x = 0, *p = &x; bool q = p;
    printf("%d %d %d\n", b, d, q);
    b++; printf("%d ", b); b--; printf("%d ", b); b--; printf("%d ", b); b--; printf("%d\n", b);
    b = 0; b += 5; printf("%d ", b); b -= 1; printf("%d ", b); b |= 2; printf("%d\n", b);
    printf("%d ", b++); printf("%d ", --b); printf("%d\n", ++b);
    int r = g(0) && g(1); r += g(1) && g(2); r += g(0) || g(3); r += g(4) || g(5); printf("%d\n", r);
    r = !(g(0) || g(0)) && !g(0); printf("%d\n", r);
    r = (g(1), g(0)) ? 3 : g(7) ?: 8; printf("%d\n", r);
    r = (x == 0) + (x != 0) * 2 + (p == 0) * 4 + (!p) * 8; printf("%d\n", r);
    struct { bool f : 1; bool h; } s = {2, 3}; printf("%d %d %zu\n", s.f, s.h, sizeof b);
    bool a[3] = {1, 0, 7}; a[1] = a[0] + a[2]; printf("%d%d%d\n", a[0], a[1], a[2]);
    return 0;
}
