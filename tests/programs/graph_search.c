/* Graphs: breadth first on a grid, depth first with components, all shortest paths, a topological order. */
#include <stdio.h>
#include <string.h>

static const char *maze[] = { "S..#....", ".#.#.##.", ".#...#..", ".####.#.", "......#E" };
enum { H = 5, W = 8, N = 6, FAR = 1000 };

static int shortest(void)
{
    static int seen[H][W], queue[H * W][2];
    static const int step[4][2] = { { 0, 1 }, { 1, 0 }, { 0, -1 }, { -1, 0 } };
    int head = 0, tail = 1, i;
    seen[0][0] = 1;
    while (head < tail) {
        int y = queue[head][0], x = queue[head++][1];
        if (maze[y][x] == 'E')
            return seen[y][x] - 1;
        for (i = 0; i < 4; i++) {
            int ny = y + step[i][0], nx = x + step[i][1];
            if (ny < 0 || nx < 0 || ny >= H || nx >= W || maze[ny][nx] == '#' || seen[ny][nx])
                continue;
            seen[ny][nx] = seen[y][x] + 1;
            queue[tail][0] = ny;
            queue[tail++][1] = nx;
        }
    }
    return -1;
}

static int edge[N][N] = { [0] = { [1] = 7, [2] = 9, [5] = 14 }, [1] = { [2] = 10, [3] = 15 },
                          [2] = { [3] = 11, [5] = 2 }, [3] = { [4] = 6 }, [5] = { [4] = 9 } };
static char state[N];

static void visit(int v, int *order, int *count)
{
    int w;
    state[v] = 1;
    for (w = 0; w < N; w++)
        if (edge[v][w] && !state[w])
            visit(w, order, count);
    order[(*count)++] = v;
}

int main(void)
{
    int d[N][N], i, j, k, order[N], count = 0;
    printf("%d\n", shortest());
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            d[i][j] = i == j ? 0 : edge[i][j] ? edge[i][j] : FAR;
    for (k = 0; k < N; k++)
        for (i = 0; i < N; i++)
            for (j = 0; j < N; j++)
                if (d[i][k] + d[k][j] < d[i][j])
                    d[i][j] = d[i][k] + d[k][j];
    for (j = 0; j < N; j++)
        printf("%d ", d[0][j]);
    for (i = 0; i < N; i++)
        if (!state[i])
            visit(i, order, &count);
    for (printf("/ "); count-- > 0;)
        printf("%d ", order[count]);
    printf("\n");
    return 0;
}
