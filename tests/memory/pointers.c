/* A pointer that may point to several objects is followed into each. */
#include <stdlib.h>

static int small[2] = { 1, 2 }, large[9] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
static int *const table[3] = { large, small, NULL };

// range: x=0..11
int f(int x)
{
    int *place = x > 8 ? small : large;
    int local[3] = { 7, 8, 9 };
    int *chosen = x == 4 ? local : place;
    int sum = chosen[x % 3];        // error: out-of-bounds
    sum += table[x % 3][x / 4];     // error: null, out-of-bounds
    return sum;
}
