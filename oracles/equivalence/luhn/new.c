/* Is this the number of a credit card, by its check digit? */
#include <stdbool.h>

static const char doubled[10] = { 0, 2, 4, 6, 8, 1, 3, 5, 7, 9 };

bool valid_number(const char *text)
{
    int plain = 0, crossed = 0, length = 0;

    for (; *text; text++, length++) {
        int digit = *text - '0', before = plain;

        if (digit < 0 || digit > 9)
            return false;
        plain = crossed + digit;
        crossed = before + doubled[digit];
    }
    return length >= 2 && plain % 10 == 0;
}
