/* A word as a JSON string, in a buffer of 16; how long it is, -1 when it does not fit. */
int quote(const char *word, unsigned char *hash)
{
    char out[16];
    int n = 0;

    out[n++] = '"';
    for (int i = 0; word[i] != '\0'; i++) {
        if (n + 3 >= 16)
            return -1;
        switch (word[i]) {
        case '"':
            out[n++] = '\\';
            out[n++] = '"';
            break;
        case '\\':
            out[n++] = '\\';
            out[n++] = '\\';
            break;
        case '\n':
            out[n++] = '\\';
            out[n++] = 'n';
            break;
        case '\t':
            out[n++] = '\\';
            out[n++] = 't';
            break;
        default:
            out[n++] = word[i];
        }
    }
    out[n++] = '"';
    hash[0] = 0;
    for (int i = 0; i < n; i++)
        hash[0] = (unsigned char)(hash[0] * 31 + out[i]);
    return n;
}
