/* memcpy wants two stretches apart; memmove does not. */
#include <string.h>

// range: x=0..9
int f(int x)
{
    char text[20];
    memset(text, 'a', sizeof text);
    text[0] = 'b';
    memmove(text + 1, text, x);
    if (x > 1)
        memcpy(text + 5, text, x);  // error: overlap
    return text[2];
}
