/* Part of growing.c: the inputs that it makes out of others.
 *
 *     a word put in, put in another's place; a piece doubled, taken out, moved
 *     what follows the same two bytes in another input        "a=fac(" + "fac(21)" -> "a=fac(21)"
 *     numbers written in digits, or kept as numbers: near, at limits, the size of a text
 */
#ifndef CSGTEST_GROWING_INPUTS_H
#define CSGTEST_GROWING_INPUTS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum role { LINE, ARGUMENT, STANDARD_INPUT, FILE_CONTENT };
enum kind { TEXT, ELEMENTS, NUMBER, PRESENCE };
enum { LONGEST = 1 << 16, ARENA = 96 << 20, MOST_FIELDS = 256, MOST_WORDS = 4096, MOST_TRIES = 8,
       FRONT = 12, MOST_OPEN = 64, MOST_MORE = 8 };

struct piece {
    unsigned char *data;
    uint32_t size;
};

/* `step`: bytes of an element; `low`, `high`: what each can be. `size_of`: the field that it is at most
 * the size of, in units of so many bytes, or -1. */
struct field {
    uint32_t role, kind, step, most, nullable;
    int64_t low, high;
    int32_t size_of;
    uint32_t unit;
    struct piece prefix, null; /* the line of its value, and that of no value; a file's name */
};

struct value {
    struct piece bytes;
    int absent;
};

struct entry {
    uint32_t flags, picked, tries; /* tries: inputs made of it that were tried in its turn */
    uint32_t best;                 /* pieces of code to which none smaller came */
    struct value *values;
};

static struct field *fields;
static uint32_t field_count;
static struct piece words[MOST_WORDS];
static uint32_t word_count;
static uint64_t chance_state;

/* ------------------------------------------------------------------ memory and chance */

/* Shared with the processes that are forked: nothing of it need be copied for them. */
static unsigned char *arena;
static size_t arena_used;

static void *take(size_t size)
{
    size_t start = (arena_used + 15) & ~(size_t) 15;
    if (start + size > ARENA)
        return NULL;
    arena_used = start + size;
    return arena + start;
}

static int is_full(void)
{
    return arena_used + (size_t) 4 * LONGEST > ARENA;
}

static uint32_t below(uint32_t limit)
{
    chance_state ^= chance_state >> 12;
    chance_state ^= chance_state << 25;
    chance_state ^= chance_state >> 27;
    return limit ? (uint32_t) ((chance_state * 2685821657736338717u) >> 33) % limit : 0;
}

/* ------------------------------------------------------------------ editing one value */

static unsigned char scratch[LONGEST];

static int64_t element(const struct field *field, const unsigned char *at)
{
    int64_t value = 0;
    memcpy(&value, at, field->step < 8 ? field->step : 8);
    unsigned shift = field->step < 8 ? 64 - 8 * field->step : 0;
    return field->low < 0 ? (int64_t) ((uint64_t) value << shift) >> shift : value;
}

static void set_element(const struct field *field, unsigned char *at, int64_t value)
{
    value = value < field->low ? field->low : value > field->high ? field->high : value;
    memcpy(at, &value, field->step < 8 ? field->step : 8);
}

/* Put `with` in the place of `size` bytes; 0 where that does not fit. */
static int replace(const struct field *field, struct piece *value, uint32_t at, uint32_t size,
                  const unsigned char *with, uint32_t length)
{
    if (at > value->size || size > value->size - at)
        return 0;
    uint32_t total = value->size - size + length;
    if (total > field->most * field->step || total > LONGEST || total % field->step)
        return 0;
    unsigned char *made = take(total + 1);
    if (!made)
        return 0;
    memcpy(made, value->data, at);
    if (length)
        memcpy(made + at, with, length);
    memcpy(made + at + length, value->data + at + size, value->size - at - size);
    made[total] = 0;
    if (field->kind == TEXT)
        for (uint32_t i = at; i < at + length; i++)
            if (!made[i])
                made[i] = '0';
    for (uint32_t i = at; field->step == 1 && i < at + length; i++)
        set_element(field, made + i, element(field, made + i));
    value->data = made;
    value->size = total;
    return 1;
}

static const unsigned char *find(const unsigned char *in, uint32_t size, const unsigned char *what,
                                 uint32_t length)
{
    return length && length <= size ? memmem(in, size, what, length) : NULL;
}

static int is_digit(unsigned char byte)
{
    return byte >= '0' && byte <= '9';
}

static int is_wordly(unsigned char byte)
{
    return is_digit(byte) || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z')
           || byte == '_';
}

/* A place where a word begins or ends, mostly; the end of all more often than others, as a parser
 * goes on from there. */
