/* Characters of a text in UTF-8, -1 when it is none (shapes only: lead byte, then 10xxxxxx). */
int characters(const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    int count = 0;

    while (*p) {
        unsigned char lead = *p++;
        int more = 0;

        if (lead & 0x80) {
            if ((lead & 0x40) == 0 || !(lead < 0xf8))
                return -1;
            more = 1 + (lead >= 0xe0) + (lead >= 0xf0);
        }
        while (more-- > 0) {
            if ((*p++ & 0xc0) != 0x80)
                return -1;
        }
        count++;
    }
    return count;
}
