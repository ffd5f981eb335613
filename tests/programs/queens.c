/* n queens: solutions for boards up to 6, and the first one drawn; by bit masks as well. */
#include <stdio.h>

static int column_of[8], first[8], found;

static int safe(int row, int column)
{
    int r;
    for (r = 0; r < row; r++) {
        int d = column_of[r] - column;
        if (d == 0 || d == row - r || d == r - row)
            return 0;
    }
    return 1;
}

static void place(int row, int n)
{
    int c;
    if (row == n) {
        if (!found++)
            for (c = 0; c < n; c++)
                first[c] = column_of[c];
        return;
    }
    for (c = 0; c < n; c++)
        if (safe(row, c)) {
            column_of[row] = c;
            place(row + 1, n);
        }
}

static int masks(unsigned all, unsigned columns, unsigned left, unsigned right)
{
    unsigned open = all & ~(columns | left | right), bit;
    int count = 0;
    if (columns == all)
        return 1;
    for (; open; open &= open - 1) {
        bit = open & -open;
        count += masks(all, columns | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return count;
}

int main(void)
{
    int n, c;
    for (n = 1; n <= 6; n++) {
        found = 0;
        place(0, n);
        printf("%d %d %d\n", n, found, masks((1u << n) - 1, 0, 0, 0));
    }
    for (n = 0; n < 6; n++) {
        for (c = 0; c < 6; c++)
            putchar(first[n] == c ? 'Q' : '.');
        putchar('\n');
    }
    return 0;
}
