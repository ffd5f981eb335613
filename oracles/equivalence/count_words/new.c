/* Words of a line, as wc counts them. */
static int is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

int count_words(const char *line)
{
    int words = 0;
    const char *p = line;

    while (*p) {
        while (is_space(*p))
            p++;
        if (!*p)
            break;
        words++;
        while (*p && !is_space(*p))
            p++;
    }
    return words;
}
