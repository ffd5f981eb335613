/* Where a number stands in a sorted array, -1 when it does not. */
int find(const int *a, int n, int wanted)
{
    int low = 0, high = n - 1;

    while (low <= high) {
        int middle = low + (high - low) / 2;
        if (a[middle] == wanted)
            return middle;
        if (a[middle] < wanted)
            low = middle + 1;
        else
            high = middle - 1;
    }
    return -1;
}
