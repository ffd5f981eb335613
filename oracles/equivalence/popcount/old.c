/* The number of bits that are set in half a word. */
unsigned population(unsigned short word)
{
    unsigned x = word, count = 0;

    while (x != 0) {
        count += x & 1;
        x >>= 1;
    }
    return count;
}
