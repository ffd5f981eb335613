/* echo with -n. */
#include <stdio.h>

static int is_option(const char *word)
{
    return word[0] == '-' && word[1] == 'n' && word[2] == '\0';
}

int main(int argc, char **argv)
{
    const char *end = "\n";
    int first = 1;

    argv++;
    if (--argc && is_option(*argv)) {
        end = "";
        argc--;
        argv++;
    }
    for (; argc > 0; argc--, argv++) {
        if (!first)
            putchar(' ');
        fputs(*argv, stdout);
        first = 0;
    }
    fputs(end, stdout);
    return 0;
}
