// args: 24
// stdin: It is a truth universally acknowledged, that a single man in possession of a good\nfortune, must be in want of a wife.\n\nIncomprehensibilities-and-such-words stay whole.\n
/* Fills paragraphs to a width from the command line; an empty line parts paragraphs. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int column, width = 40;

static void put_word(const char *word, int length)
{
    if (length == 0)
        return;
    if (column > 0 && column + 1 + length > width) {
        putchar('\n');
        column = 0;
    }
    if (column > 0) {
        putchar(' ');
        column++;
    }
    printf("%.*s", length, word);
    column += length;
}

int main(int argc, char **argv)
{
    char word[64];
    int c, length = 0, newlines = 0;
    if (argc > 1)
        width = atoi(argv[1]);
    if (width < 1)
        return 2;
    while ((c = getchar()) != EOF) {
        if (isspace(c)) {
            put_word(word, length);
            length = 0;
            newlines = c == '\n' ? newlines + 1 : newlines;
            if (newlines == 2) {
                printf("\n\n");
                column = 0;
            }
        } else {
            newlines = 0;
            if (length < (int) sizeof word)
                word[length++] = (char) c;
        }
    }
    put_word(word, length);
    putchar('\n');
    return 0;
}
