/* A word as a JSON string, in a buffer of 16; how long it is, -1 when it does not fit. */
struct text {
    char bytes[16];
    int length;
};

static void put(struct text *text, char c)
{
    text->bytes[text->length++] = c;
}

static void put_quoted(struct text *text, char c)
{
    if (c == '"' || c == '\\') {
        put(text, '\\');
    } else if (c == '\n' || c == '\t') {
        put(text, '\\');
        c = c == '\n' ? 'n' : 't';
    }
    put(text, c);
}

int quote(const char *word, unsigned char *hash)
{
    struct text out = { .length = 0 };
    unsigned sum = 0;

    put(&out, '"');
    while (*word) {
        if (out.length >= 13)
            return -1;
        put_quoted(&out, *word++);
    }
    put(&out, '"');
    for (const char *p = out.bytes; p < out.bytes + out.length; p++)
        sum = 31 * sum + (unsigned)*p;
    *hash = (unsigned char)sum;
    return out.length;
}
