/* A half-word with its bytes turned round, and every other bit of it. */
unsigned network_order(unsigned short word, unsigned *spread)
{
    unsigned turned = 0;

    for (int i = 0; i < 2; i++) {
        turned = turned << 8 | (word & 0xff);
        word = word >> 8;
    }
    *spread = 0;
    for (int i = 0; i < 16; i += 2) {
        if (turned >> i & 1)
            *spread = *spread | 1u << i;
    }
    return turned;
}
