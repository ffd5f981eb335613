/* Adler-32 goes on: the checksum so far, and more of the text. */
#define BASE 65521

unsigned adler(unsigned adler, const unsigned char *text)
{
    unsigned low = adler % 65536, high = adler / 65536;

    for (; *text; text++) {
        low += *text;
        if (low >= BASE)
            low -= BASE;
        high += low;
        if (high >= BASE)
            high -= BASE;
    }
    return high * 65536 + low;
}
