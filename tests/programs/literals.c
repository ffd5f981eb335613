/* Constants and string literals: escapes, concatenation, suffixes, octal and hexadecimal. */
#include <stdio.h>
#include <string.h>

int main(void)
{
    const char *s = "tab\there" "\x41" "B\103\0hidden";
    char quote = '\'', bell = '\a', multi[] = "a\\b\"c\?";
    printf("%s %zu %zu\n", s, strlen(s), sizeof "ab\0cd");
    printf("%d %d %d %s\n", quote, bell, '\0', multi);
    printf("%d %d %d %d\n", 017, 0x1F, 0XfF, 10);
    printf("%u %ld %lu %lld %llu\n", 1u, 2L, 3ul, 4ll, 5ULL);
    printf("%zu %zu %zu\n", sizeof 2147483647, sizeof 2147483648, sizeof 0xffffffff);
    printf("%d %d\n", 'A' == 65, "abc"[1]);
    printf("%c%c\n", *"xyz", *("xyz" + 2));
    printf("%d\n", '\x7f');
    printf("100%% %s", "done\n");
    printf("%s\n", __func__);
    return 0;
}
