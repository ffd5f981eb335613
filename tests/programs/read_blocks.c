// stdin: \x01\x02\x03\x04\xff\x00ABCDEFG
/* fread in blocks, getc and ungetc between. */
#include <stdio.h>

int main(void)
{
    unsigned char block[4];
    size_t n;
    int c, i;
    n = fread(block, 1, sizeof block, stdin);
    printf("%zu:", n);
    for (i = 0; i < (int) n; i++)
        printf(" %d", block[i]);
    c = getc(stdin);
    printf("\n%d\n", c);
    ungetc('X', stdin);
    printf("%c ", fgetc(stdin));
    printf("%d\n", getc(stdin));
    n = fread(block, 2, 2, stdin);
    printf("%zu %c%c%c%c\n", n, block[0], block[1], block[2], block[3]);
    n = fread(block, 2, 2, stdin);
    printf("%zu %c%c %d\n", n, block[0], block[1], feof(stdin) != 0);
    printf("%zu\n", fread(block, 1, 4, stdin));
    ungetc('u', stdin);
    printf("%d ", feof(stdin) != 0);
    printf("%c\n", getchar());
    return 0;
}
