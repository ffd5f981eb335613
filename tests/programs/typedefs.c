/* Typedef names for everything, shadowed by variables, in casts and sizeof. */
#include <stdio.h>

typedef int number;
typedef number row[3];
typedef row grid[2];
typedef struct node node;
typedef int (*operation)(int, int);
typedef const char *text;
struct node { number value; node *next; };

static int plus(int a, int b) { return a + b; }
static int minus(int a, int b) { return a - b; }
static operation choose(int which) { return which ? plus : minus; }

static int apply(operation op, number a, number b) { return op(a, b); }

int main(void)
{
    grid g = { { 1, 2, 3 }, { 4, 5, 6 } };
    node c = { 3, 0 }, b = { 2, &c }, a = { 1, &b }, *n;
    text t = "typedef";
    operation table[2] = { plus, minus };
    int sum = 0;
    for (n = &a; n; n = n->next)
        sum = 10 * sum + n->value;
    printf("%d %d %zu %s\n", sum, g[1][2], sizeof(grid), t);
    printf("%d %d %d\n", apply(choose(1), 7, 2), choose(0)(7, 2), table[1](1, 2));
    {
        int number = 9;
        printf("%d %d\n", number, (int) sizeof(number));
    }
    printf("%d\n", (number) 3.9);
    return 0;
}
