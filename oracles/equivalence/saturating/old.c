/* Add without leaving the range of int. */
#include <limits.h>

int add(int a, int b, int *clipped)
{
    *clipped = 0;
    if (b > 0 && a > INT_MAX - b) {
        *clipped = 1;
        return INT_MAX;
    }
    if (b < 0 && a < INT_MIN - b) {
        *clipped = 1;
        return INT_MIN;
    }
    return a + b;
}
