/* Adler-32 goes on: the checksum so far, and more of the text. */
#define BASE 65521

unsigned adler(unsigned adler, const unsigned char *text)
{
    unsigned low = adler & 0xffff;
    unsigned high = adler >> 16;

    while (*text != 0) {
        low = (low + *text) % BASE;
        high = (high + low) % BASE;
        text++;
    }
    return (high << 16) | low;
}
