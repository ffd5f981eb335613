/* Four numbers in order. */
#define N 4

void sort(short *a)
{
    for (int i = 1; i < N; i++) {
        short key = a[i];
        int j;

        for (j = i; j > 0 && a[j - 1] > key; j--)
            a[j] = a[j - 1];
        a[j] = key;
    }
}
