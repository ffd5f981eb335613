/* Start at foo, with x from -100 to 100. Here x = -1 fails the assertion: y is 1. */
#include <assert.h>

int foo(int x)
{
    int y;
    if (x < 0)
        y = -x;
    else
        y = 2 * x;
    if (y > 1)
        return 0;
    else if (y == 1)
        assert(0);
    return 1;
}
