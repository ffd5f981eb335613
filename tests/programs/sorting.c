/* Insertion, selection, shell, quick, heap and merge sort agree. */
#include <stdio.h>
#include <string.h>

#define N 40
static void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }

static void insertion(int *a, int n)
{
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && a[k - 1] > a[k]; k--)
            swap(&a[k - 1], &a[k]);
}

static void selection(int *a, int n)
{
    for (int i = 0; i < n; i++) {
        int least = i;
        for (int k = i + 1; k < n; k++)
            if (a[k] < a[least])
                least = k;
        swap(&a[i], &a[least]);
    }
}

static void shell(int *a, int n)
{
    for (int gap = n / 2; gap; gap /= 2)
        for (int i = gap; i < n; i++)
            for (int k = i - gap; k >= 0 && a[k] > a[k + gap]; k -= gap)
                swap(&a[k], &a[k + gap]);
}

static void quick(int *a, int n)
{
    int *low = a, *high = a + n - 1, pivot;
    if (n < 2)
        return;
    pivot = a[n / 2];
    while (low <= high) {
        while (*low < pivot) low++;
        while (*high > pivot) high--;
        if (low <= high)
            swap(low++, high--);
    }
    quick(a, (int) (high - a) + 1);
    quick(low, (int) (a + n - low));
}

static void sift(int *a, int root, int n)
{
    for (int child; (child = 2 * root + 1) < n; root = child) {
        if (child + 1 < n && a[child + 1] > a[child])
            child++;
        if (a[root] >= a[child])
            return;
        swap(&a[root], &a[child]);
    }
}

static void heap(int *a, int n)
{
    for (int i = n / 2; i-- > 0;)
        sift(a, i, n);
    while (n-- > 1) {
        swap(a, a + n);
        sift(a, 0, n);
    }
}

static void merge(int *a, int n)
{
    int copy[N], i = 0, k = n / 2, to = 0;
    if (n < 2)
        return;
    merge(a, n / 2);
    merge(a + n / 2, n - n / 2);
    memcpy(copy, a, n * sizeof *a);
    while (i < n / 2 || k < n)
        a[to++] = k >= n || (i < n / 2 && copy[i] <= copy[k]) ? copy[i++] : copy[k++];
}

int main(void)
{
    void (*sorts[])(int *, int) = { insertion, selection, shell, quick, heap, merge };
    unsigned i, k, seed;
    for (i = 0; i < 6; i++) {
        int a[N], ordered = 1;
        unsigned sum = 0;
        for (k = 0, seed = 17; k < N; k++)
            a[k] = (int) ((seed = seed * 1103515245 + 12345) >> 16) % 100;
        sorts[i](a, N);
        for (k = 0; k < N; k++) {
            sum = sum * 31 + a[k];
            ordered &= k == 0 || a[k - 1] <= a[k];
        }
        printf("%d %u %d %d\n", ordered, sum, a[0], a[N - 1]);
    }
    return 0;
}
