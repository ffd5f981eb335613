// stdin: 12 -7 word 0x1f 3.25x\n[abc]def, 99\n  rest of it
/* scanf, fscanf and sscanf: what they convert, where they stop. */
#include <stdio.h>
#include <stdlib.h>

static void show(const char *text, const char *format)
{
    int a = -1, b = -1, end = -1;
    int n = sscanf(text, format, &a, &b, &end);
    printf("%d: %d %d %d\n", n, a, b, end);
}

int main(void)
{
    int a, b, hex;
    char word[16], set[16], rest[8] = "";
    double number;
    char *grown = NULL;
    printf("%d\n", scanf("%d%d%15s", &a, &b, word));
    printf("%d %d %s\n", a, b, word);
    printf("%d\n", fscanf(stdin, "%i%lfx [%[a-c]]", &hex, &number, set));
    printf("%d %g %s\n", hex, number, set);
    printf("%d\n", scanf("%*[a-z], %d", &a));
    printf("%d\n", a);
    printf("%d\n", scanf(" %ms %7c", &grown, rest));
    printf("%s|%s|\n", grown, rest);
    free(grown);
    printf("%d\n", scanf("%d", &a));
    show("5 6", "%d %d%n");
    show("5-6", "%d%d%n");
    show("10x", "%d%d");
    show("  ", "%d");
    show("077 0x1p", "%i %i%n");
    show("123456", "%3d%2d%n");
    show("7%8", "%d%%%d%n");
    return 0;
}
