/* Sizes far beyond the bound of a symbolic size, but few of them. */
#include <stdlib.h>
#include <string.h>

static int block(int x)
{
    char *pages = malloc((x % 3 + 1) * 4096);
    pages[5000] = 1;                // error: out-of-bounds
    pages = realloc(pages, (x % 2 + 3) * 4096);
    return pages[5000];
}

static int frame(int x)
{
    char local[(x > 14) * 3000 + 16];
    local[x % 2 * 3000] = 1;        // error: out-of-bounds
    return local[x % 2 * 3000];
}

// range: x=0..20
int f(int x)
{
    return x < 10 ? block(x) : frame(x);
}
