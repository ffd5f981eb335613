/* Tables of strings: lookup, counting, the longest, joining into a buffer. */
#include <stdio.h>
#include <string.h>

static const char *const months[] = { "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December" };
#define COUNT (sizeof months / sizeof *months)
static const struct { char from; const char *to; } morse[] = {
    { 's', "..." }, { 'o', "---" }, { 'e', "." }, { 't', "-" }, { 0, 0 },
};

static int month_of(const char *prefix)
{
    int i, found = 0;
    for (i = 0; i < (int) COUNT; i++)
        if (strncmp(months[i], prefix, strlen(prefix)) == 0) {
            if (found)
                return -1;
            found = i + 1;
        }
    return found;
}

int main(void)
{
    char joined[128] = "";
    size_t i, longest = 0;
    const char *word = "sot tes", *p;
    for (i = 0; i < COUNT; i++) {
        if (strlen(months[i]) > strlen(months[longest]))
            longest = i;
        strncat(joined, months[i], 3);
    }
    printf("%s %s\n", months[longest], joined);
    printf("%d %d %d %d\n", month_of("Feb"), month_of("Ju"), month_of("X"), month_of("Mar"));
    for (p = word; *p; p++) {
        int k;
        for (k = 0; morse[k].from; k++)
            if (morse[k].from == *p)
                printf("%s ", morse[k].to);
        if (*p == ' ')
            printf("/ ");
    }
    printf("\n");
    return 0;
}
