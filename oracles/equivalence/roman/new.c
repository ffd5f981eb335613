/* Print a number as the Romans wrote it. */
#include <stdio.h>

static const struct {
    int value;
    const char *sign;
} signs[] = {
    { 50, "L" }, { 40, "XL" }, { 10, "X" }, { 9, "IX" }, { 5, "V" }, { 4, "IV" }, { 1, "I" },
};

void roman(int n)
{
    for (unsigned i = 0; i < sizeof signs / sizeof *signs; i++) {
        for (; n >= signs[i].value; n -= signs[i].value)
            fputs(signs[i].sign, stdout);
    }
    puts("");
}
