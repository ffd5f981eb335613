/* The value of hexadecimal digits, -1 for anything else. */
static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

int hex_value(const char *text)
{
    int value = 0;

    if (text[0] == '\0')
        return -1;
    for (int i = 0; text[i] != '\0'; i++) {
        int d = digit(text[i]);
        if (d < 0)
            return -1;
        value = value * 16 + d;
    }
    return value;
}
