/* A power, modulo 2^32. */
unsigned power(unsigned base, unsigned exponent)
{
    unsigned result = 1;

    for (unsigned i = 0; i < exponent; i++)
        result = result * base;
    return result;
}
