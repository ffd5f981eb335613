/* sprintf and snprintf: what is written, what is returned when it does not fit. */
#include <stdio.h>
#include <string.h>

int main(void)
{
    char buffer[32], small[6];
    int n, i;
    n = sprintf(buffer, "%d-%s-%c", 12, "ab", 'z');
    printf("%s %d\n", buffer, n);
    n = snprintf(small, sizeof small, "%s", "too long for it");
    printf("%s %d\n", small, n);
    n = snprintf(small, sizeof small, "%05d", 42);
    printf("%s %d\n", small, n);
    n = snprintf(NULL, 0, "%d%d", 123, 456);
    printf("%d\n", n);
    n = snprintf(small, 1, "abc");
    printf("%d %d\n", small[0], n);
    buffer[0] = '\0';
    for (i = 0; i < 8; i++)
        sprintf(buffer + strlen(buffer), "%x,", i * i * i);
    printf("%s\n", buffer);
    sprintf(buffer, "%s%.*s", "", 3, "abcdef");
    printf("%s\n", buffer);
    return 0;
}
