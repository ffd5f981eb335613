/* Sizes and limits of the integer types. */
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

int main(void)
{
    printf("%zu %zu %zu %zu %zu %zu\n", sizeof(char), sizeof(short), sizeof(int), sizeof(long),
           sizeof(long long), sizeof(void *));
    printf("%zu %zu %zu %zu\n", sizeof(bool), sizeof(size_t), sizeof(ptrdiff_t), sizeof(wchar_t));
    printf("%d %d %d %d\n", SCHAR_MIN, SCHAR_MAX, CHAR_MIN, CHAR_MAX);
    printf("%d %d %d\n", SHRT_MIN, SHRT_MAX, USHRT_MAX);
    printf("%d %d %u\n", INT_MIN, INT_MAX, UINT_MAX);
    printf("%ld %ld %lu\n", LONG_MIN, LONG_MAX, ULONG_MAX);
    printf("%lld %lld %llu\n", LLONG_MIN, LLONG_MAX, ULLONG_MAX);
    printf("%d %d %u\n", INT8_MIN, INT16_MAX, UINT32_MAX);
    printf("%zu %zu %zu\n", sizeof 'a', sizeof "abc", sizeof(1 ? (short) 1 : (char) 2));
    printf("%zu %zu\n", sizeof(char[7][3]), sizeof(int (*)[10]));
    return 0;
}
