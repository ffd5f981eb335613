/* Calls of printf with many arguments of mixed types, also through a wrapper macro. */
#include <stdio.h>

#define LOG(level, ...) (printf("[%s] ", level), printf(__VA_ARGS__), putchar('\n'))

int main(void)
{
    char c = 'c';
    short s = -2;
    unsigned char u = 200;
    long l = 1L << 33;
    printf("%c %d %d %ld %s %d %u %lx %d %c\n", c, s, u, l, "s", 1 == 1, 3u, l, c, s + 100);
    printf("%d %d %d %d %d %d %d %d %d %d %d %d\n", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
    LOG("info", "no arguments");
    LOG("warn", "%d of %d", 3, 4);
    printf(s < 0 ? "%d negative\n" : "%d positive\n", s);
    return 0;
}
