/* Addition and multiplication of decimal numbers of any length: 2^100, 30!, a long sum. */
#include <stdio.h>
#include <string.h>

#define DIGITS 64
struct big { unsigned char digit[DIGITS]; int length; };

static struct big from(unsigned n)
{
    struct big b = { { 0 }, 0 };
    do
        b.digit[b.length++] = n % 10;
    while (n /= 10);
    return b;
}

static struct big add(struct big a, struct big b)
{
    int i, carry = 0, length = a.length > b.length ? a.length : b.length;
    for (i = 0; i < length || carry; i++) {
        carry += a.digit[i] + b.digit[i];
        a.digit[i] = carry % 10;
        carry /= 10;
    }
    a.length = i;
    return a;
}

static void times(struct big *a, int factor)
{
    int i, carry = 0;
    for (i = 0; i < a->length || carry; i++) {
        carry += a->digit[i] * factor;
        a->digit[i] = carry % 10;
        carry /= 10;
    }
    a->length = i;
}

static void show(const struct big *b)
{
    int i;
    for (i = b->length; i-- > 0;)
        putchar('0' + b->digit[i]);
    putchar('\n');
}

int main(void)
{
    struct big a = from(1), b = from(1), c = from(999), d;
    int i;
    for (i = 0; i < 100; i++)
        times(&a, 2);
    show(&a);
    for (i = 2; i <= 30; i++)
        times(&b, i);
    show(&b);
    d = add(a, b);
    show(&d);
    c = add(c, from(1));
    show(&c);
    return 0;
}