static uint32_t boundary(const struct piece *value)
{
    uint32_t at = below(4) ? below(value->size + 1) : value->size;
    for (int i = 0; i < 16 && at > 0 && at < value->size; i++, at++)
        if (!is_wordly(value->data[at - 1]) || !is_wordly(value->data[at]))
            break;
    return below(4) ? at : below(value->size + 1);
}

static const char *const odd_numbers[] = {
    "0", "1", "2", "3", "7", "8", "9", "10", "12", "16", "20", "21", "31", "32", "59", "60", "63",
    "64", "99", "100", "127", "128", "255", "256", "366", "1000", "1024", "4096", "9999", "32767",
    "32768", "65535", "65536", "2147483647", "2147483648", "4294967295", "4294967296",
    "9223372036854775807", "9223372036854775808", "18446744073709551616", "1e308", "0.5", "-1"};
enum { ODD = sizeof odd_numbers / sizeof *odd_numbers };

/* Another number where digits stand. */
static int edit_digits(const struct field *field, struct piece *value)
{
    uint32_t start = below(value->size), end;
    while (start < value->size && !is_digit(value->data[start]))
        start++;
    while (start > 0 && is_digit(value->data[start - 1]))
        start--;
    for (end = start; end < value->size && is_digit(value->data[end]); end++)
        ;
    if (start >= end)
        return 0;
    char text[32];
    if (below(2)) {
        int size = end - start < 20 ? (int) (end - start) : 20;
        snprintf(text, sizeof text, "%.*s", size, (char *) value->data + start);
        unsigned long long number = strtoull(text, NULL, 10);
        static const int near[] = {1, -1, 2, 10, -10, 100};
        snprintf(text, sizeof text, "%llu", number + (unsigned long long) near[below(6)]);
    } else {
        snprintf(text, sizeof text, "%s", odd_numbers[below(ODD)]);
    }
    return replace(field, value, start, end - start, (unsigned char *) text,
                  (uint32_t) strlen(text));
}

/* Go on behind two bytes of this value as `other` goes on behind the same two. */
static int cross(const struct field *field, struct piece *value, const struct piece *other)
{
    if (value->size < 2 || other->size < 3)
        return 0;
    uint32_t at = below(2) ? value->size - 2 : below(value->size - 1);
    uint32_t from = below(other->size);
    const unsigned char *found = find(other->data + from, other->size - from, value->data + at, 2);
    if (!found)
        found = find(other->data, other->size, value->data + at, 2);
    if (!found)
        return 0;
    found += 2;
    uint32_t rest = (uint32_t) (other->data + other->size - found);
    uint32_t size = below(2) ? rest : below(rest + 1);
    return replace(field, value, at + 2, below(2) ? value->size - at - 2 : 0, found, size);
}

/* What stands between two words: a blank, or the sign that the program knows instead. */
static unsigned char separator(void)
{
    static const char likely[] = " \n\t,;:/";
    for (const char *each = likely; *each; each++)
        for (uint32_t i = 0; i < word_count; i++)
            if (words[i].size == 1 && words[i].data[0] == (unsigned char) *each)
                return (unsigned char) *each;
    return ' ';
}

/* The word, apart from the letters that would make one word with it in the place of these bytes. */
static struct piece apart(const struct piece *in, uint32_t place, uint32_t size, struct piece word)
{
    static unsigned char text[LONGEST + 2];
    uint32_t length = 0;
    if (!word.size || word.size > LONGEST || place > in->size || size > in->size - place)
        return word;
    if (place > 0 && is_wordly(in->data[place - 1]) && is_wordly(word.data[0]))
        text[length++] = separator();
    memcpy(text + length, word.data, word.size);
    length += word.size;
    if (place + size < in->size && is_wordly(in->data[place + size]) && is_wordly(text[length - 1]))
        text[length++] = separator();
    return (struct piece){text, length};
}

/* What closes the brackets and the quotation that are open behind both texts; how many bytes. */
static uint32_t put_closers(unsigned char *to, struct piece text, struct piece more)
{
    static const char brackets[] = "{}()[]<>";
    unsigned char open[MOST_OPEN];
    uint32_t count = 0, size = 0;
    int quoted = 0;
    for (uint32_t at = 0; at < text.size + more.size; at++) {
        unsigned char byte = at < text.size ? text.data[at] : more.data[at - text.size];
        const char *bracket = byte ? strchr(brackets, byte) : NULL;
        if (byte == '"')
            quoted = !quoted;
        else if (quoted || !bracket)
            continue;
        else if ((bracket - brackets) % 2 == 0 && count + 1 < MOST_OPEN)
            open[count++] = (unsigned char) bracket[1];
        else if (count && open[count - 1] == byte)
            count--;
    }
    if (quoted)
        to[size++] = '"';
    while (count)
        to[size++] = open[--count];
    return size;
}

