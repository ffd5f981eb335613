/* UTF-8: decodes strictly, counts characters, encodes again. */
#include <stdint.h>
#include <stdio.h>

static int decode(const unsigned char *s, uint32_t *out)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    int n = *s < 0x80 ? 1 : *s < 0xc0 ? 0 : *s < 0xe0 ? 2 : *s < 0xf0 ? 3 : *s < 0xf8 ? 4 : 0, i;
    uint32_t c;
    if (n == 0)
        return 0;
    c = n == 1 ? *s : *s & (0xff >> (n + 1));
    for (i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (s[i] & 0x3f);
    }
    if (c < least[n] || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
        return 0;
    *out = c;
    return n;
}

static int encode(char *to, uint32_t c)
{
    if (c < 0x80) { to[0] = c; return 1; }
    if (c < 0x800) { to[0] = 0xc0 | c >> 6; to[1] = 0x80 | (c & 63); return 2; }
    if (c < 0x10000) {
        to[0] = 0xe0 | c >> 12; to[1] = 0x80 | (c >> 6 & 63); to[2] = 0x80 | (c & 63);
        return 3;
    }
    to[0] = 0xf0 | c >> 18; to[1] = 0x80 | (c >> 12 & 63); to[2] = 0x80 | (c >> 6 & 63);
    to[3] = 0x80 | (c & 63);
    return 4;
}

int main(void)
{
    const char *texts[] = { "plain", "\xc3\xa4\xe2\x82\xac", "\xf0\x9f\x98\x80!", "\xc0\xaf",
                            "\xed\xa0\x80", "\x80", "\xe2\x82", "\xf4\x90\x80\x80" };
    int i;
    for (i = 0; i < 8; i++) {
        const unsigned char *p = (const unsigned char *) texts[i];
        int characters = 0, bad = 0;
        while (*p) {
            uint32_t c = 0xfffd;
            int n = decode(p, &c);
            char again[5] = { 0 };
            bad += n == 0;
            p += n ? n : 1;
            characters++;
            encode(again, c);
            printf("U+%04X %s ", c, again);
        }
        printf("| %d %d\n", characters, bad);
    }
    return 0;
}
