/* A half-word with its bytes turned round, and every other bit of it. */
unsigned network_order(unsigned short word, unsigned *spread)
{
    unsigned turned = word >> 8 | (word & 0x00ff) << 8;

    *spread = turned & 0x5555;
    return turned;
}
