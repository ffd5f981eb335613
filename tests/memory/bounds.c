/* Sizes that are not known: one path for all of them. */
#include <stdlib.h>
#include <string.h>

// range: x=0..20
int f(int x)
{
    unsigned char *bits = malloc(x / 8 + 1);
    int value;
    if (bits == NULL)
        return -1;
    memset(bits, 0, x / 8 + 1);
    bits[x / 8] |= 1 << x % 8;
    value = bits[x / 7];            // error: out-of-bounds
    free(bits);
    return value;
}
