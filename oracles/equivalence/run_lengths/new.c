/* Print a text with its runs counted: "aab" is 2a1b. */
#include <stdio.h>

static void flush(int run, char c)
{
    if (run > 0) {
        putchar('0' + run);
        putchar(c);
    }
}

void encode(const char *text)
{
    char last = '\0';
    int run = 0;

    for (; *text; text++) {
        if (*text != last || run == 9) {
            flush(run, last);
            last = *text;
            run = 0;
        }
        run++;
    }
    flush(run, last);
    putchar('\n');
}
