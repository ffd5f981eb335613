/* What goes wrong inside a library function went wrong where it was called. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// range: x=0..9
int f(int x)
{
    char *copy = malloc(x + 1);
    char wide[40], word[12] = "0123456789";
    if (copy == NULL)
        return -1;
    word[x] = 0;
    strcpy(copy, word);
    if (x == 3)
        strcat(copy, "!");          // error: out-of-bounds
    if (x == 4)
        sprintf(copy, "%d", 12345);  // error: out-of-bounds
    if (x == 6)
        memset(copy, 0, x + 2);     // error: out-of-bounds
    if (x == 7)
        memcpy(wide, copy, x + 3);  // error: out-of-bounds
    free(copy);
    return 0;
}
