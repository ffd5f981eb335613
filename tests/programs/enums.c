/* Enumerations: values given, implied and repeated; as indices, labels and flags. */
#include <stdio.h>

enum color { RED, GREEN = 5, BLUE, ALIAS = GREEN, LAST };
enum flag { READ = 1 << 0, WRITE = 1 << 1, EXEC = 1 << 2, ALL = READ | WRITE | EXEC };
typedef enum { NEGATIVE = -3, ZERO = 0, BIG = 0x7fffffff } mixed;

static const char *const names[] = { [RED] = "red", [GREEN] = "green", [BLUE] = "blue" };

static const char *name_of(enum color c)
{
    switch (c) {
    case RED: return "r";
    case GREEN: return "g";
    case BLUE: return "b";
    default: return "?";
    }
}

int main(void)
{
    enum color c;
    int rights = ALL & ~WRITE;
    mixed m = NEGATIVE;
    for (c = RED; c <= LAST; c++)
        if ((unsigned) c < sizeof names / sizeof *names && names[c] != NULL)
            printf("%d %s %s\n", c, names[c], name_of(c));
    printf("%d %d %d\n", LAST, ALIAS, (int) sizeof names);
    printf("%d %d %d\n", rights, !!(rights & READ), !!(rights & WRITE));
    printf("%d %d %zu\n", m, m < ZERO, sizeof(enum color));
    enum { LOCAL = BIG - 1 };
    printf("%d\n", LOCAL);
    return c - LAST;
}
