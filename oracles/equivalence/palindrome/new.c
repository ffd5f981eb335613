/* Does a word read the same from both ends, be its letters large or small? */
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

bool is_palindrome(const char *word)
{
    int length = (int)strlen(word);

    if (length >= 16)
        return false;
    for (int i = 0, j = length - 1; i < j; i++, j--) {
        if (tolower((unsigned char)word[i]) != tolower((unsigned char)word[j]))
            return false;
    }
    return true;
}
