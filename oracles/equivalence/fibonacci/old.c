/* Pairs of rabbits after n months, from the pairs there are. */
static unsigned fibonacci(unsigned n, unsigned first, unsigned second)
{
    if (n == 0)
        return first;
    if (n == 1)
        return second;
    return fibonacci(n - 1, first, second) + fibonacci(n - 2, first, second);
}

unsigned growth(unsigned n, unsigned young, unsigned old)
{
    return fibonacci(n, young, old);
}
