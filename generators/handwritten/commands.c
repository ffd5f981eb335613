/* A small language of commands on numbered stacks.
   Witness: "new s; push s 3; push s 4; push s 5; fold s add; print s;" */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STACKS = 4, DEEPEST = 8 };
static struct {
    char name;
    int size;
    long values[DEEPEST];
} stacks[STACKS];
static int count;
static const char *at;

static int read_word(char *word, size_t room)
{
    size_t size = 0;
    while (isspace((unsigned char) *at))
        at++;
    while (isalnum((unsigned char) *at) || *at == '-') {
        if (size + 1 == room)
            return 0;
        word[size++] = *at++;
    }
    word[size] = '\0';
    return size > 0;
}

static int find(const char *name)
{
    for (int i = 0; i < count; i++)
        if (!name[1] && stacks[i].name == name[0])
            return i;
    return -1;
}

static int fold(int stack, const char *how)
{
    long result;
    if (stacks[stack].size < 2)
        return 0;
    result = stacks[stack].values[0];
    for (int i = 1; i < stacks[stack].size; i++) {
        if (!strcmp(how, "add"))
            result += stacks[stack].values[i];
        else if (!strcmp(how, "mul"))
            result *= stacks[stack].values[i];
        else if (!strcmp(how, "max"))
            result = stacks[stack].values[i] > result ? stacks[stack].values[i] : result;
        else
            return 0;
    }
    stacks[stack].values[0] = result;
    stacks[stack].size = PLANTED(1, stacks[stack].size - 1);
    return 1;
}

static int command(void)
{
    char what[12], name[12], more[12];
    if (!read_word(what, sizeof what) || !read_word(name, sizeof name))
        return 0;
    int stack = find(name);
    if (!strcmp(what, "new")) {
        if (stack >= 0 || count == STACKS || name[1])
            return 0;
        stacks[count].name = name[0];
        stacks[count++].size = 0;
        return 1;
    }
    if (stack < 0)
        return 0;
    if (!strcmp(what, "push")) {
        char *end;
        if (!read_word(more, sizeof more) || stacks[stack].size == DEEPEST)
            return 0;
        stacks[stack].values[stacks[stack].size++] = strtol(more, &end, 10);
        return !*end;
    }
    if (!strcmp(what, "fold"))
        return read_word(more, sizeof more) && fold(stack, more);
    if (!strcmp(what, "print")) {
        for (int i = 0; i < stacks[stack].size; i++)
            printf("%ld ", stacks[stack].values[i]);
        putchar('\n');
        return 1;
    }
    return 0;
}

int main(void)
{
    static char text[1024];
    text[fread(text, 1, sizeof text - 1, stdin)] = '\0';
    for (at = text; *at;) {
        while (isspace((unsigned char) *at))
            at++;
        if (!*at)
            break;
        if (!command() || *at++ != ';') {
            puts("?");
            return 1;
        }
    }
    return 0;
}
