#include <stdio.h>
int collatz(int n) { int steps = 0; while (n != 1) { if (n % 2) n = 3 * n + 1; else n /= 2; steps++; } return steps; }
int main(void) {
    for (int i = 0; i < 10; i++) { if (i == 3) continue; if (i == 7) break; printf("%d ", i); }
    puts(""); int j = 0; do { if (j == 2) { j = 5; continue; } printf("%d ", j); } while (++j < 8); puts("");
    for (;;) { if (--j < 0) break; } printf("%d %d\n", j, collatz(27));
    for (int a = 0, b = 10; a < b; a++, b -= 2) printf("%d/%d ", a, b);
    puts(""); int k = 0; while (1) { while (1) { if (k++ > 3) goto out; if (k == 2) break; } printf("k%d ", k); }
out: printf("%d\n", k);
    goto middle;
    while (k < 10) { printf("loop "); middle: k += 3; printf("%d ", k); }
    if (k) ; else puts("never"); if (!k) puts("never"); else if (k == 11) puts("eleven"); else puts("other");
    do k--; while (k > 5 && k != 7); printf("%d\n", k);
    int x = 5; x > 3 ? puts("big") : puts("small"); x < 3 || puts("or"); x < 3 && puts("and");
    do { x = 9; } while (0); if (0) puts("no"); if (1) puts("yes"); while (0) puts("no"); printf("%d\n", x);
    return 0;
}
