/* The largest of n numbers and where it stands first; -1 for none. */
int largest(const int *restrict numbers, int n, int *restrict where)
{
    int best = 0;

    if (n <= 0) {
        where[0] = -1;
        return 0;
    }
    for (int i = 1; i < n; i++) {
        if (numbers[i] > numbers[best])
            best = i;
    }
    where[0] = best;
    return numbers[best];
}
