/* Turn a string around, in place. */
#include <string.h>

void reverse(char *text)
{
    int length = (int)strlen(text);

    for (int i = 0; i < length / 2; i++) {
        char kept = text[i];
        text[i] = text[length - 1 - i];
        text[length - 1 - i] = kept;
    }
}
