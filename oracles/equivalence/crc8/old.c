/* CRC-8 goes on: the checksum so far and the next byte; polynomial x^8 + x^2 + x + 1. */
unsigned char crc8(unsigned char crc, unsigned char byte)
{
    crc ^= byte;
    for (int bit = 0; bit < 8; bit++) {
        if (crc & 0x80)
            crc = (unsigned char)((crc << 1) ^ 0x07);
        else
            crc = (unsigned char)(crc << 1);
    }
    return crc;
}
