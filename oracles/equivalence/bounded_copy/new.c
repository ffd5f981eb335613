/* Copy as much of a text as fits, always with its end; the length it would have needed. */
#include <string.h>

size_t copy(char *restrict to, const char *restrict from, size_t size)
{
    size_t length = strlen(from);

    if (size != 0) {
        size_t kept = length < size ? length : size - 1;
        memcpy(to, from, kept);
        to[kept] = '\0';
    }
    return length;
}
