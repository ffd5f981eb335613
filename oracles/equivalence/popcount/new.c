/* The number of bits that are set in half a word. */
unsigned population(unsigned short word)
{
    unsigned x = word;

    x = x - ((x >> 1) & 0x5555);
    x = (x & 0x3333) + ((x >> 2) & 0x3333);
    x = (x + (x >> 4)) & 0x0f0f;
    return (x + (x >> 8)) & 0x1f;
}
