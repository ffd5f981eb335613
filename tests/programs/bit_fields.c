/* Bit-fields: packing, signs, wrapping, width 0. */
#include <stdio.h>

struct date { unsigned day : 5, month : 4, year : 12; };
struct mixed { int small : 3; unsigned flag : 1; int : 0; unsigned char rest : 6; };

int main(void)
{
    struct date d = { 31, 12, 1999 };
    struct mixed m = { 3, 1, 63 };
    int i;

    printf("%u %u %u %zu\n", d.day, d.month, d.year, sizeof d);
    d.day++;
    d.month += 4;
    d.year = 5000;
    printf("%u %u %u\n", d.day, d.month, d.year);
    for (i = 0; i < 6; i++) {
        m.small++;
        printf("%d ", m.small);
    }
    m.flag = 2;
    m.rest += 2;
    printf("%u %u %zu\n", m.flag, m.rest, sizeof m);
    m.small = -1;
    printf("%d %d\n", m.small < 0, m.small == 7);
    printf("%d\n", (m.small = 5));
    return 0;
}
