/* CRC-32 by bits and by a table; Adler-32; a Fletcher sum. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint32_t table[256];

static void fill(void)
{
    uint32_t i, k, c;
    for (i = 0; i < 256; i++) {
        for (c = i, k = 0; k < 8; k++)
            c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
        table[i] = c;
    }
}

static uint32_t by_table(const char *s)
{
    uint32_t c = ~0u;
    while (*s)
        c = table[(c ^ (unsigned char) *s++) & 0xff] ^ c >> 8;
    return ~c;
}

static uint32_t by_bits(const char *s)
{
    uint32_t c = 0xffffffff;
    int k;
    for (; *s; s++)
        for (c ^= (unsigned char) *s, k = 0; k < 8; k++)
            c = c >> 1 ^ (0xedb88320u & -(c & 1));
    return c ^ 0xffffffff;
}

static uint32_t adler(const char *s)
{
    uint32_t a = 1, b = 0;
    for (; *s; s++) {
        a = (a + (unsigned char) *s) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

int main(void)
{
    const char *texts[] = { "", "a", "123456789", "The quick brown fox jumps over the lazy dog" };
    int i;
    fill();
    printf("%08x %08x\n", table[1], table[255]);
    for (i = 0; i < 4; i++)
        printf("%08x %d %08x\n", by_table(texts[i]), by_table(texts[i]) == by_bits(texts[i]),
               adler(texts[i]));
    return 0;
}