static int close_brackets(const struct field *field, struct piece *value)
{
    unsigned char closers[MOST_OPEN];
    uint32_t size = put_closers(closers, *value, (struct piece){NULL, 0});
    return size && replace(field, value, value->size, 0, closers, size);
}

/* Those in front are likelier to matter. */
static const struct piece *some_word(void)
{
    uint32_t limit = below(2) ? FRONT : word_count;
    return &words[below(limit < word_count ? limit : word_count)];
}

static int insert_word(const struct field *field, struct piece *value)
{
    uint32_t at = boundary(value);
    if (!word_count)
        return 0;
    struct piece word = *some_word();
    if (below(4))
        word = apart(value, at, 0, word);
    return replace(field, value, at, 0, word.data, word.size);
}

/* Another word in the place of what stands between two boundaries. */
static int replace_word(const struct field *field, struct piece *value)
{
    uint32_t at = boundary(value), end = at;
    const struct piece *word = some_word();
    if (at >= value->size || !word_count)
        return 0;
    while (end < value->size && is_wordly(value->data[end]))
        end++;
    return replace(field, value, at, end > at ? end - at : 1, word->data, word->size);
}

static int change_byte(const struct field *field, struct piece *value)
{
    uint32_t at = below(value->size);
    unsigned char byte = value->size ? value->data[at] : 0;
    switch (below(5)) {
    case 0:
        byte = (unsigned char) (byte + (below(2) ? 1 : -1));
        break;
    case 1:
        byte ^= (unsigned char) (1u << below(8));
        break;
    case 2:
        byte = (unsigned char) below(256);
        break;
    default:
        byte = (unsigned char) (' ' + below(95));
    }
    return replace(field, value, at, value->size && below(2), &byte, 1);
}

/* A piece of it once more, there or elsewhere; or without it. */
static int change_piece(const struct field *field, struct piece *value)
{
    uint32_t at = boundary(value), size = below(value->size - at + 1);
    if (below(2) && size > 16)
        size = below(16);
    memcpy(scratch, value->data + at, size);
    switch (below(3)) {
    case 0:
        return replace(field, value, at, size, scratch, 0);
    case 1:
        return replace(field, value, at + size, 0, scratch, size);
    default:
        return replace(field, value, boundary(value), 0, scratch, size);
    }
}

/* A piece of `other` up to one of its signs, put behind the same sign: a line, a field, a statement. */
static int cross_pieces(const struct field *field, struct piece *value, const struct piece *other)
{
    if (!other->size)
        return 0;
    uint32_t end = below(other->size), start, at;
    while (end < other->size && is_wordly(other->data[end]))
        end++;
    if (end == other->size)
        return 0;
    unsigned char sign = other->data[end];
    for (start = end; start > 0 && other->data[start - 1] != sign; start--)
        ;
    at = below(4) ? below(value->size + 1) : 0;
    while (at > 0 && at <= value->size && value->data[at - 1] != sign)
        at--;
    return replace(field, value, at, 0, other->data + start, end + 1 - start);
}

/* A piece up to one of its signs, several times more: lines, fields, statements. A table is full, and a
 * number has one digit more, only behind many of them. */
static int repeat_piece(const struct field *field, struct piece *value)
{
    if (!value->size)
        return 0;
    uint32_t end = below(value->size), size, length = 0;
    while (end + 1 < value->size && is_wordly(value->data[end]))
        end++;
    uint32_t start = end;
    while (start > 0 && value->data[start - 1] != value->data[end])
        start--;
    size = ++end - start;
    for (uint32_t left = 2 + below(MOST_MORE - 1); left && length + size <= LONGEST; left--) {
        memcpy(scratch + length, value->data + start, size);
        length += size;
    }
    return replace(field, value, end, 0, scratch, length);
}

static int edit_text(const struct field *field, struct piece *value, const struct piece *other)
{
    switch (below(18)) {
    case 0:
    case 1:
    case 2:
        return insert_word(field, value);
    case 3:
    case 4:
        return replace_word(field, value);
    case 5:
        return cross(field, value, other);
    case 6:
    case 7:
        return change_piece(field, value);
    case 8:
        return edit_digits(field, value);
    case 9:
    case 10:
        return cross_pieces(field, value, other);
    case 11:
        return cross_pieces(field, value, value);
    case 12:
        return replace(field, value, boundary(value), 0, other->data, other->size);
    case 13: {
        uint32_t from = below(other->size + 1), size = below(other->size - from + 1);
        return replace(field, value, boundary(value), 0, other->data + from, size);
    }
    case 14:
        return close_brackets(field, value);
    case 15:
        return repeat_piece(field, value);
    default:
        return change_byte(field, value);
    }
}

