/* The value of hexadecimal digits, -1 for anything else. */
#include <string.h>

static const char digits[] = "0123456789abcdef0123456789ABCDEF";

int hex_value(const char *text)
{
    const char *found;
    int value = 0;

    if (!*text)
        return -1;
    for (; *text; text++) {
        found = strchr(digits, *text);
        if (found == NULL)
            return -1;
        value = value << 4 | ((found - digits) & 15);
    }
    return value;
}
