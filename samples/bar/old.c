/* Start at bar. Fails its assertion for x = -100, y = 105. */
#include <assert.h>

int bar(int x, int y)
{
    int z = x;
    if (x + y == 5) {
        if (z == -100)
            assert(0);
    }
    return 0;
}
