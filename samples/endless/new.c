/* Start at settle. Ends for no n but 0 .. 2, and says one more for each of them (n = 0: 0 becomes
   1). Everything else runs for ever in both versions. */
int settle(unsigned n)
{
    unsigned steps = 0;
    while (n > 2) {
        n = n % 2 ? 3 * n + 1 : n / 2;
        if (n <= 2)
            n = 7; /* and up again, for ever */
        steps++;
    }
    return steps + n + 1;
}
