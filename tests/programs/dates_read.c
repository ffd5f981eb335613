// stdin: 2021-02-03 3 Feb 1999;12:30 PM monday 31/12/69 nonsense
#define _XOPEN_SOURCE 700
#include <stdio.h>
#include <string.h>
#include <time.h>

int main(void)
{
    const char *const forms[] = {"%Y-%m-%d", "%d %b %Y;", "%I:%M %p", "%A", "%d/%m/%y", "%H"};
    char line[80], *at = line;
    if (!fgets(line, sizeof line, stdin))
        return 1;
    for (int i = 0; i < 6; i++) {
        struct tm tm = {0};
        char *end = strptime(at, forms[i], &tm);
        printf("%s: %d %d %d %d, %d of the week, %d of the year, %d:%d\n", forms[i], end != NULL,
               tm.tm_year, tm.tm_mon, tm.tm_mday, tm.tm_wday, tm.tm_yday, tm.tm_hour, tm.tm_min);
        for (at = end ? end : at; *at == ' ';)
            at++;
    }
    return 0;
}
