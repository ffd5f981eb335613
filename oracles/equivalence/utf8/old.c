/* Characters of a text in UTF-8, -1 when it is none (shapes only: lead byte, then 10xxxxxx). */
static int length(unsigned char lead)
{
    if (lead < 0x80)
        return 1;
    if (lead >= 0xc0 && lead <= 0xdf)
        return 2;
    if (lead >= 0xe0 && lead <= 0xef)
        return 3;
    if (lead >= 0xf0 && lead <= 0xf7)
        return 4;
    return 0;
}

int characters(const char *text)
{
    int count = 0, i = 0;

    while (text[i] != '\0') {
        int bytes = length((unsigned char)text[i]);

        if (bytes == 0)
            return -1;
        for (int k = 1; k < bytes; k++) {
            unsigned char next = (unsigned char)text[i + k];
            if (next < 0x80 || next > 0xbf)
                return -1;
        }
        i += bytes;
        count++;
    }
    return count;
}
