/* Comma, conditional, compound assignment, short circuit, increments: order and values. */
#include <stdio.h>

static int calls;
static int yes(void) { calls++; return 1; }
static int no(void) { calls += 10; return 0; }

int main(void)
{
    int a = 5, b = 3, c, *p = &a;
    c = (a++, b++, a + b);
    printf("%d %d %d\n", a, b, c);
    c = a > b ? a : b ? 7 : 8;
    printf("%d\n", c);
    if (yes() || no()) printf("%d\n", calls);
    if (no() && yes()) printf("never\n");
    printf("%d\n", calls);
    c = (yes() && no()) || (no() || yes());
    printf("%d %d\n", c, calls);
    a += b -= 2;
    a *= 3; a /= 2; a %= 7; a |= 8; a &= 12; a ^= 5;
    printf("%d %d\n", a, b);
    c = -a + ~b - !c + +a;
    printf("%d\n", c);
    (*p)++;
    ++*p;
    printf("%d\n", a);
    printf("%d %d\n", !!a, !a);
    printf("%d\n", 1 + 2 * 3 - 4 / 2 % 3 << 1 & 7 | 8 ^ 3);
    printf("%d %d %d\n", 3 > 2 > 1, 1 < 2 == 1, 5 & 3 == 3);
    c = b = a = 4;
    a = b == c;
    printf("%d %d %d\n", a, b, c);
    {
        short s = 32767;
        s += 1;
        printf("%d\n", s);
        unsigned char u = 1;
        u -= 2;
        u *= 2;
        printf("%d\n", u);
    }
    return 0;
}
