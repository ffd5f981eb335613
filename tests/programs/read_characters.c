// stdin: two lines\nand  some\twords\nno end
/* getchar until the end: lines, words and bytes, as wc counts. */
#include <ctype.h>
#include <stdio.h>

int main(void)
{
    int c, lines = 0, words = 0, bytes = 0, in_word = 0;
    while ((c = getchar()) != EOF) {
        bytes++;
        if (c == '\n')
            lines++;
        if (isspace(c)) {
            in_word = 0;
        } else if (!in_word) {
            in_word = 1;
            words++;
        }
    }
    printf("%d %d %d\n", lines, words, bytes);
    printf("%d ", getchar() == EOF);
    printf("%d %d\n", feof(stdin) != 0, ferror(stdin) != 0);
    return 0;
}
