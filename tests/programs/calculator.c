// args: "2+3*(4-1)" "-(8/3)%4" "1/0" "2*" "((7))" "10 - 4 - 3" "2)"
/* Recursive descent over the arguments: + - * / % unary minus, parentheses, errors. */
#include <ctype.h>
#include <stdio.h>

static const char *at;
static const char *error;

static long sum(void);

static void blank(void) { while (*at == ' ') at++; }

static long primary(void)
{
    long value = 0;
    blank();
    if (*at == '-') {
        at++;
        return -primary();
    }
    if (*at == '(') {
        at++;
        value = sum();
        blank();
        if (*at == ')') at++;
        else if (!error) error = "no )";
        return value;
    }
    if (!isdigit((unsigned char) *at) && !error)
        error = "no number";
    while (isdigit((unsigned char) *at))
        value = value * 10 + (*at++ - '0');
    return value;
}

static long product(void)
{
    long left = primary(), right;
    for (;;) {
        char op;
        blank();
        op = *at;
        if (op != '*' && op != '/' && op != '%')
            return left;
        at++;
        right = primary();
        if (op == '*') {
            left *= right;
        } else if (right == 0) {
            if (!error) error = "division by zero";
        } else {
            left = op == '/' ? left / right : left % right;
        }
    }
}

static long sum(void)
{
    long value = product();
    for (blank(); *at == '+' || *at == '-'; blank()) {
        if (*at++ == '+') value += product();
        else value -= product();
    }
    return value;
}

int main(int argc, char **argv)
{
    int failures = 0, i;
    for (i = 1; i < argc; i++) {
        long value;
        at = argv[i];
        error = NULL;
        value = sum();
        if (!error && *at)
            error = "rest";
        if (error) {
            failures++;
            printf("%s: %s at %d\n", argv[i], error, (int) (at - argv[i]));
        } else {
            printf("%s = %ld\n", argv[i], value);
        }
    }
    return failures;
}
