/* Change small letters to capitals, in place; how many there were. */
static int is_lower(char c)
{
    return (unsigned char)(c - 'a') < 26;
}

int upper(char *text)
{
    int changed = 0;

    for (char *p = text; *p; p++) {
        int small = is_lower(*p);
        *p &= ~(small << 5);
        changed += small;
    }
    return changed;
}
