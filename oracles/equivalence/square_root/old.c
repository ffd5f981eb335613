/* The integer part of a square root. */
unsigned root(unsigned n)
{
    unsigned r = 0;

    while ((r + 1) * (r + 1) <= n)
        r++;
    return r;
}
