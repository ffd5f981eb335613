/* Does a word read the same from both ends, be its letters large or small? */
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

bool is_palindrome(const char *word)
{
    char turned[16];
    size_t length = strlen(word);

    if (length >= sizeof turned)
        return false;
    for (size_t i = 0; i < length; i++)
        turned[length - 1 - i] = (char)tolower((unsigned char)word[i]);
    for (size_t i = 0; i < length; i++) {
        if (turned[i] != (char)tolower((unsigned char)word[i]))
            return false;
    }
    return true;
}
