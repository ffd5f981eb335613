/* Start at evaluate: "let a = 3; let b = max(a, 4) - 1; if(a < b, pow(a, b), 0)". *wrong tells where
   the text is none, from 1; 0 where it is one. A definition hides an earlier one of that name. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4 };

struct reader {
    const char *text, *at;
    int count, failed;
    struct {
        char name;
        long value;
    } known[MOST];
};

static long expression(struct reader *reader);

static void skip(struct reader *reader)
{
    while (*reader->at == ' ')
        reader->at++;
}

static int take(struct reader *reader, const char *word)
{
    size_t size = strlen(word);
    skip(reader);
    if (strncmp(reader->at, word, size) != 0)
        return 0;
    if (isalpha((unsigned char) *word) && isalnum((unsigned char) reader->at[size]))
        return 0;
    reader->at += size;
    return 1;
}

static void fail(struct reader *reader)
{
    if (!reader->failed)
        reader->failed = (int) (reader->at - reader->text) + 1;
}

static void expect(struct reader *reader, const char *word)
{
    if (!take(reader, word))
        fail(reader);
}

static long look_up(struct reader *reader, char name)
{
    for (int i = reader->count; i-- > 0;)
        if (reader->known[i].name == name)
            return reader->known[i].value;
    fail(reader);
    return 0;
}

static void define(struct reader *reader, char name, long value)
{
    if (reader->count >= MOST) {
        fail(reader);
        return;
    }
    reader->known[reader->count].name = name;
    reader->known[reader->count++].value = value;
}

static long power(long base, long exponent)
{
    unsigned long result = 1;
    for (long i = 0; i < exponent && i < 64; i++)
        result *= (unsigned long) base;
    return (long) result;
}

static long arguments(struct reader *reader, int count, long *values)
{
    expect(reader, "(");
    for (int i = 0; i < count; i++) {
        if (i > 0)
            expect(reader, ",");
        values[i] = expression(reader);
    }
    expect(reader, ")");
    return values[0];
}

static long primary(struct reader *reader)
{
    long values[3] = {0, 0, 0};
    if (reader->failed)
        return 0;
    if (take(reader, "max")) {
        arguments(reader, 2, values);
        return values[0] > values[1] ? values[0] : values[1];
    }
    if (take(reader, "pow")) {
        arguments(reader, 2, values);
        return power(values[0], values[1]);
    }
    if (take(reader, "if")) {
        arguments(reader, 3, values);
        return values[0] ? values[1] : values[2];
    }
    if (take(reader, "(")) {
        long inner = expression(reader);
        expect(reader, ")");
        return inner;
    }
    skip(reader);
    if (isdigit((unsigned char) *reader->at))
        return strtol(reader->at, (char **) &reader->at, 10);
    if (*reader->at >= 'a' && *reader->at <= 'z')
        return look_up(reader, *reader->at++);
    fail(reader);
    return 0;
}

static long product(struct reader *reader)
{
    long left = primary(reader);
    while (!reader->failed && take(reader, "*"))
        left = (long) ((unsigned long) left * (unsigned long) primary(reader));
    return left;
}

static long sum(struct reader *reader)
{
    long left = product(reader);
    while (!reader->failed) {
        if (take(reader, "+"))
            left = (long) ((unsigned long) left + (unsigned long) product(reader));
        else if (take(reader, "-"))
            left = (long) ((unsigned long) left - (unsigned long) product(reader));
        else
            break;
    }
    return left;
}

static long expression(struct reader *reader)
{
    long left = sum(reader);
    return take(reader, "<") ? left < sum(reader) : left;
}

long evaluate(const char *text, int *wrong)
{
    struct reader reader = {.text = text, .at = text};
    while (!reader.failed && take(&reader, "let")) {
        skip(&reader);
        char name = *reader.at;
        if (name < 'a' || name > 'z')
            break;
        reader.at++;
        expect(&reader, "=");
        define(&reader, name, expression(&reader));
        expect(&reader, ";");
    }
    long result = expression(&reader);
    skip(&reader);
    if (*reader.at)
        fail(&reader);
    if (wrong)
        *wrong = reader.failed;
    return reader.failed ? 0 : result;
}
