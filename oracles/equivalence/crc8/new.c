/* CRC-8 goes on: the checksum so far and the next byte; polynomial x^8 + x^2 + x + 1. */
static const unsigned char table[16] = {
        0x00, 0x07, 0x0e, 0x09, 0x1c, 0x1b, 0x12, 0x15,
        0x38, 0x3f, 0x36, 0x31, 0x24, 0x23, 0x2a, 0x2d };

static unsigned char nibble(unsigned char crc)
{
    return (unsigned char)(crc << 4) ^ table[crc >> 4];
}

unsigned char crc8(unsigned char crc, unsigned char byte)
{
    return nibble(nibble(crc ^ byte));
}
