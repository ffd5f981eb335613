/* A decimal number with a sign; -1 in *used when there is none. */
#include <ctype.h>

int parse(const char *text, int *used)
{
    int i = 0, negative = 0, value = 0, digits = 0;

    while (text[i] == ' ')
        i++;
    if (text[i] == '-') {
        negative = 1;
        i++;
    } else if (text[i] == '+') {
        i++;
    }
    while (isdigit((unsigned char)text[i])) {
        value = value * 10 + (text[i] - '0');
        digits++;
        i++;
    }
    if (digits == 0) {
        used[0] = -1;
        return 0;
    }
    used[0] = i;
    if (negative)
        return -value;
    return value;
}
