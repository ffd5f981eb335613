#include <stdio.h>
int main(void) {
    int i = -8; unsigned u = 0xF0000000u; char c = -1; long n = 3; unsigned char uc = 0x80;
    printf("%d %d %u %u\n", i >> 1, i << 2, u >> 4, u << 1);
    printf("%d %d\n", c << 3, c >> 1);
    printf("%d %d\n", uc << 1, (unsigned char)(uc << 1));
    printf("%d %ld\n", 1 << n, 1L << 40);
    printf("%d\n", (int)(u >> (char)28));
    u >>= 3; i >>= n; uc >>= 1; uc <<= 2L; printf("%u %d %d\n", u, i, uc);
    short s = 1; s <<= 15; printf("%d\n", s);
    return 0;
}
