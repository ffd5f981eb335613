/* Arrays: initialisers with designators, two dimensions, passing rows. */
#include <stdio.h>

static int total(int rows, const int grid[][4])
{
    int sum = 0, r, c;
    for (r = 0; r < rows; r++)
        for (c = 0; c < 4; c++)
            sum += grid[r][c];
    return sum;
}

static const int table[3][4] = { { 1, 2 }, { [2] = 7, 8 }, { 0 } };
static int sparse[10] = { [3] = 30, 40, [8] = 80, [1] = 10 };
static char text[] = "abc", fixed[3] = "xyz", padded[6] = "q";

int main(void)
{
    int local[5] = { 1, 2 }, i, k;
    int cube[2][2][3] = { { { 1, 2, 3 }, { 4, 5, 6 } }, { { 7, 8, 9 }, { 10, 11, 12 } } };
    printf("%d\n", total(3, table));
    for (i = 0; i < 10; i++)
        printf("%d ", sparse[i]);
    printf("\n%zu %zu %zu\n", sizeof text, sizeof fixed, sizeof padded);
    printf("%c%c%c %d\n", fixed[0], fixed[1], fixed[2], padded[5]);
    for (i = 0; i < 5; i++)
        local[i] += i * i;
    printf("%d %d %d\n", local[0], local[1], local[4]);
    k = 0;
    for (i = 0; i < 12; i++)
        k = k * 3 + ((int *) cube)[i];
    printf("%d %d\n", k, cube[1][0][2]);
    printf("%zu %zu\n", sizeof cube / sizeof cube[0], sizeof cube[0]);
    return 0;
}
