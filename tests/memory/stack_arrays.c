/* Arrays whose length is known at run time alone. */
#include <string.h>

// range: x=1..9
int f(int x)
{
    char row[x];
    memset(row, 1, x);
    row[8 - x] += 1;                // error: out-of-bounds
    return row[x - 1];
}
