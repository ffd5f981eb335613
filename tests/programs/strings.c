/* The functions of string.h. */
#include <stdio.h>
#include <string.h>

static int sign(int n) { return (n > 0) - (n < 0); }

int main(void)
{
    char a[40] = "hello", b[40];
    printf("%zu %s\n", strlen(a), strcpy(b, a));
    printf("%s\n", strcat(b, ", world"));
    printf("%s\n", strncat(b, "!!!???", 3));
    strncpy(a, "abcdefgh", 3);
    printf("%s\n", a);
    strncpy(a, "x", 5);
    printf("%s %d\n", a, a[4]);
    printf("%d %d %d\n", sign(strcmp("abc", "abd")), sign(strcmp("b", "abc")), strcmp("", ""));
    printf("%d %d\n", sign(strncmp("abcx", "abcy", 3)), sign(strncmp("abcx", "abcy", 4)));
    printf("%d\n", sign(strcmp("\xff", "a")));
    printf("%s %s %d\n", strchr("a=b=c", '='), strrchr("a=b=c", '='), strchr("abc", 'x') == NULL);
    printf("%zu\n", strlen(strchr("end", 0)));
    printf("%s %d\n", strstr("the cat sat", "sat"), strstr("abc", "abd") == NULL);
    printf("%s\n", strstr("abc", ""));
    printf("%zu %zu\n", strspn("112233abc", "123"), strcspn("abc,def", ",;"));
    printf("%s\n", strpbrk("key: value", " :"));
    return 0;
}
