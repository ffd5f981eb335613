/* Function pointers: in tables, as arguments, as results, in structures. */
#include <stdio.h>
#include <string.h>

static int add(int a, int b) { return a + b; }
static int subtract(int a, int b) { return a - b; }
static int multiply(int a, int b) { return a * b; }

struct command { const char *name; int (*run)(int, int); };

static const struct command commands[] = {
    { "add", add }, { "sub", &subtract }, { "mul", multiply }, { NULL, NULL },
};

static int (*find(const char *name))(int, int)
{
    const struct command *c;
    for (c = commands; c->name; c++)
        if (strcmp(c->name, name) == 0)
            return c->run;
    return NULL;
}

static int fold(int (*f)(int, int), const int *items, int count, int start)
{
    while (count-- > 0)
        start = f(start, *items++);
    return start;
}

static void each(int count, void (*visit)(int)) { for (int i = 0; i < count; i++) visit(i); }
static int seen;
static void note(int i) { seen = seen * 10 + i + 1; }

int main(void)
{
    int items[] = { 2, 3, 4 };
    printf("%d\n", fold(add, items, 3, 0));
    printf("%d\n", fold(find("mul"), items, 3, 1));
    printf("%d\n", (*find("sub"))(9, 4));
    printf("%d %d\n", find("div") == NULL, find("add") == add);
    each(5, note);
    printf("%d\n", seen);
    return 0;
}
