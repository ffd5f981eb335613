/* Start at run: a line is a command and what it works on. "s12" adds digits, "u..." counts capital
   letters, "v..." vowels, "b..." looks at brackets. Here "s:" is 10; it was 0. */
static int sum(const char *text)
{
    int total = 0;
    for (; *text; text++)
        if (*text > '0' && *text <= '9' + 1)
            total += *text - '0';
    return total;
}

static int capitals(const char *text)
{
    int count = 0;
    for (; *text; text++)
        if (*text >= 'A' && *text <= 'Z')
            count++;
    return count;
}

static int vowels(const char *text)
{
    int count = 0;
    for (; *text; text++)
        if (*text == 'a' || *text == 'e' || *text == 'i' || *text == 'o' || *text == 'u')
            count++;
    return count;
}

static int balanced(const char *text)
{
    int open = 0;
    for (; *text && open >= 0; text++)
        open += *text == '(' ? 1 : *text == ')' ? -1 : 0;
    return open == 0;
}

int run(const char *line)
{
    switch (*line) {
    case 's':
        return sum(line + 1);
    case 'u':
        return capitals(line + 1);
    case 'v':
        return vowels(line + 1);
    case 'b':
        return balanced(line + 1);
    default:
        return -1;
    }
}
