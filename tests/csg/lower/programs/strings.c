#include <stdio.h>
#include <string.h>
#include <wchar.h>
char buffer[32];
int length(const char *s) { const char *p = s; while (*p) p++; return p - s; }
void reverse(char *s) { int i = 0, j = length(s) - 1; while (i < j) { char c = s[i]; s[i++] = s[j]; s[j--] = c; } }
int main(void) {
    strcpy(buffer, "stressed"); reverse(buffer); printf("%s %d %zu\n", buffer, length("a\0b"), sizeof "a\0b"); printf("%d\n", "abc" == "abd"); printf("%d %d\n", strcmp("a", "b") < 0, (int)strlen("tab\there\x41\101"));
    const char *a = "same", *b = "same"; printf("%d\n", a == b); printf("%s\n", "join" "ed"); wchar_t *w = L"wide"; printf("%d %zu\n", w[1], sizeof L"ab"); printf("%d %s\n", '\377', __func__); char z[4] = "abcd"; printf("%c\n", z[3]);
    memset(buffer, 'x', 3); buffer[3] = 0; memcpy(buffer + 1, "yy", 2); puts(buffer); printf("%x %lx %c %%\n", 255, 1L << 33, 'q'); return 0;
}
