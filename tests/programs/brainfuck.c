/* An interpreter for a tiny language: loops matched in advance, cells that wrap. */
#include <stdio.h>

static const char program[] =
    "++++++++[>++++[>++>+++>+++>+<<<<-]>+>+>->>+[<]<-]>>.>---.+++++++..+++.>>.<-.<.+++.------."
    "--------.>>+.>++.";
static int jump[sizeof program];
static unsigned char cells[64];

int main(void)
{
    int stack[16], depth = 0, i, at = 0;
    long steps = 0;
    for (i = 0; program[i]; i++)
        if (program[i] == '[') {
            stack[depth++] = i;
        } else if (program[i] == ']') {
            jump[i] = stack[--depth];
            jump[jump[i]] = i;
        }
    for (i = 0; program[i]; i++, steps++)
        switch (program[i]) {
        case '>': at++; break;
        case '<': at--; break;
        case '+': cells[at]++; break;
        case '-': cells[at]--; break;
        case '.': putchar(cells[at]); break;
        case '[': if (!cells[at]) i = jump[i]; break;
        case ']': if (cells[at]) i = jump[i]; break;
        }
    printf("%ld\n", steps);
    return depth;
}
