// stdin: while (count<=10){ total+=count*0x1f; name_2="a b"; }  @
/* Splits text into tokens of a small language, longest operator first. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum kind { NAME, NUMBER, TEXT, OPERATOR, UNKNOWN, END };
static const char *kinds[] = { "name", "number", "text", "operator", "unknown", "end" };
static const char *operators[] = { "<=", ">=", "==", "+=", "++", "(", ")", "{", "}", "<", "*", "=",
                                   "+", ";", NULL };

struct token { enum kind kind; char text[16]; };

static const char *next(const char *p, struct token *t)
{
    const char *start;
    int i;
    while (isspace((unsigned char) *p))
        p++;
    start = p;
    t->kind = END;
    if (isalpha((unsigned char) *p) || *p == '_') {
        t->kind = NAME;
        while (isalnum((unsigned char) *p) || *p == '_')
            p++;
    } else if (isdigit((unsigned char) *p)) {
        t->kind = NUMBER;
        while (isalnum((unsigned char) *p))
            p++;
    } else if (*p == '"') {
        t->kind = TEXT;
        for (p++; *p && *p != '"'; p++)
            ;
        p += *p == '"';
    } else if (*p) {
        t->kind = UNKNOWN;
        for (i = 0; operators[i]; i++)
            if (strncmp(p, operators[i], strlen(operators[i])) == 0) {
                t->kind = OPERATOR;
                p += strlen(operators[i]);
                break;
            }
        if (t->kind == UNKNOWN)
            p++;
    }
    snprintf(t->text, sizeof t->text, "%.*s", (int) (p - start), start);
    return p;
}

int main(void)
{
    char line[200];
    const char *p = fgets(line, sizeof line, stdin);
    struct token t;
    int counts[END + 1] = { 0 };
    do {
        p = next(p, &t);
        counts[t.kind]++;
        printf("%s '%s'\n", kinds[t.kind], t.text);
    } while (t.kind != END);
    printf("%d %d %d\n", counts[NAME], counts[NUMBER], counts[OPERATOR]);
    return counts[UNKNOWN];
}
