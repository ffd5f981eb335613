/* Run-length coding: "aaab" -> "3a1b" and back, in place and not. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

static char *pack(char *to, const char *from)
{
    char *start = to;
    while (*from) {
        int run = 1;
        while (from[run] == *from && run < 99)
            run++;
        to += sprintf(to, "%d%c", run, *from);
        from += run;
    }
    *to = '\0';
    return start;
}

static int unpack(char *to, size_t room, const char *from)
{
    size_t used = 0;
    while (*from) {
        int run = 0;
        while (isdigit((unsigned char) *from))
            run = run * 10 + *from++ - '0';
        if (*from == '\0' || run == 0 || used + run >= room)
            return -1;
        memset(to + used, *from++, run);
        used += run;
    }
    to[used] = '\0';
    return (int) used;
}

int main(void)
{
    const char *texts[] = { "", "a", "aaab", "abcabc", "zzzzzzzzzzzzzzzzzzzzzzzz!!", "  x" };
    char packed[80], back[40];
    int i;
    for (i = 0; i < 6; i++) {
        pack(packed, texts[i]);
        printf("%s %d ", packed, unpack(back, sizeof back, packed));
        printf("%d\n", strcmp(back, texts[i]) == 0);
    }
    printf("%d %d %d\n", unpack(back, 40, "3"), unpack(back, 40, "x"), unpack(back, 5, "9a"));
    return 0;
}
