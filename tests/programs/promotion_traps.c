/* Where integer promotion changes the meaning. */
#include <stdint.h>
#include <stdio.h>

static int is_ff(char c) { return c == 0xff; }
static int is_ff_unsigned(unsigned char c) { return c == 0xff; }

int main(void)
{
    uint8_t a = 0x80, b = 0x80, s;
    int8_t m = -128;
    uint16_t w = 0xffff;
    uint32_t u = 0x80000000u;
    printf("%d %d\n", is_ff((char) 0xff), is_ff_unsigned((unsigned char) 0xff));
    printf("%d\n", a + b == 0x100);
    s = a + b;
    printf("%d\n", s == 0);
    printf("%d\n", (uint8_t) (a + b) == 0);
    printf("%x\n", ~a & 0xffff);
    printf("%d\n", -m);
    printf("%d\n", (int8_t) -m);
    printf("%x\n", (unsigned) (a << 24));
    printf("%llx\n", (unsigned long long) (int) u);
    printf("%llx\n", (unsigned long long) (a << 24));
    printf("%llx\n", (unsigned long long) u << 1);
    printf("%x\n", u << 1);
    printf("%d\n", (w ^ 0xffff) == 0 && (uint16_t) ~w == 0 && ~w != 0);
    printf("%u\n", w * w);
    printf("%d\n", m++ == -128 && m == -127);
    for (a = 250; a > 5; a++)
        putchar('.');
    printf(" %d\n", a);
    printf("%ld %ld\n", (long) 'x' - 0u, -1 + 0u + 0L);
    return 0;
}
