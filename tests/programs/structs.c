/* Structures: by value, nested, returned, assigned, compared by member, with padding. */
#include <stddef.h>
#include <stdio.h>

struct point { int x, y; };
struct box { struct point low, high; char tag; };
struct padded { char a; long b; short c; };

static struct point add(struct point a, struct point b)
{
    a.x += b.x;
    a.y += b.y;
    return a;
}

static struct box grow(struct box box, int by)
{
    box.low.x -= by;
    box.low.y -= by;
    box.high = add(box.high, (struct point) { by, by });
    box.tag++;
    return box;
}

static int area(const struct box *b)
{
    return (b->high.x - b->low.x) * (b->high.y - b->low.y);
}

int main(void)
{
    struct box first = { { 0, 0 }, { 3, 4 }, 'a' }, second;
    struct point points[3] = { { 1, 2 }, { .y = 5 }, { 7 } }, sum = { 0, 0 };
    int i;

    second = first;
    second = grow(second, 2);
    printf("%d %d %c %c\n", area(&first), area(&second), first.tag, second.tag);
    for (i = 0; i < 3; i++)
        sum = add(sum, points[i]);
    printf("%d %d\n", sum.x, sum.y);
    printf("%d\n", add(points[0], points[1]).y);
    printf("%zu %zu %zu\n", sizeof(struct padded), offsetof(struct padded, b),
           offsetof(struct padded, c));
    struct { int n; struct { int deep; } in; } anonymous = { 4, { 9 } };
    printf("%d %d\n", anonymous.n, anonymous.in.deep);
    return 0;
}
