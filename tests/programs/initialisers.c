/* Static initialisers: addresses, nested tables, partial ones, addresses with offsets. */
#include <stddef.h>
#include <stdio.h>

static int numbers[5] = { 10, 20, 30, 40, 50 };
static int *const middle = &numbers[2];
static int *tail = numbers + 4;
static const char *words[] = { "zero", "one", "two" + 1, NULL };
static const char **second = &words[1];

struct item { const char *name; int *count; struct { int low, high; } range; int (*f)(int); };
static int apples, pears = 3;
static int twice(int x) { return 2 * x; }

static struct item items[] = {
    { "apples", &apples, { 1, 5 }, twice },
    { .name = "pears", .count = &pears, .range = { .high = 9 } },
    { "last", &numbers[1], .f = twice, .range.low = 4 },
};
static struct item *chosen = &items[1];
static char *letter = &((char[]) { "compound" })[3];
static int size = sizeof items / sizeof items[0], shifted = 1 << 4 | (3 > 2), zero;
static long difference = offsetof(struct item, range);

int main(void)
{
    static int calls = 5;
    int i;
    printf("%d %d %s %s\n", *middle, *tail, words[2], *second);
    for (i = 0; i < size; i++)
        printf("%s %d %d..%d %d\n", items[i].name, *items[i].count, items[i].range.low,
               items[i].range.high, items[i].f ? items[i].f(i + 1) : -1);
    *items[0].count += 4;
    printf("%d %s %c %d %d\n", apples, chosen->name, *letter, shifted, zero);
    printf("%d %ld\n", ++calls, difference);
    return 0;
}
