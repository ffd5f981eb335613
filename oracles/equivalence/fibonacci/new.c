/* Pairs of rabbits after n months, from the pairs there are. */
unsigned growth(unsigned n, unsigned young, unsigned old)
{
    unsigned i, a = young, b = old;

    for (i = 0; i < n; i++) {
        unsigned next = a + b;
        a = b;
        b = next;
    }
    return a;
}