static int64_t odd_element(const struct field *field, int64_t present)
{
    switch (below(6)) {
    case 0:
        return present + (below(2) ? 1 : -1);
    case 1:
        return strtoll(odd_numbers[below(ODD)], NULL, 10) * (below(4) ? 1 : -1);
    case 2:
        return below(2) ? field->low : field->high;
    case 3:
        return (int64_t) below(17);
    case 4:
        return present ^ (int64_t) ((uint64_t) 1 << below(8 * field->step));
    default:
        return (int64_t) below(1 << 16);
    }
}

static int edit_elements(const struct field *field, struct piece *value, const struct piece *other)
{
    if (field->step == 1 && below(4))
        return edit_text(field, value, other);
    unsigned char bytes[16] = {0};
    uint32_t step = field->step, at = below(value->size / step + 1);
    if (step > sizeof bytes)
        return 0;
    if (at == value->size / step || below(8) == 0) { /* one more, or one less */
        set_element(field, bytes, odd_element(field, 0));
        int more = at == value->size / step || below(2);
        return replace(field, value, at * step, more ? 0 : step, bytes, more ? step : 0);
    }
    memcpy(bytes, value->data + at * step, step);
    set_element(field, bytes, odd_element(field, element(field, bytes)));
    return replace(field, value, at * step, step, bytes, step);
}

/* ------------------------------------------------------------------ editing an input */

/* The size of a text or array, for a number that goes with it. */
static int64_t size_of_another(const struct value *values)
{
    for (int i = 0; i < MOST_TRIES; i++) {
        uint32_t at = below(field_count);
        if (fields[at].kind <= ELEMENTS && !values[at].absent)
            return values[at].bytes.size / fields[at].step;
    }
    return 0;
}

static int edit_number(const struct field *field, struct value *values, struct piece *value)
{
    unsigned char bytes[16] = {0};
    if (value->size > sizeof bytes)
        return 0;
    memcpy(bytes, value->data, value->size);
    int64_t present = element(field, bytes);
    set_element(field, bytes, below(3) ? odd_element(field, present) : size_of_another(values));
    return replace(field, value, 0, value->size, bytes, value->size);
}

static int edit_field(uint32_t at, struct value *values, const struct value *others)
{
    const struct field *field = &fields[at];
    struct value *value = &values[at];
    if (field->nullable && below(value->absent ? 2 : 40) == 0) {
        value->absent = !value->absent;
        return 1;
    }
    if (value->absent || field->kind == PRESENCE)
        return 0;
    if (field->kind == TEXT)
        return edit_text(field, &value->bytes, &others[at].bytes);
    if (field->kind == ELEMENTS)
        return edit_elements(field, &value->bytes, &others[at].bytes);
    return edit_number(field, values, &value->bytes);
}

static void set_number(uint32_t at, struct value *values, int64_t number)
{
    unsigned char bytes[16] = {0};
    set_element(&fields[at], bytes, number);
    replace(&fields[at], &values[at].bytes, 0, values[at].bytes.size, bytes, values[at].bytes.size);
}

/* A size is at most that of what it is the size of. */
static void keep_to_sizes(struct value *values)
{
    for (uint32_t i = 0; i < field_count; i++) {
        int32_t of = fields[i].size_of;
        if (of < 0 || values[of].absent || values[i].bytes.size > 8)
            continue;
        int64_t most = (values[of].bytes.size + (fields[of].kind == TEXT)) / fields[i].unit;
        if (element(&fields[i], values[i].bytes.data) > most)
            set_number(i, values, values[of].bytes.size / fields[i].unit);
    }
}

/* A number that was the size of a text stays that when the text grows. */
static void follow_sizes(struct value *values, const struct value *before)
{
    for (uint32_t i = 0; i < field_count; i++) {
        if (fields[i].kind > ELEMENTS || values[i].bytes.size == before[i].bytes.size)
            continue;
        for (uint32_t j = 0; j < field_count; j++) {
            if (fields[j].kind != NUMBER || values[j].bytes.size > 8 || fields[j].step < 2
                || values[j].bytes.data != before[j].bytes.data
                || element(&fields[j], before[j].bytes.data)
                       != before[i].bytes.size / fields[i].step)
                continue;
            set_number(j, values, values[i].bytes.size / fields[i].step);
        }
    }
    keep_to_sizes(values);
}

/* A few edits of fields by chance, longer texts more often. */
static void edit(struct value *values, const struct value *before, const struct value *others)
{
    static const int counts[] = {1, 1, 1, 2, 2, 4, 8};
    uint32_t longest = 0;
    for (uint32_t i = 0; i < field_count; i++)
        if (fields[i].kind <= ELEMENTS && values[i].bytes.size >= values[longest].bytes.size)
            longest = i;
    for (int left = counts[below(7)], tries = 0; left > 0 && tries < 4 * MOST_TRIES; tries++)
        left -= edit_field(below(4) ? longest : below(field_count), values, others);
    follow_sizes(values, before);
}

#endif
