/* The smallest byte of the second half of a short text, by way of a copy; -1 for others. */
#include <stdlib.h>
#include <string.h>

int keep(const char *text)
{
    int result = -1;
    char *copy = NULL;
    size_t length = strlen(text);

    if (length == 0)
        goto out;
    copy = malloc(length + 1);
    if (copy == NULL)
        goto out;
    strcpy(copy, text);
    if (length > 3)
        goto out;
    result = (unsigned char)copy[length / 2];
    for (size_t i = length / 2; i < length; i++) {
        if ((unsigned char)copy[i] < result)
            result = (unsigned char)copy[i];
    }
out:
    free(copy);
    return result;
}
