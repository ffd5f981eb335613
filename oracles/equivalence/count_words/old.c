/* Words of a line, as wc counts them. */
static int is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

int count_words(const char *line)
{
    int words = 0;
    int inside = 0;

    for (int i = 0; line[i] != '\0'; i++) {
        if (is_space(line[i])) {
            inside = 0;
        } else {
            if (!inside) {
                words++;
                inside = 1;
            }
        }
    }
    return words;
}
