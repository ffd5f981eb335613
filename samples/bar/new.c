/* Start at bar. Fails its assertion for x = 105, y = -100, where the old version does not, and no
   more for x = -100, y = 105. An input with x + y != 5 never sees that anything changed. */
#include <assert.h>

int bar(int x, int y)
{
    int z = y;
    if (x + y == 5) {
        if (z == -100)
            assert(0);
    }
    return 0;
}
