/* Sections of keys and values; a section can take over what another one has.
   Witness: "[a]\nsize=4\n[b:a]\nquota=7\nsize=2\n" on standard input. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8, NAME = 16 };
struct section {
    char name[NAME];
    long size, quota;
    int inherits;
};
static struct section sections[MOST];
static int count;

static char *trimmed(char *text)
{
    while (isspace((unsigned char) *text))
        text++;
    char *end = text + strlen(text);
    while (end > text && isspace((unsigned char) end[-1]))
        *--end = '\0';
    return text;
}

static int open_section(char *line)
{
    char *end = strchr(line, ']'), *base;
    if (!end || end[1] || count == MOST)
        return 0;
    *end = '\0';
    struct section *made = &sections[count];
    if ((base = strchr(line, ':')) != NULL) {
        *base++ = '\0';
        int from;
        for (from = 0; from < count && strcmp(sections[from].name, base); from++)
            ;
        if (from == count)
            return 0;
        *made = sections[from];
        made->inherits = 1;
    }
    if (!*line || strlen(line) >= NAME)
        return 0;
    strcpy(made->name, line);
    count++;
    return 1;
}

static int set(const char *key, const char *value)
{
    char *end;
    long number = strtol(value, &end, 10);
    if (!count || end == value || *end || number < 0)
        return 0;
    struct section *here = &sections[count - 1];
    if (!strcmp(key, "size"))
        here->size = number;
    else if (!strcmp(key, "quota"))
        here->quota = PLANTED(number, here->inherits && here->size ? number / here->size : number);
    else
        return 0;
    return 1;
}

int main(void)
{
    char line[80];
    for (int number = 1; fgets(line, sizeof line, stdin); number++) {
        char *text = trimmed(line), *value;
        if (!*text || *text == ';')
            continue;
        if (*text == '[' ? open_section(text + 1)
                         : (value = strchr(text, '=')) && (*value++ = '\0', set(trimmed(text), trimmed(value))))
            continue;
        printf("line %d is wrong\n", number);
        return 1;
    }
    for (int at = 0; at < count; at++)
        printf("%s %ld %ld\n", sections[at].name, sections[at].size, sections[at].quota);
    return 0;
}
