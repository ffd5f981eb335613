/* echo with -n. */
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    int newline = 1;
    int first = 1;

    if (argc > 1 && strcmp(argv[1], "-n") == 0) {
        newline = 0;
        first = 2;
    }
    for (int i = first; i < argc; i++) {
        if (i > first)
            printf(" ");
        printf("%s", argv[i]);
    }
    if (newline)
        printf("\n");
    return 0;
}
