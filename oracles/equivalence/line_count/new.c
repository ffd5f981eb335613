/* Count the lines of standard input; a last line without its end counts, too. */
#include <stdio.h>

int main(void)
{
    int c, last = '\n', lines = 0;

    while ((c = getchar()) != EOF) {
        if (c == '\n')
            lines++;
        last = c;
    }
    if (last != '\n')
        lines++;
    printf("%i\n", lines);
    return lines >= 3 ? 1 : 0;
}
