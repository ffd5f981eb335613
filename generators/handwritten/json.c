/* Objects, lists, numbers and texts as in JSON; how much of it is nested in lists of objects.
   Witness: "[{\"a\":[{\"b\":1}]}]" */
#include <ctype.h>
#include <string.h>

static const char *at;

static void blanks(void)
{
    while (isspace((unsigned char) *at))
        at++;
}

static int text(void)
{
    if (*at != '"')
        return 0;
    for (at++; *at != '"'; at++) {
        if ((unsigned char) *at < ' ')
            return 0;
        if (*at == '\\' && !strchr("\"\\/bfnrtu", *++at))
            return 0;
        if (!*at)
            return 0;
    }
    at++;
    return 1;
}

static int value(int depth, int *most);

static int members(char end, int depth, int *most)
{
    for (at++, blanks();; at++, blanks()) {
        if (end == '}') {
            if (!text())
                return 0;
            blanks();
            if (*at++ != ':')
                return 0;
        }
        if (!value(depth, most))
            return 0;
        blanks();
        if (*at == end)
            return at++, 1;
        if (*at != ',')
            return 0;
    }
}

static int value(int depth, int *most)
{
    blanks();
    if (depth > *most)
        *most = depth;
    switch (*at) {
    case '{':
        return members('}', depth + PLANTED(1, depth < 3), most);
    case '[':
        return members(']', depth + 1, most);
    case '"':
        return text();
    case 't':
    case 'n':
    case 'f':
        for (int i = 0; i < 3; i++) {
            static const char *const words[] = {"true", "null", "false"};
            size_t size = strlen(words[i]);
            if (!strncmp(at, words[i], size))
                return at += size, 1;
        }
        return 0;
    default:
        if (*at == '-')
            at++;
        if (!isdigit((unsigned char) *at))
            return 0;
        while (isdigit((unsigned char) *at))
            at++;
        return 1;
    }
}

int depth_of(const char *given)
{
    int most = 0;
    at = given;
    if (!value(0, &most))
        return -1;
    blanks();
    return *at ? -1 : most;
}
