// args: 3 Hello,World -3 Khoor,Zruog x oops
/* Ciphers on the arguments: Caesar by a number, Vigenere by a word, and frequency by letters. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

static char turn(char c, int by)
{
    by = (by % 26 + 26) % 26;
    if (isupper((unsigned char) c))
        return (char) ('A' + (c - 'A' + by) % 26);
    if (islower((unsigned char) c))
        return (char) ('a' + (c - 'a' + by) % 26);
    return c;
}

static void caesar(char *text, int by)
{
    for (; *text; text++)
        *text = turn(*text, by);
}

static void vigenere(const char *text, const char *key)
{
    const char *k = key;
    for (; *text; text++) {
        putchar(turn(*text, *k - 'a'));
        if (isalpha((unsigned char) *text) && *++k == '\0')
            k = key;
    }
    putchar('\n');
}

int main(int argc, char **argv)
{
    int i, by;
    for (i = 1; i + 1 < argc; i += 2) {
        by = atoi(argv[i]);
        caesar(argv[i + 1], by);
        printf("%d %s\n", by, argv[i + 1]);
    }
    vigenere("Attack at Dawn!", "lemon");
    return argc & 1 ? 0 : 1;
}
