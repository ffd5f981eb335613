/* Remove blanks at both ends of a line, in place. */
#include <string.h>

static int blank(char c)
{
    return c == ' ' || c == '\t';
}

char *trim(char *line)
{
    size_t length = strlen(line);

    while (length > 0 && blank(line[length - 1]))
        length--;
    line[length] = '\0';
    while (blank(*line))
        line++;
    return line;
}
