/* Where a number stands in a sorted array, -1 when it does not. */
static int search(const int *a, int low, int high, int wanted)
{
    int middle;

    if (low > high)
        return -1;
    middle = (low + high) / 2;
    if (a[middle] == wanted)
        return middle;
    if (a[middle] < wanted)
        return search(a, middle + 1, high, wanted);
    return search(a, low, middle - 1, wanted);
}

int find(const int *a, int n, int wanted)
{
    return search(a, 0, n - 1, wanted);
}
