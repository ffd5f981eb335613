/* Print a text with its runs counted: "aab" is 2a1b. */
#include <stdio.h>

void encode(const char *text)
{
    int i = 0;

    while (text[i] != '\0') {
        int run = 1;

        while (run < 9 && text[i + run] == text[i])
            run++;
        printf("%d%c", run, text[i]);
        i += run;
    }
    printf("\n");
}
