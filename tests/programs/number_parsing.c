/* strtol, strtoul, atoi: bases, signs, ends, and what does not fit. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static void try(const char *text, int base)
{
    char *end;
    long value;
    errno = 0;
    value = strtol(text, &end, base);
    printf("%s %d: %ld %d \"%s\"\n", text, base, value, errno == ERANGE, end);
}

int main(void)
{
    char *end;
    try("42", 10);
    try("  -17xyz", 10);
    try("+0", 10);
    try("0x1F", 16);
    try("0x1F", 0);
    try("0x", 0);
    try("0778", 0);
    try("zz", 36);
    try("101102", 2);
    try("", 10);
    try("-", 10);
    try("abc", 10);
    try("9223372036854775807", 10);
    try("9223372036854775808", 10);
    try("-9223372036854775809", 10);
    errno = 0;
    printf("%lu\n", strtoul("18446744073709551615", &end, 10));
    printf("%lu %d\n", strtoul("-1", NULL, 10), errno);
    printf("%lu %d\n", strtoul("99999999999999999999", &end, 10), errno == ERANGE);
    printf("%d %d %ld\n", atoi("  12ab"), atoi("x"), atol("-5000000000"));
    printf("%d %ld\n", abs(-5), labs(-6000000000));
    return 0;
}
