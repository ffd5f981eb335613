/* The largest of n numbers and where it stands first; -1 for none. */
int largest(const int *restrict numbers, int n, int *restrict where)
{
    const int *best = numbers, *p = numbers;

    *where = -1;
    if (n <= 0)
        return 0;
    while (--n > 0) {
        if (*++p > *best)
            best = p;
    }
    *where = (int)(best - numbers);
    return *best;
}
