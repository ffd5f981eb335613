/* ctype.h over all bytes: counts and sums of each class, and the two conversions. */
#include <ctype.h>
#include <stdio.h>

#define COUNT(class) \
    do { \
        int c, n = 0, sum = 0; \
        for (c = -1; c < 256; c++) \
            if (class(c)) { n++; sum += c; } \
        printf("%s %d %d\n", #class, n, sum); \
    } while (0)

int main(void)
{
    const char *s = "Mixed CASE 123_x";
    COUNT(isalpha);
    COUNT(isdigit);
    COUNT(isalnum);
    COUNT(isupper);
    COUNT(islower);
    COUNT(isspace);
    COUNT(ispunct);
    COUNT(isprint);
    COUNT(isgraph);
    COUNT(iscntrl);
    COUNT(isxdigit);
    COUNT(isblank);
    for (; *s; s++)
        putchar(isupper((unsigned char) *s) ? tolower((unsigned char) *s)
                                            : toupper((unsigned char) *s));
    printf("\n%d %d\n", toupper('1'), tolower(EOF));
    return 0;
}
