// stdin: int x = 10; /* not /* this */ y = "a /* b */ c"; // gone\nchar c = '\\"'; x/2;
/* Removes comments from C text: a state machine with a table of names. */
#include <stdio.h>

enum state { CODE, SLASH, LINE, BLOCK, STAR, STRING, ESCAPE, CHARACTER, STATES };
static const char *names[STATES] = { "code", "slash", "line", "block", "star", "string", "escape",
                                     "character" };

int main(void)
{
    enum state state = CODE, before = CODE;
    int visits[STATES] = { 0 }, c, i;
    while ((c = getchar()) != EOF) {
        switch (state) {
        case CODE:
            if (c == '/') { state = SLASH; break; }
            if (c == '"') state = STRING;
            if (c == '\'') state = CHARACTER;
            putchar(c);
            break;
        case SLASH:
            if (c == '/') state = LINE;
            else if (c == '*') state = BLOCK;
            else { putchar('/'); putchar(c); state = CODE; }
            break;
        case LINE:
            if (c == '\n') { putchar(c); state = CODE; }
            break;
        case BLOCK:
            if (c == '*') state = STAR;
            break;
        case STAR:
            if (c == '/') { putchar(' '); state = CODE; }
            else if (c != '*') state = BLOCK;
            break;
        case STRING:
        case CHARACTER:
            putchar(c);
            if (c == '\\') { before = state; state = ESCAPE; }
            else if (c == (state == STRING ? '"' : '\'')) state = CODE;
            break;
        case ESCAPE:
            putchar(c);
            state = before;
            break;
        default:
            return 1;
        }
        visits[state]++;
    }
    putchar('\n');
    for (i = 0; i < STATES; i++)
        printf("%s %d\n", names[i], visits[i]);
    return 0;
}
