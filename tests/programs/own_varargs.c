/* Functions with a variable number of arguments of one's own. */
#include <stdarg.h>
#include <stdio.h>

static int sum(int count, ...)
{
    va_list list;
    int total = 0;
    va_start(list, count);
    while (count-- > 0)
        total += va_arg(list, int);
    va_end(list);
    return total;
}

static void tell(const char *kinds, ...)
{
    va_list list;
    va_start(list, kinds);
    for (; *kinds; kinds++)
        switch (*kinds) {
        case 'i': printf("%d ", va_arg(list, int)); break;
        case 'l': printf("%ld ", va_arg(list, long)); break;
        case 's': printf("%s ", va_arg(list, char *)); break;
        }
    va_end(list);
    printf("\n");
}

int main(void)
{
    printf("%d %d\n", sum(0), sum(4, 1, 20, 300, 4000));
    tell("islis", 1, "two", 1L << 40, 4, "five");
    return 0;
}
