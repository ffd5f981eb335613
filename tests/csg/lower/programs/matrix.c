#include <stdio.h>
#define N 3
typedef double mat[N][N]; static void mul(mat a, mat b, mat out) { for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) { out[i][j] = 0; for (int k = 0; k < N; k++) out[i][j] += a[i][k] * b[k][j]; } } static int det(int m[2][2]) { return m[0][0] * m[1][1] - m[0][1] * m[1][0]; } int cube[2][3][4];
int main(void) { mat a = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}, i = {{1, 0, 0}, {0, 2, 0}, {0, 0, .5}}, r; mul(a, i, r); for (int x = 0; x < N; x++) { for (int y = 0; y < N; y++) printf("%g ", r[x][y]); puts(""); } int m[2][2] = {{1, 2}, {3, 4}}; printf("%d\n", det(m)); for (int x = 0; x < 24; x++) ((int *)cube)[x] = x; int (*pl)[4] = cube[1]; printf("%d %d %d %ld\n", cube[1][2][3], pl[1][2], *cube[1][1], (long)(&cube[1][0][0] - &cube[0][0][0])); return 0; }
