/* Four numbers in order. */
#define N 4

void sort(short *a)
{
    int swapped;

    do {
        swapped = 0;
        for (int i = 0; i + 1 < N; i++) {
            if (a[i] > a[i + 1]) {
                short kept = a[i];
                a[i] = a[i + 1];
                a[i + 1] = kept;
                swapped = 1;
            }
        }
    } while (swapped);
}
