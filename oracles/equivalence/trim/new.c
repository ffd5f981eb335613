/* Remove blanks at both ends of a line, in place. */
#include <stddef.h>

char *trim(char *line)
{
    char *start = NULL, *end = line;

    for (char *p = line; *p; p++) {
        if (*p == ' ' || *p == '\t')
            continue;
        if (!start)
            start = p;
        end = p + 1;
    }
    *end = '\0';
    return start ? start : line;
}
