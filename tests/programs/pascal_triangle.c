/* Pascal's triangle with right alignment; Catalan numbers; a knapsack table. */
#include <stdio.h>

int main(void)
{
    int row[12] = { 1 }, n, k;
    long catalan[12] = { 1 };
    int weights[] = { 3, 4, 5, 9 }, values[] = { 3, 4, 4, 10 }, best[12] = { 0 };
    for (n = 0; n < 9; n++) {
        printf("%*s", 2 * (9 - n), "");
        for (k = 0; k <= n; k++)
            printf("%4d", row[k]);
        printf("\n");
        for (k = n + 1; k > 0; k--)
            row[k] += row[k - 1];
    }
    for (n = 1; n < 12; n++) {
        catalan[n] = 0;
        for (k = 0; k < n; k++)
            catalan[n] += catalan[k] * catalan[n - 1 - k];
    }
    printf("%ld %ld\n", catalan[5], catalan[11]);
    for (n = 0; n < 4; n++)
        for (k = 11; k >= weights[n]; k--)
            if (best[k - weights[n]] + values[n] > best[k])
                best[k] = best[k - weights[n]] + values[n];
    printf("%d %d\n", best[11], best[8]);
    return 0;
}
