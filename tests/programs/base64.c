/* Base64: encodes and decodes, with padding, and refuses what is none. */
#include <stdio.h>
#include <string.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void encode(char *to, const unsigned char *from, int n)
{
    while (n > 0) {
        unsigned long v = (unsigned long) from[0] << 16 | (n > 1 ? from[1] << 8 : 0)
                          | (n > 2 ? from[2] : 0);
        *to++ = alphabet[v >> 18 & 63];
        *to++ = alphabet[v >> 12 & 63];
        *to++ = n > 1 ? alphabet[v >> 6 & 63] : '=';
        *to++ = n > 2 ? alphabet[v & 63] : '=';
        from += 3;
        n -= 3;
    }
    *to = '\0';
}

static int decode(unsigned char *to, const char *from)
{
    int n = 0, bits = 0;
    unsigned v = 0;
    for (; *from && *from != '='; from++) {
        const char *p = strchr(alphabet, *from);
        if (p == NULL)
            return -1;
        v = v << 6 | (unsigned) (p - alphabet);
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            to[n++] = v >> bits & 255;
        }
    }
    return n;
}

int main(void)
{
    const char *texts[] = { "", "f", "fo", "foo", "foob", "fooba", "foobar", "\xff\xfe\xfd" };
    int i;
    for (i = 0; i < 8; i++) {
        char text[20];
        unsigned char back[20] = { 0 };
        int n;
        encode(text, (const unsigned char *) texts[i], strlen(texts[i]));
        n = decode(back, text);
        printf("%s %d %d\n", text, n, memcmp(back, texts[i], n) == 0);
    }
    printf("%d\n", decode((unsigned char[4]) { 0 }, "a!"));
    return 0;
}
