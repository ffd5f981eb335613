/* The integer part of a square root, two bits at a time. */
unsigned root(unsigned n)
{
    unsigned rest = n, result = 0, bit = 1u << 8;

    while (bit != 0) {
        unsigned try = result + bit;
        result >>= 1;
        if (rest >= try) {
            rest -= try;
            result += bit;
        }
        bit >>= 2;
    }
    return result;
}
