/* A pocket calculator for postfix notation with single digits: calculate("34+") is 7; -1 for what
   it cannot read. */
#include <stddef.h>

#define DEPTH 4

typedef int operation(int, int);

static int plus(int a, int b) { return a + b; }
static int minus(int a, int b) { return a - b; }
static int times(int a, int b) { return a * b; }

static const struct {
    char sign;
    operation *apply;
} operations[] = {
    { '+', plus },
    { '-', minus },
    { '*', times },
};

static operation *operation_of(char sign)
{
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++)
        if (operations[i].sign == sign)
            return operations[i].apply;
    return NULL;
}

int calculate(const char *text)
{
    int stack[DEPTH], *top = stack;

    for (; *text; text++) {
        if (*text >= '0' && *text <= '9') {
            if (top - stack == DEPTH)
                return -1;
            *top++ = *text - '0';
        } else {
            operation *apply = operation_of(*text);

            if (top - stack < 2 || !apply)
                return -1;
            top--;
            top[-1] = apply(top[-1], top[0]);
        }
    }
    return top == stack + 1 ? *stack : -1;
}
