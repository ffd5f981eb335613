#include <stdio.h>
enum e { A, B = 5, C, D = -2, E } x = C; enum u { P = 1, Q = 0x80000000u }; struct t { enum e kind; enum u v : 3; } t = {D, P}; enum e next(enum e k) { return k + 1; }
int main(void) { enum { LOCAL = C * 2 } y = LOCAL; printf("%d %d %d %zu %d\n", x, y, E, sizeof(enum e), next(x)); printf("%d %d\n", t.kind, t.v); enum u z = Q; printf("%d %d\n", z > 0, (enum e)-1 < 0); x++; x += 2; printf("%d\n", x); int a[C] = {[B] = 3}; printf("%d\n", a[B]); switch (x) { case A: puts("A"); break; case 9: puts("nine"); } long l = D; printf("%ld\n", l); return 0; }
