/* Both versions of foo in one program, annotated by hand: build, graph and unify take this one file.
   Start at foo, with x from -100 to 100. */
#include <assert.h>

int foo(int x)
{
    int y;
    if (x < 0)
        y = change(-x, x * x);
    else
        y = 2 * x;
    if (execute(NEW))
        y = y + 1;
    if (y > 1)
        return 0;
    else if (y == 1)
        assert(0);
    return 1;
}
