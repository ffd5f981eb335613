// stdin: key = value\n# comment\n  spaced=1 2\nbad line\nlast=\n
/* regcomp and regexec: a configuration file taken apart, basic and extended, errors told. */
#include <regex.h>
#include <stdio.h>
#include <string.h>

static void search(const char *pattern, const char *text, int flags)
{
    regex_t compiled;
    regmatch_t found[3];
    int number = regcomp(&compiled, pattern, flags);
    if (number) {
        char message[64];
        regerror(number, &compiled, message, sizeof message);
        printf("%s: %s\n", pattern, message);
        return;
    }
    if (regexec(&compiled, text, 3, found, 0) == 0)
        for (size_t i = 0; i <= compiled.re_nsub && i < 3; i++)
            printf("[%d %d]", (int) found[i].rm_so, (int) found[i].rm_eo);
    printf(" %zu\n", compiled.re_nsub);
    regfree(&compiled);
}

int main(void)
{
    regex_t line;
    char text[80];
    regmatch_t found[3];
    if (regcomp(&line, "^[[:space:]]*([a-z]+)[[:space:]]*=[[:space:]]*(.*[^\n])?$", REG_EXTENDED | REG_NEWLINE))
        return 1;
    while (fgets(text, sizeof text, stdin))
        if (regexec(&line, text, 3, found, 0) == 0)
            printf("%.*s -> <%.*s>\n", (int) (found[1].rm_eo - found[1].rm_so), text + found[1].rm_so,
                   (int) (found[2].rm_eo - found[2].rm_so), text + found[2].rm_so);
        else
            printf("no: %s", text);
    regfree(&line);
    search("(a|ab)(c|bcd)*", "xabcd", REG_EXTENDED);
    search("\\(b*\\)c\\{1,2\\}$", "abbcc", 0);
    search("HELLO", "say hello", REG_ICASE);
    search("a{2", "aa", REG_EXTENDED);
    search("(a", "aa", REG_EXTENDED);
    return 0;
}
