/* All permutations: by recursion with swaps, and in order by "next permutation". */
#include <stdio.h>
#include <string.h>

static int count, odd;

static void permute(char *s, int k, int n)
{
    int i;
    if (k == n) {
        count++;
        if (s[0] > s[n - 1])
            odd++;
        return;
    }
    for (i = k; i < n; i++) {
        char t = s[k];
        s[k] = s[i];
        s[i] = t;
        permute(s, k + 1, n);
        s[i] = s[k];
        s[k] = t;
    }
}

static int next(char *s)
{
    int n = strlen(s), i = n - 2, k = n - 1;
    char t;
    while (i >= 0 && s[i] >= s[i + 1])
        i--;
    if (i < 0)
        return 0;
    while (s[k] <= s[i])
        k--;
    t = s[i]; s[i] = s[k]; s[k] = t;
    for (i++, k = n - 1; i < k; i++, k--) {
        t = s[i]; s[i] = s[k]; s[k] = t;
    }
    return 1;
}

int main(void)
{
    char five[] = "abcde", some[] = "aabc";
    permute(five, 0, 5);
    printf("%d %d %s\n", count, odd, five);
    do
        printf("%s ", some);
    while (next(some));
    printf("\n");
    return 0;
}
