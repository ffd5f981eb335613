/* Dynamic programming: edit distance, longest common subsequence with the text, longest rise. */
#include <stdio.h>
#include <string.h>

static int least(int a, int b, int c) { return a < b ? (a < c ? a : c) : b < c ? b : c; }

static int distance(const char *a, const char *b)
{
    int row[20], n = strlen(b), i, k;
    for (k = 0; k <= n; k++)
        row[k] = k;
    for (i = 1; a[i - 1]; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (k = 1; k <= n; k++) {
            int kept = row[k];
            row[k] = least(row[k] + 1, row[k - 1] + 1, diagonal + (a[i - 1] != b[k - 1]));
            diagonal = kept;
        }
    }
    return row[n];
}

static void common(const char *a, const char *b)
{
    static int t[16][16];
    int n = strlen(a), m = strlen(b), i, k, at;
    char out[16];
    for (i = n; i >= 0; i--)
        for (k = m; k >= 0; k--)
            if (i == n || k == m) t[i][k] = 0;
            else if (a[i] == b[k]) t[i][k] = t[i + 1][k + 1] + 1;
            else t[i][k] = t[i + 1][k] > t[i][k + 1] ? t[i + 1][k] : t[i][k + 1];
    for (i = k = at = 0; i < n && k < m;)
        if (a[i] == b[k]) { out[at++] = a[i++]; k++; }
        else if (t[i + 1][k] >= t[i][k + 1]) i++;
        else k++;
    out[at] = '\0';
    printf("%d %s\n", t[0][0], out);
}

int main(void)
{
    printf("%d %d %d %d\n", distance("kitten", "sitting"), distance("", "abc"),
           distance("same", "same"), distance("flaw", "lawn"));
    common("AGGTAB", "GXTXAYB");
    common("abcdef", "acf");
    common("abc", "xyz");
    return 0;
}
