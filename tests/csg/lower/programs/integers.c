#include <stdio.h>
int main(void) {
    char c = 200; unsigned char uc = 200; short s = -32768; unsigned short us = 65535;
    int i = 2147483647; unsigned u = 4000000000u; long l = -5; unsigned long ul = -1;
    printf("%d %d %d %d\n", c, uc, s, us);
    printf("%d %u\n", i + 1, u + 1000000000u);
    printf("%d %d\n", c + uc, c * uc);
    printf("%d %d %d\n", -7 / 2, -7 % 2, 7 / -2);
    printf("%u %u\n", -7u / 2, -7u % 2);
    printf("%ld %lu\n", l / 2, ul / 3);
    printf("%d %d\n", us + 1, (unsigned short)(us + 1));
    printf("%d\n", -1 < 1u);
    printf("%d\n", (short)-1 < us);
    printf("%d %d\n", l < u, (long)-1 < 4000000000u);
    printf("%d %d %d\n", ~0, ~uc, (unsigned char)~uc);
    printf("%d %d\n", !5, !!5);
    printf("%ld\n", (long)i * i);
    printf("%d\n", i * i);
    printf("%d %u\n", 'a', 'a' - 98u);
    return 0;
}
