/* Is this the number of a credit card, by its check digit? */
#include <stdbool.h>
#include <string.h>

bool valid_number(const char *text)
{
    int sum = 0, position = 0;

    for (int i = (int)strlen(text) - 1; i >= 0; i--, position++) {
        int digit = text[i] - '0';

        if (digit < 0 || digit > 9)
            return false;
        if (position % 2 == 1) {
            digit = digit * 2;
            if (digit > 9)
                digit = digit - 9;
        }
        sum = sum + digit;
    }
    return position > 1 && sum % 10 == 0;
}
