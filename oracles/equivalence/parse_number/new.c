/* A decimal number with a sign; -1 in *used when there is none. */
int parse(const char *text, int *used)
{
    const char *s = text, *start;
    int sign = 1;
    int value = 0;

    for (; *s == ' '; s++)
        ;
    if (*s == '-' || *s == '+')
        sign = *s++ == '-' ? -1 : 1;
    for (start = s; *s >= '0' && *s <= '9'; s++)
        value = 10 * value + *s - '0';
    *used = s == start ? -1 : (int)(s - text);
    return sign * value;
}
