/* The smallest byte of the second half of a short text, by way of a copy; -1 for others. */
#include <stdlib.h>
#include <string.h>

static int smallest(const unsigned char *from, size_t count)
{
    int least = 255;

    while (count--) {
        if (*from < least)
            least = *from;
        from++;
    }
    return least;
}

static unsigned char *duplicate(const char *text, size_t length)
{
    unsigned char *copy = malloc(length + 1);

    if (copy)
        memcpy(copy, text, length + 1);
    return copy;
}

int keep(const char *text)
{
    size_t length = strlen(text);
    unsigned char *copy;
    int result;

    if (!*text || length > 3)
        return -1;
    copy = duplicate(text, length);
    if (!copy)
        return -1;
    result = smallest(copy + length / 2, length - length / 2);
    free(copy);
    return result;
}
