/* memcpy, memmove over itself, memset, memcmp, memchr; on bytes and on structures. */
#include <stdio.h>
#include <string.h>

struct pair { int a; char name[6]; };

int main(void)
{
    char buffer[20] = "0123456789";
    struct pair p = { 7, "seven" }, q, *r = &q;
    int numbers[4] = { 1, 2, 3, 4 }, copy[4];

    memmove(buffer + 2, buffer, 5);
    printf("%s\n", buffer);
    memmove(buffer, buffer + 3, 6);
    printf("%s\n", buffer);
    memset(buffer + 1, '-', 4);
    printf("%s\n", buffer);
    memcpy(&q, &p, sizeof p);
    printf("%d %s\n", r->a, r->name);
    memcpy(copy, numbers, sizeof numbers);
    printf("%d %d\n", copy[3], memcmp(copy, numbers, sizeof copy));
    memset(copy, 0xff, 2 * sizeof *copy);
    printf("%d %d %d\n", copy[0], copy[1], copy[2]);
    printf("%d\n", memcmp("abc", "abd", 3) < 0);
    printf("%d\n", memcmp("a\0x", "a\0y", 3) < 0);
    printf("%s %d\n", (char *) memchr("hay needle", 'n', 10), memchr("abc", 'c', 2) == NULL);
    return 0;
}
