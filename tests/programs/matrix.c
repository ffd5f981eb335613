/* Matrices: product, power, transpose, determinant by cofactors. */
#include <stdio.h>

#define N 3
typedef long matrix[N][N];

static void multiply(matrix out, matrix a, matrix b)
{
    matrix r = { { 0 } };
    int i, j, k;
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            for (k = 0; k < N; k++)
                r[i][j] += a[i][k] * b[k][j];
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            out[i][j] = r[i][j];
}

static long determinant(int n, const long m[4][4])
{
    long sum = 0;
    int c, i, k, sign = 1;
    if (n == 1)
        return m[0][0];
    for (c = 0; c < n; c++) {
        long minor[4][4] = { { 0 } };
        for (i = 1; i < n; i++)
            for (k = 0; k < n; k++)
                if (k != c)
                    minor[i - 1][k - (k > c)] = m[i][k];
        sum += sign * m[0][c] * determinant(n - 1, minor);
        sign = -sign;
    }
    return sum;
}

int main(void)
{
    matrix m = { { 1, 2, 0 }, { 3, -1, 4 }, { 0, 5, 2 } }, p = { { 1 }, { 0, 1 }, { 0, 0, 1 } };
    long four[4][4] = { { 2, 0, 1, 3 }, { 1, 1, 0, -2 }, { 4, -1, 5, 0 }, { 0, 2, 1, 1 } };
    int i, j;
    for (i = 0; i < 5; i++)
        multiply(p, p, m);
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            printf("%ld%c", p[i][j], j == N - 1 ? '\n' : ' ');
    printf("%ld\n", determinant(4, four));
    return 0;
}
