/* Pointers compared within an object, against NULL, as truth values, through integers. */
#include <stdint.h>
#include <stdio.h>

static int count_until(const char *from, const char *to)
{
    int n = 0;
    for (; from != to; from++)
        n++;
    return n;
}

static char *skip(char *p, char *end)
{
    while (p < end && *p == ' ')
        ++p;
    return p;
}

int main(void)
{
    char text[] = "   word", *end = text + sizeof text - 1, *p;
    int a[4], b, *pa = a, *pb = &b;
    struct { int first, second; } s;
    p = skip(text, end);
    printf("%td %d %s\n", p - text, count_until(p, end), p);
    printf("%d %d %d\n", pa == a, pa == pb, pa != NULL);
    printf("%d %d\n", &a[1] > &a[0], &s.second > &s.first);
    printf("%d\n", (uintptr_t) &a[3] - (uintptr_t) a == 3 * sizeof(int));
    printf("%d\n", ((uintptr_t) pb & 3) == 0);
    printf("%d %d\n", pa ? 1 : 2, !pb);
    pa = NULL;
    printf("%d %d\n", pa ? 1 : 2, pa == 0 && pb);
    printf("%d\n", (int *) (void *) (char *) pb == &b);
    return 0;
}
