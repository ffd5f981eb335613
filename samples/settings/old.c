/* Reads settings on standard input and writes what they come to:
   section net { port = 80; peer = "a b"; section tls { on = true; } } */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 6, LONGEST = 24 };
enum token { END, NAME, NUMBER, TEXT, OPEN, CLOSE, EQUALS, SEMICOLON, WRONG };

static int next_char = ' ';
static char word[LONGEST];
static long number;

static void read_word(int (*belongs)(int))
{
    size_t size = 0;
    while (belongs(next_char)) {
        if (size + 1 < sizeof word)
            word[size++] = (char) next_char;
        next_char = getchar();
    }
    word[size] = '\0';
}

static int is_in_name(int c)
{
    return isalnum(c) || c == '_' || c == '.';
}

static int is_in_text(int c)
{
    return c != '"' && c != EOF && c != '\n';
}

static enum token next(void)
{
    while (isspace(next_char))
        next_char = getchar();
    if (next_char == '#') {
        while (next_char != '\n' && next_char != EOF)
            next_char = getchar();
        return next();
    }
    if (isalpha(next_char)) {
        read_word(is_in_name);
        return NAME;
    }
    if (isdigit(next_char)) {
        read_word(is_in_name);
        number = strtol(word, NULL, 0);
        return NUMBER;
    }
    if (next_char == '"') {
        next_char = getchar();
        read_word(is_in_text);
        if (next_char != '"')
            return WRONG;
        next_char = getchar();
        return TEXT;
    }
    int seen = next_char;
    next_char = seen == EOF ? EOF : getchar();
    switch (seen) {
    case EOF:
        return END;
    case '{':
        return OPEN;
    case '}':
        return CLOSE;
    case '=':
        return EQUALS;
    case ';':
        return SEMICOLON;
    default:
        return WRONG;
    }
}

static long total;

static int value(const char *name, int depth)
{
    switch (next()) {
    case NUMBER:
        if (strcmp(name, "port") == 0 && (number < 1 || number > 65535))
            return 0;
        if (strcmp(name, "weight") == 0 && depth >= 3)
            number *= depth;
        total += number;
        return 1;
    case TEXT:
        total += (long) strlen(word);
        return 1;
    case NAME:
        return strcmp(word, "true") == 0 || strcmp(word, "false") == 0;
    default:
        return 0;
    }
}

static int entries(int depth)
{
    char name[LONGEST];
    for (;;) {
        switch (next()) {
        case END:
            return depth == 0;
        case CLOSE:
            return depth > 0;
        case NAME:
            break;
        default:
            return 0;
        }
        if (strcmp(word, "section") == 0) {
            if (depth >= DEEPEST || next() != NAME || next() != OPEN || !entries(depth + 1))
                return 0;
            continue;
        }
        strcpy(name, word);
        if (next() != EQUALS || !value(name, depth) || next() != SEMICOLON)
            return 0;
    }
}

int main(void)
{
    if (!entries(0)) {
        puts("wrong");
        return 1;
    }
    printf("%ld\n", total);
    return 0;
}
