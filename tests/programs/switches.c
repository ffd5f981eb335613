/* Switch: fall-through, default in the middle, nested, ranges of characters, no match. */
#include <stdio.h>

static int score(char c)
{
    int points = 0;
    switch (c) {
    case 'a': case 'e': case 'i': case 'o': case 'u':
        points++;
        /* fall through */
    case 'y':
        points += 10;
        break;
    default:
        points = -1;
        break;
    case 'z':
        points = 26;
    case '!':
        points *= 2;
    }
    return points;
}

static int nested(int a, int b)
{
    switch (a) {
    case 1:
        switch (b) {
        case 1: return 11;
        case 2: break;
        default: return 10;
        }
        return 12;
    case -1:
        return -1;
    }
    return 0;
}

static const char *size(unsigned long n)
{
    switch (n) {
    case 0: return "zero";
    case 0xffffffffffffffff: return "huge";
    case 1ul << 40: return "tera";
    }
    return "other";
}

int main(void)
{
    const char *s;
    int a, b;
    for (s = "aybz!e"; *s; s++)
        printf("%d ", score(*s));
    for (a = -1; a < 3; a++)
        for (b = 0; b < 4; b++)
            printf("%d ", nested(a, b));
    printf("%s %s %s %s\n", size(0), size(-1ul), size(1099511627776), size(3));
    return 0;
}
