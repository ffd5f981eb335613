/* A buffer that grows: what it held stays, what is new is nobody's. */
#include <stdlib.h>
#include <string.h>

// range: x=1..12
int f(int x)
{
    char *text = malloc(x), *more;
    int i, sum = 0;
    if (text == NULL)
        return -1;
    memset(text, 3, x);
    more = realloc(text, x + 4);
    if (more == NULL)
        return -1;
    for (i = 0; i < 5; i++)
        sum += more[i * 4 / x];     // error: out-of-bounds
    if (x == 9)
        more[x + 4] = 0;            // error: out-of-bounds
    if (x == 11)
        sum += text[0];             // error: use-after-free
    if (x == 12)
        free(more + 1);             // error: bad-free
    free(more);
    if (x == 10)
        free(more);                 // error: double-free
    return sum;
}
