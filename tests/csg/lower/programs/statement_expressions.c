#include <stdio.h>
#define MAX(a, b) ({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); _a > _b ? _a : _b; })
int main(void) { int x = 3, y = 7; printf("%d %d\n", MAX(x++, y--), MAX(MAX(1, x), 2)); int z = ({ int s = 0; for (int i = 0; i < 5; i++) { if (i == 3) continue; s += i; } s; }); printf("%d %d %d\n", x, y, z); ({ x = 5; y = 6; }); ({ if (x > 3) puts("big"); }); printf("%d\n", ({ struct { int a, b; } q = {1, 2}; q; }).b); while (({ x--; x > 2; })) printf("%d ", x); printf("%d\n", ({ int r; switch (y) { case 6: r = 60; break; default: r = 0; } r; }) + 1); return 0; }
