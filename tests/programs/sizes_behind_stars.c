/* Sizes of array parameters that begin with a star: [*n] is an expression, [*] is none
   (C17 6.7.6.2p4). */
#include <stdio.h>

struct point { int x; };

static int last(const int *n, struct point *points[*n]);
static int last(const int *n, struct point *points[*n])
{
    int weight[3] = {1, 2, 4}, one = 1, *p = &one;
    return points[*n - 1]->x + weight[*p] + weight[*p * 1 + (weight[*p] - 2)];
}

int first(int n, int row[*]);
int first(int n, int row[n])
{
    return row[0];
}

int main(void)
{
    int n = 1, row[1] = {7};
    struct point point = {5}, *points[1] = {&point};
    printf("%d %d\n", last(&n, points), first(1, row));
    return 0;
}
