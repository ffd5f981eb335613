/* Backtracking with bit masks: a small sudoku of 4 by 4, and subsets with a given sum. */
#include <stdio.h>

static char board[4][5] = { "1...", "..3.", ".2..", "...4" };
static unsigned rows[4], columns[4], blocks[4];
static int tries;

static void flip(int y, int x, unsigned bit)
{
    rows[y] ^= bit;
    columns[x] ^= bit;
    blocks[y / 2 * 2 + x / 2] ^= bit;
}

static int solve(int at)
{
    int y = at / 4, x = at % 4, digit;
    if (at == 16)
        return 1;
    if (board[y][x] != '.')
        return solve(at + 1);
    for (digit = 1; digit <= 4; digit++) {
        unsigned bit = 1u << digit;
        tries++;
        if ((rows[y] | columns[x] | blocks[y / 2 * 2 + x / 2]) & bit)
            continue;
        flip(y, x, bit);
        board[y][x] = (char) ('0' + digit);
        if (solve(at + 1))
            return 1;
        board[y][x] = '.';
        flip(y, x, bit);
    }
    return 0;
}

int main(void)
{
    static const int numbers[] = { 3, 34, 4, 12, 5, 2, 7 };
    int y, x, count = 0;
    unsigned set;
    for (y = 0; y < 4; y++)
        for (x = 0; x < 4; x++)
            if (board[y][x] != '.')
                flip(y, x, 1u << (board[y][x] - '0'));
    printf("%d %d\n", solve(0), tries);
    for (y = 0; y < 4; y++)
        printf("%s\n", board[y]);
    for (set = 0; set < 128; set++) {
        int sum = 0, i;
        for (i = 0; i < 7; i++)
            sum += set >> i & 1 ? numbers[i] : 0;
        count += sum == 12;
    }
    return count;
}
