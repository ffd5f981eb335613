/* Casts to unions, classes of types, rare builtins. */
#define _GNU_SOURCE
#include <stdio.h>
#include <unistd.h>

union number {
    int whole;
    double real;
    const char *text;
};

static double value_of(union number n, int kind)
{
    return kind == 0 ? n.whole : kind == 1 ? n.real : n.text[0];
}

struct pair { int a, b; };

int main(void)
{
    struct pair pair = { 1, 2 };
    char swapped[7] = "", *kept = swapped;
    printf("%g %g %g\n", value_of((union number) 5, 0), value_of((union number) 2.5, 1),
           value_of((union number) (const char *) "A", 2));
    printf("%d %d %d %d %d\n", __builtin_classify_type('a'), __builtin_classify_type(1.0f),
           __builtin_classify_type(kept), __builtin_classify_type(pair),
           __builtin_classify_type((union number) 1));
    printf("%llx\n", (unsigned long long) (__builtin_bswap128((__int128) 0x1234) >> 112));
    swab("abcdef", swapped, 6);
    puts(swapped);
    return 0;
}
