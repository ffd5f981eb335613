/* Start at foo, with x from -100 to 100. Two paths differ: x = -1 failed before and does not any
   more (y was 1 and is 2), x = 0 fails now (y was 0 and is 1). Without the range, squares that wrap
   differ as well: x = -65536 gives y = 1 here. */
#include <assert.h>

int foo(int x)
{
    int y;
    if (x < 0)
        y = x * x;
    else
        y = 2 * x;
    y = y + 1;
    if (y > 1)
        return 0;
    else if (y == 1)
        assert(0);
    return 1;
}
