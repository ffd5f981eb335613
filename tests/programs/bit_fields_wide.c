/* Bit-fields of types wider than int: gcc promotes narrow ones to int whatever their type is, and
   computes with wider ones in just their bits. */
#include <stdio.h>

struct wide {
    unsigned long long a : 35;
    long long b : 40;
    unsigned long long c : 31;
    long d : 33;
    unsigned long e : 32;
};

int main(void)
{
    struct wide s = { 318417453 + (1ULL << 34), -5, 77, -3, 4000000000u };
    int three = 3;
    printf("%d %d\n", (int) (s.a % (-2 - (signed char) 9)), (int) (s.b % -7));
    printf("%llx %zu\n", (unsigned long long) (s.a * 99), sizeof(s.a + 0));
    printf("%llx %llx\n", (unsigned long long) (s.a << (three * 3)), (unsigned long long) (s.b >> three));
    printf("%llx\n", (unsigned long long) (s.a - s.b));
    printf("%llx %llx\n", (unsigned long long) -s.a, (unsigned long long) ~s.a);
    printf("%llx\n", (unsigned long long) (s.a + 0xffffffffu));
    printf("%llx\n", (unsigned long long) (s.a * s.a));
    printf("%llx\n", (unsigned long long) (s.a + s.d));
    printf("%llx %llx\n", (unsigned long long) (s.e + 1 + s.e), (unsigned long long) (s.e * s.e));
    printf("%d %d %d\n", s.a - 0xffffffffffull > 0, s.e < -1, s.c < -1);
    printf("%d %d\n", s.a < -1, s.d < 1u);
    printf("%llx\n", (unsigned long long) (s.b * 0x12345678ll));
    printf("%f %f\n", (double) (s.a * 4 - s.a), (double) (s.b * s.b));
    printf("%d\n", (int) ((three ? s.c : s.a) % -5));
    s.b += 0x7fffffffff;
    s.a -= 0xffffffffffll;
    printf("%lld %lld\n", (long long) s.b, (long long) s.a);
    printf("%lld %lld\n", (long long) s.b++, (long long) ++s.a);
    switch (s.c - 78) {
    case -1: puts("int"); break;
    default: puts("wide");
    }
    return 0;
}
