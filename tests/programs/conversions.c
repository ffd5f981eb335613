/* Conversions between integer types: sign extension, truncation, bool. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

static int narrow(int value) { return (signed char) value; }
static unsigned widen(signed char value) { return value; }

int main(void)
{
    int values[] = { 0, 1, -1, 127, 128, 255, 256, -128, -129, 65535, 65536, 1 << 30 };
    unsigned i;
    for (i = 0; i < sizeof values / sizeof *values; i++) {
        int v = values[i];
        printf("%d: %d %d %d %d %u ", v, (signed char) v, (unsigned char) v, (short) v,
               (unsigned short) v, (unsigned) v);
        printf("%ld %lu %d\n", (long) v, (unsigned long) v, (bool) v);
    }
    printf("%d %u\n", narrow(200), widen(-3));
    {
        uint8_t a = 200, b = 100;
        uint8_t sum = a + b;
        int wide = a + b;
        uint16_t product = (uint16_t) (a * b * 5);
        printf("%d %d %d\n", sum, wide, product);
    }
    {
        char c = (char) 0xE9;
        unsigned char u = c;
        printf("%d %d %d\n", c, u, c == u);
        printf("%d\n", (int) (uint32_t) (int64_t) -1 == -1);
    }
    {
        bool t = 256, f = 0.0, p = (bool) "x";
        printf("%d %d %d %d\n", t, f, p, t + t);
    }
    return 0;
}
