#include <stdio.h>
int n; int f(int x) { n++; return x; }
int classify(int x, int y) { int r = 0; if (change(x > 3, x > 4)) r = 1; else if (change(x == y, 0)) r = 2; if (x && change(y, f(y) > 1)) r += 10; if (change(x, y) || f(0)) r += 100; if (!change(x && y, x || y)) r += 1000; while (change(x < 3, x < 4)) x++; do y--; while (y > change(0, 1) && y); r += x * y; r += change(x < y, 1) ? change(2, 3) : 4; switch (change(x, y)) { case 0: r += 7; break; case 4: r += 8; } return r + (change(x, 0) == y); }
int main(void) { for (int x = -1; x < 6; x++) for (int y = -1; y < 6; y++) printf("%d ", classify(x, y)); printf("%d\n", n); return 0; }
