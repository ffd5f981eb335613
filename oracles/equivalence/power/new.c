/* A power, modulo 2^32. */
unsigned power(unsigned base, unsigned exponent)
{
    unsigned result = 1, square = base;

    while (exponent) {
        if (exponent & 1)
            result *= square;
        square *= square;
        exponent >>= 1;
    }
    return result;
}
