/* Addresses of labels in static tables: the dispatch loop of an interpreter, in two functions of
   which one is static, with a second table that is written to. */
#include <stdio.h>

struct entry { char name; void *where; };

static int run(const unsigned char *code)
{
    static void *const table[] = { &&stop, &&push, &&add, &&times, [5] = &&negate };
    int stack[8], *top = stack;
    goto *table[*code++];
push:
    *top++ = *code++;
    goto *table[*code++];
add:
    top--;
    top[-1] += *top;
    goto *table[*code++];
times:
    top--;
    top[-1] *= *top;
    goto *table[*code++];
negate:
    top[-1] = -top[-1];
    goto *table[*code++];
stop:
    return top[-1];
}

int count(int n)
{
    static struct entry steps[2] = { { 'a', (char *) &&first }, { 'b', &&second } };
    static void *next = &&first;
    int total = 0;
    while (n--) {
        goto *next;
first:
        total += 1;
        next = steps[1].where;
        steps[0].name++;
        continue;
second:
        total += 10;
        next = steps[0].where;
    }
    if (0) {
        static void *nowhere[] = { &&first };
        goto *nowhere[0];
    }
    return total * 1000 + steps[0].name;
}

/* A label on an empty statement, whose block does nothing but go on. */
static int empty(int x)
{
    void *const places[] = { &&one, &&two };
    static void *const again[] = { &&two, &&one };
    int seen = 0;
    goto *places[x & 1];
one:
    if (seen++ > 2)
        return seen;
two:;
    if (seen++ < 5)
        goto *again[seen & 1];
    return -seen;
}

int main(void)
{
    const unsigned char code[] = { 1, 6, 1, 7, 3, 1, 100, 2, 5, 0 };
    printf("%d %d %d\n", run(code), count(3), count(4));
    printf("%d %d\n", empty(0), empty(1));
    return 0;
}
