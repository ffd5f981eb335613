/* Copy as much of a text as fits, always with its end; the length it would have needed. */
#include <stddef.h>

size_t copy(char *restrict to, const char *restrict from, size_t size)
{
    size_t i = 0;

    if (size > 0) {
        while (i < size - 1 && from[i] != '\0') {
            to[i] = from[i];
            i++;
        }
        to[i] = '\0';
    }
    while (from[i] != '\0')
        i++;
    return i;
}
