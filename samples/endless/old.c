/* Start at settle. Ends for no n but 0 .. 2: the search has to stop by its budget. */
int settle(unsigned n)
{
    unsigned steps = 0;
    while (n > 2) {
        n = n % 2 ? 3 * n + 1 : n / 2;
        if (n <= 2)
            n = 7; /* and up again, for ever */
        steps++;
    }
    return steps + n;
}
