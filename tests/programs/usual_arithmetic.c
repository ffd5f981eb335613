/* The usual arithmetic conversions: what surprises when signed meets unsigned. */
#include <stdio.h>

int main(void)
{
    int minus = -1;
    unsigned one = 1;
    unsigned short us = 65535;
    unsigned char uc = 255;
    long long ll = -1;
    unsigned long ul = 1;

    printf("%d\n", minus < one);
    printf("%d\n", minus < (int) one);
    printf("%d\n", us + 1 > 0);
    printf("%d\n", ~uc);
    printf("%d\n", (unsigned char) ~uc);
    printf("%d\n", uc << 4);
    printf("%d\n", ll < one);
    printf("%d\n", ll < ul);
    printf("%d\n", -uc);
    printf("%u\n", -one);
    printf("%lld\n", ll * one);
    printf("%d\n", (minus >> 1) == -1);
    printf("%u\n", minus + one);
    printf("%lu\n", minus + ul);
    printf("%d\n", us * us == -131071);
    printf("%d %d\n", 'a' + 'b', '\377');
    printf("%d\n", sizeof(int) - 5 > 0);
    printf("%ld\n", 1L << 40);
    printf("%d\n", (1 ? -1 : 0u) > 0);
    return 0;
}
