#include <stdio.h>
union u { int i; unsigned char b[8]; float f; double d; struct { short lo, hi; } h; };
int main(void) {
    union u x; x.d = 0; x.i = 0x01020304; printf("%d %d %d %d\n", x.b[0], x.b[3], x.h.lo, x.h.hi); x.f = 1.0f; printf("%x\n", x.i); x.d = -2.5; printf("%x %x\n", x.b[7], x.b[6]);
    union u y = {.b = {1, 2, 3}}, z = y; printf("%x %zu\n", z.i, sizeof z); union u w = {5}; printf("%d\n", w.i);
    union { long l; struct { unsigned a : 4, b : 12; int c; } s; } v; v.l = 0; v.s.a = 15; v.s.b = 0xabc; v.s.c = -1; printf("%lx\n", v.l);
    return 0;
}
