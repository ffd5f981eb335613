// stdin: 3 4 + 2 *\n5 dup * 2 swap -\n1 +\n10 3 /mod\nbogus\n
/* A stack machine for reverse Polish notation, a line at a time, with a table of words. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long stack[16];
static int depth;
static int pop_failed;

static void push(long v) { if (depth < 16) stack[depth++] = v; }
static long pop(void) { if (depth == 0) { pop_failed = 1; return 0; } return stack[--depth]; }

static void add(void) { push(pop() + pop()); }
static void subtract(void) { long b = pop(); push(pop() - b); }
static void multiply(void) { push(pop() * pop()); }
static void duplicate(void) { long a = pop(); push(a); push(a); }
static void swap(void) { long b = pop(), a = pop(); push(b); push(a); }
static void divide(void)
{
    long b = pop(), a = pop();
    if (b == 0) { pop_failed = 1; return; }
    push(a % b);
    push(a / b);
}

static const struct { const char *word; void (*run)(void); } words[] = {
    { "+", add }, { "-", subtract }, { "*", multiply }, { "dup", duplicate }, { "swap", swap },
    { "/mod", divide },
};

static int execute(char *word)
{
    size_t i;
    if (isdigit((unsigned char) word[0])) {
        push(strtol(word, NULL, 10));
        return 1;
    }
    for (i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i].word, word) == 0) {
            words[i].run();
            return 1;
        }
    return 0;
}

int main(void)
{
    char line[80];
    while (fgets(line, sizeof line, stdin)) {
        char *p = line;
        depth = pop_failed = 0;
        while (*(p += strspn(p, " \n"))) {
            size_t n = strcspn(p, " \n");
            int more = p[n] != '\0';
            p[n] = '\0';
            if (!execute(p))
                printf("%s? ", p);
            p += n + more;
        }
        if (pop_failed)
            printf("underflow ");
        while (depth)
            printf("%ld ", pop());
        printf("\n");
    }
    return 0;
}
