/* Conway's game of life on a torus: a glider for some generations. */
#include <stdio.h>
#include <string.h>

#define H 8
#define W 10
static char world[H][W], next[H][W];

static int neighbours(int y, int x)
{
    int dy, dx, n = 0;
    for (dy = -1; dy <= 1; dy++)
        for (dx = -1; dx <= 1; dx++)
            if (dy || dx)
                n += world[(y + dy + H) % H][(x + dx + W) % W];
    return n;
}

int main(void)
{
    static const char *start[] = { ".#", "..#", "###", NULL };
    int g, y, x, alive;
    for (y = 0; start[y]; y++)
        for (x = 0; start[y][x]; x++)
            world[y][x] = start[y][x] == '#';
    for (g = 0; g < 12; g++) {
        for (y = 0; y < H; y++)
            for (x = 0; x < W; x++) {
                int n = neighbours(y, x);
                next[y][x] = n == 3 || (world[y][x] && n == 2);
            }
        memcpy(world, next, sizeof world);
    }
    for (y = alive = 0; y < H; y++) {
        for (x = 0; x < W; x++) {
            putchar(world[y][x] ? '#' : '.');
            alive += world[y][x];
        }
        putchar('\n');
    }
    return alive;
}
