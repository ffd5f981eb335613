/* printf: flags, widths, precisions, lengths, %n$ left out. */
#include <stdio.h>

int main(void)
{
    int n, i = -42;
    printf("[%d] [%5d] [%-5d] [%05d] [%+d] [% d]\n", i, i, i, i, 42, 42);
    printf("[%i] [%u] [%o] [%x] [%X] [%#x] [%#o]\n", 7, 7u, 64, 255, 255, 255, 64);
    printf("[%.3d] [%8.3d] [%-8.3d] [%.0d]\n", 5, 5, 5, 0);
    printf("[%c] [%3c] [%-3c]\n", 'x', 'y', 'z');
    printf("[%s] [%8s] [%-8s] [%.2s] [%8.2s]\n", "abc", "abc", "abc", "abc", "abc");
    printf("[%*d] [%-*d] [%.*s]\n", 6, 1, 6, 2, 2, "xyz");
    printf("[%hhd] [%hd] [%ld] [%lld] [%zu]\n", 300, 70000, 1L << 40, -1LL << 50, (size_t) 9);
    printf("[%lx] [%llX] [%hhu] [%hx]\n", -1L, 0xabcdefULL, 511, 0x12345);
    printf("[%%]\n");
    n = printf("12345\n");
    printf("%d\n", n);
    printf("%s %d\n", "end", puts("puts adds a line") > 0);
    putchar('p');
    fputc('q', stdout);
    fputs("rst\n", stdout);
    fprintf(stdout, "%d %s\n", 1, "to stdout");
    fprintf(stderr, "to stderr\n");
    fwrite("raw\0bytes\n", 1, 10, stdout);
    return 0;
}
