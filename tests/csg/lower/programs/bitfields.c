#include <stdio.h>
struct f { unsigned a : 3; int b : 5; unsigned c : 1; int : 4; unsigned d : 19; long e : 40; unsigned long g : 24; unsigned char h : 2; signed char i : 3; int j : 1; unsigned : 0; unsigned k : 31; };
struct __attribute__((packed)) p { char c; unsigned x : 9; unsigned y : 14; int z : 5; };
struct f s;
int main(void) {
    s.a = 9; s.b = -17; s.c = 3; s.d = 600000; s.e = -123456789012L; s.g = 0xABCDEF; s.h = 6; s.i = 5; s.j = 1; s.k = -1;
    printf("%d %d %d %d %ld %ld %d %d %d %u\n", s.a, s.b, s.c, s.d, (long)s.e, (long)s.g, s.h, s.i, s.j, s.k);
    printf("%d %d\n", s.a = 10, s.b = 100); s.a += 7; s.b *= 3; s.a <<= 1; s.d |= 1; s.e >>= 3; printf("%d %d %d %ld\n", s.a, s.b, s.d, (long)s.e);
    printf("%d %d\n", s.a - 3 < 0, s.k - 1 > 0); printf("%d\n", -s.a); printf("%d\n", ~s.c); s.a = s.b = s.d = -1; printf("%d %d %d\n", s.a, s.b, s.d);
    struct f t = {1, 2, 1, 4, 5, 6}; t.d++; ++t.b; t.a--; t.a--; printf("%d %d %d %d %ld %d\n", t.a, t.b, t.c, t.d, (long)t.e, t.i); t = s; printf("%d\n", t.b);
    struct f *q = &t; q->a = 2; q->e = q->a + q->c; printf("%ld %zu %zu\n", (long)q->e, sizeof s, sizeof(struct p)); struct p p = {1, 300, 9999, -3}; p.y ^= 1; p.z--; printf("%d %d %d %d\n", p.c, p.x, p.y, p.z);
    return 0;
}
