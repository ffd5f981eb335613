/* The square of a 2 x 2 matrix, in place; its trace. */
int square(int *m)
{
    int result[2][2];

    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) {
            result[i][j] = 0;
            for (int k = 0; k < 2; k++)
                result[i][j] += m[2 * i + k] * m[2 * k + j];
        }
    }
    for (int i = 0; i < 4; i++)
        m[i] = result[i / 2][i % 2];
    return result[0][0] + result[1][1];
}
