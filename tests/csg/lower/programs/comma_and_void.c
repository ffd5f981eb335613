#include <stdio.h>
int a, b; void set(int x) { a = x; } int get(void) { return a; } int main(void) { int x = (set(3), get()); x = (a++, b = a, b * 2); printf("%d %d %d\n", x, a, b); (void)x; (void)get(); for (a = 0, b = 5; a < b; a++, b--) ; printf("%d %d\n", a, b); int y = 1, z = (y += 2, y++); printf("%d %d\n", y, z); return (void)0, y - 4; }
