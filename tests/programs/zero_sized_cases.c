/* Edges: empty strings and arrays, loops that do not run, one element, limits as bounds. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

static int sum(const int *p, int n) { int s = 0; while (n-- > 0) s += *p++; return s; }
static int largest(const int *p, int n)
{
    int best = INT_MIN;
    for (; n > 0; n--, p++)
        if (*p > best)
            best = *p;
    return best;
}
static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}
static int search(const int *p, int n, int key)
{
    int low = 0, high = n - 1;
    while (low <= high) {
        int middle = low + (high - low) / 2;
        if (p[middle] == key) return middle;
        if (p[middle] < key) low = middle + 1;
        else high = middle - 1;
    }
    return -low - 1;
}

int main(void)
{
    int a[] = { -5, 0, 3, 3, 9 }, i;
    char none[1] = "";
    printf("%d %d %d\n", sum(a, 0), sum(a, 1), sum(a, 5));
    printf("%d %d\n", largest(a, 5), largest(a, 0) == INT_MIN);
    printf("[%s] [%s] [%s] [%s]\n", last_part("/usr/bin"), last_part("x"), last_part("dir/"), none);
    for (i = -6; i < 12; i += 3)
        printf("%d ", search(a, 5, i));
    printf("%d\n", search(a, 0, 1));
    printf("%d %d\n", memcmp("", "", 0), strncmp("a", "b", 0));
    for (unsigned char c = 255; c < 255; c++)
        printf("never");
    i = INT_MAX;
    while (i > 0)
        i >>= 4;
    do i--; while (i > INT_MIN + 1 && i > -3);
    printf("%d\n", i);
    return 0;
}
