// stdin: the rain in Spain stays mainly in the plain\nThe rain, the rain!\n
/* Counts words without case, prints the most frequent ones in order. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct word { char text[16]; int count; };
static struct word words[32];
static int used;

static void count(const char *text)
{
    int i;
    for (i = 0; i < used; i++)
        if (strcmp(words[i].text, text) == 0)
            break;
    if (i == used)
        strcpy(words[used++].text, text);
    words[i].count++;
}

static int order(const void *a, const void *b)
{
    const struct word *x = a, *y = b;
    return y->count - x->count ? y->count - x->count : strcmp(x->text, y->text);
}

int main(void)
{
    char text[16];
    int c, n = 0, i;
    while ((c = getchar()) != EOF)
        if (isalpha(c)) {
            if (n < 15)
                text[n++] = (char) tolower(c);
        } else if (n > 0) {
            text[n] = '\0';
            count(text);
            n = 0;
        }
    qsort(words, used, sizeof *words, order);
    for (i = 0; i < used; i++)
        printf("%2d %s\n", words[i].count, words[i].text);
    return used;
}
