/* fields: print parts of each line of standard input, as cut(1) does.

   Two changes that are harmless alone: the tables are not made larger for an open range any more
   (is_selected and is_start look at their end first), and an open range is marked in the table of
   starts when an output delimiter is given. Together they write behind the table:

       a_new -b2- -o:                                      (and nothing on standard input)

   heap-buffer-overflow in mark_start; a_old prints nothing and ends with 0. */
#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM "fields"
#define OPEN ULONG_MAX /* the high end of "3-" */

enum status { STATUS_OK = 0, STATUS_INPUT = 1, STATUS_USAGE = 2 };

enum mode { MODE_NONE, MODE_BYTES, MODE_CHARACTERS, MODE_FIELDS };

/* Positions low .. high, counted from 1, both included. */
struct range {
    unsigned long low;
    unsigned long high;
};

struct range_list {
    struct range *items;
    size_t count;
    size_t room;
};

struct settings {
    enum mode mode;
    const char *list;          /* as given */
    char delimiter;            /* between fields of the input */
    const char *joiner;        /* between parts of the output, NULL: not given */
    bool complement;           /* print what the list does not name */
    bool only_delimited;       /* leave out lines without a delimiter */
};

/* What to print, as tables: position k is selected when selected[k] is set or k >= open_start. */
struct selection {
    unsigned char *selected;
    unsigned char *starts;     /* a range of the list begins here */
    unsigned long last;        /* highest index of both tables */
    unsigned long open_start;  /* 0: no open range */
    bool complement;
};

struct line {
    char *bytes;
    size_t length;
    size_t room;
};

/* ---------------------------------------------------------------- messages */

static void print_usage(FILE *stream)
{
    fputs("usage: " PROGRAM " -b LIST | -c LIST | -f LIST [OPTION]...\n", stream);
    fputs("Print parts of each line of standard input.\n\n", stream);
    fputs("  -b, --bytes=LIST             these bytes\n", stream);
    fputs("  -c, --characters=LIST        these characters (UTF-8)\n", stream);
    fputs("  -f, --fields=LIST            these fields\n", stream);
    fputs("  -d, --delimiter=CHAR         what separates fields (default: tab)\n", stream);
    fputs("  -o, --output-delimiter=TEXT  what stands between parts of the output\n", stream);
    fputs("  -s, --only-delimited         no lines without a delimiter\n", stream);
    fputs("  -v, --complement             everything but the list\n", stream);
    fputs("  -h, --help                   this text\n\n", stream);
    fputs("LIST is made of N, N-M, N- and -M, separated by commas.\n", stream);
}

static void fail_usage(const char *message, const char *subject)
{
    if (subject != NULL)
        fprintf(stderr, PROGRAM ": %s: '%s'\n", message, subject);
    else
        fprintf(stderr, PROGRAM ": %s\n", message);
    fprintf(stderr, "Try '" PROGRAM " --help'.\n");
    exit(STATUS_USAGE);
}

static void fail_memory(void)
{
    fprintf(stderr, PROGRAM ": out of memory\n");
    exit(STATUS_INPUT);
}

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (memory == NULL)
        fail_memory();
    return memory;
}

/* ---------------------------------------------------------------- the list */

static void add_range(struct range_list *list, unsigned long low, unsigned long high)
{
    if (list->count == list->room) {
        size_t room = list->room ? 2 * list->room : 4;
        struct range *items = realloc(list->items, room * sizeof *items);
        if (items == NULL)
            fail_memory();
        list->items = items;
        list->room = room;
    }
    list->items[list->count].low = low;
    list->items[list->count].high = high;
    list->count++;
}

/* Reads a number at *text and moves *text behind it. */
static unsigned long read_number(const char **text, const char *whole)
{
    unsigned long number = 0;
    while (isdigit((unsigned char) **text)) {
        unsigned long digit = (unsigned long) (**text - '0');
        if (number > (OPEN - 1 - digit) / 10)
            fail_usage("number is too large", whole);
        number = 10 * number + digit;
        (*text)++;
    }
    return number;
}

/* Reads "N", "N-M", "N-" or "-M" at text and returns what follows it. */
static const char *read_range(struct range_list *list, const char *text, const char *whole)
{
    bool has_low = isdigit((unsigned char) *text);
    unsigned long low = read_number(&text, whole);
    unsigned long high = low;

    if (has_low && low == 0)
        fail_usage("positions count from 1", whole);
    if (*text == '-') {
        bool has_high;
        text++;
        has_high = isdigit((unsigned char) *text);
        high = read_number(&text, whole);
        if (!has_low && !has_high)
            fail_usage("range without an end", whole);
        if (!has_low)
            low = 1;
        if (!has_high)
            high = OPEN;
        else if (high < low)
            fail_usage("range that goes down", whole);
    } else if (!has_low) {
        fail_usage("not a list of ranges", whole);
    }
    add_range(list, low, high);
    return text;
}

static void read_list(struct range_list *list, const char *text)
{
    const char *whole = text;

    while (true) {
        text = read_range(list, text, whole);
        if (*text == '\0')
            break;
        if (*text != ',' && *text != ' ')
            fail_usage("not a list of ranges", whole);
        text++;
    }
}

static void sort_ranges(struct range_list *list)
{
    size_t i, k;

    for (i = 1; i < list->count; i++) {
        struct range moving = list->items[i];
        for (k = i; k > 0 && list->items[k - 1].low > moving.low; k--)
            list->items[k] = list->items[k - 1];
        list->items[k] = moving;
    }
}

/* Ranges that overlap become one; ranges that only touch stay two, since the output delimiter
   stands between them. */
static void merge_ranges(struct range_list *list)
{
    size_t kept = 0, i;

    for (i = 1; i < list->count; i++) {
        struct range *last = &list->items[kept];
        struct range *next = &list->items[i];
        if (next->low <= last->high) {
            if (next->high > last->high)
                last->high = next->high;
        } else {
            kept++;
            list->items[kept] = *next;
        }
    }
    list->count = kept + 1;
}

/* ---------------------------------------------------------------- the selection */

static void mark_start(struct selection *selection, unsigned long position)
{
    selection->starts[position] = 1;
}

static void mark_range(struct selection *selection, const struct range *range)
{
    unsigned long k;

    for (k = range->low; k <= range->high; k++)
        selection->selected[k] = 1;
    mark_start(selection, range->low);
}

/* The highest position that the tables need to hold. */
static unsigned long table_end(const struct range_list *list)
{
    unsigned long last = 0;
    size_t i;

    for (i = 0; i < list->count; i++) {
        const struct range *range = &list->items[i];
        unsigned long end = range->high == OPEN ? 0 : range->high;
        if (end > last)
            last = end;
    }
    return last;
}

static void build_selection(struct selection *selection, const struct range_list *list,
                            const struct settings *settings)
{
    size_t i;

    selection->last = table_end(list);
    if (selection->last > 1000000)
        fail_usage("position is too large", settings->list);
    selection->selected = allocate(selection->last + 1, 1);
    selection->starts = allocate(selection->last + 1, 1);
    selection->open_start = 0;
    selection->complement = settings->complement;
    for (i = 0; i < list->count; i++) {
        const struct range *range = &list->items[i];
        if (range->high == OPEN)
            selection->open_start = range->low;
        else
            mark_range(selection, range);
    }
    if (settings->joiner != NULL && selection->open_start != 0)
        mark_start(selection, selection->open_start);
}

static bool is_selected(const struct selection *selection, unsigned long position)
{
    bool listed = position <= selection->last && selection->selected[position];

    if (selection->open_start != 0 && position >= selection->open_start)
        listed = true;
    return listed != selection->complement;
}

static bool is_start(const struct selection *selection, unsigned long position)
{
    if (position == selection->open_start)
        return true;
    return position <= selection->last && selection->starts[position];
}

/* ---------------------------------------------------------------- lines */

static void append_byte(struct line *line, char byte)
{
    if (line->length == line->room) {
        size_t room = line->room ? 2 * line->room : 16;
        char *bytes = realloc(line->bytes, room);
        if (bytes == NULL)
            fail_memory();
        line->bytes = bytes;
        line->room = room;
    }
    line->bytes[line->length++] = byte;
}

/* Reads up to the end of the line; false when there is none any more. */
static bool read_line(struct line *line)
{
    int c = getchar();

    line->length = 0;
    if (c == EOF)
        return false;
    while (c != EOF && c != '\n') {
        append_byte(line, (char) c);
        c = getchar();
    }
    return true;
}

static void print_span(const char *bytes, size_t length)
{
    size_t i;

    for (i = 0; i < length; i++)
        putchar((unsigned char) bytes[i]);
}

/* The bytes of the character at bytes[0]: a first byte and what continues it. */
static size_t character_length(const char *bytes, size_t available)
{
    size_t length = 1;

    while (length < available && ((unsigned char) bytes[length] & 0xC0) == 0x80)
        length++;
    return length;
}

/* Bytes and characters: the same, but for how far a step goes. */
static void cut_positions(const struct line *line, const struct selection *selection,
                          const struct settings *settings)
{
    size_t at = 0;
    unsigned long position = 0;
    bool printed = false;

    while (at < line->length) {
        size_t step = 1;
        if (settings->mode == MODE_CHARACTERS)
            step = character_length(line->bytes + at, line->length - at);
        position++;
        if (is_selected(selection, position)) {
            if (printed && settings->joiner != NULL && is_start(selection, position))
                fputs(settings->joiner, stdout);
            print_span(line->bytes + at, step);
            printed = true;
        }
        at += step;
    }
    putchar('\n');
}

static void cut_fields(const struct line *line, const struct selection *selection,
                       const struct settings *settings)
{
    size_t at = 0;
    unsigned long position = 0;
    bool printed = false;

    if (line->length == 0 || memchr(line->bytes, settings->delimiter, line->length) == NULL) {
        if (!settings->only_delimited) {
            print_span(line->bytes, line->length);
            putchar('\n');
        }
        return;
    }
    while (at <= line->length) {
        size_t end = at;
        while (end < line->length && line->bytes[end] != settings->delimiter)
            end++;
        position++;
        if (is_selected(selection, position)) {
            if (printed && settings->joiner != NULL)
                fputs(settings->joiner, stdout);
            else if (printed)
                putchar((unsigned char) settings->delimiter);
            print_span(line->bytes + at, end - at);
            printed = true;
        }
        at = end + 1;
    }
    putchar('\n');
}

/* ---------------------------------------------------------------- the command line */

static void set_mode(struct settings *settings, enum mode mode, const char *list)
{
    if (settings->mode != MODE_NONE)
        fail_usage("only one list may be given", NULL);
    settings->mode = mode;
    settings->list = list;
}

static void set_delimiter(struct settings *settings, const char *text)
{
    if (text[0] == '\0' || text[1] != '\0')
        fail_usage("the delimiter must be one character", text);
    settings->delimiter = text[0];
}

static void set_option(struct settings *settings, char option, const char *value)
{
    switch (option) {
    case 'b':
        set_mode(settings, MODE_BYTES, value);
        break;
    case 'c':
        set_mode(settings, MODE_CHARACTERS, value);
        break;
    case 'f':
        set_mode(settings, MODE_FIELDS, value);
        break;
    case 'd':
        set_delimiter(settings, value);
        break;
    case 'o':
        settings->joiner = value;
        break;
    case 's':
        settings->only_delimited = true;
        break;
    case 'v':
        settings->complement = true;
        break;
    case 'h':
        print_usage(stdout);
        exit(STATUS_OK);
    default:
        fail_usage("unknown option", NULL);
    }
}

static const struct long_option {
    const char *name;
    char option;
} long_options[] = {
    { "bytes", 'b' },
    { "characters", 'c' },
    { "fields", 'f' },
    { "delimiter", 'd' },
    { "output-delimiter", 'o' },
    { "only-delimited", 's' },
    { "complement", 'v' },
    { "help", 'h' },
};

static bool takes_value(char option)
{
    return strchr("bcfdo", option) != NULL;
}

/* "--name" or "--name=value"; the value may also be the next word. Returns the words used. */
static int read_long_option(struct settings *settings, const char *text, const char *next)
{
    const char *equals = strchr(text, '=');
    size_t length = equals != NULL ? (size_t) (equals - text) : strlen(text);
    size_t i;

    for (i = 0; i < sizeof long_options / sizeof long_options[0]; i++) {
        const struct long_option *known = &long_options[i];
        if (strlen(known->name) != length || strncmp(known->name, text, length) != 0)
            continue;
        if (!takes_value(known->option)) {
            if (equals != NULL)
                fail_usage("option takes no value", text);
            set_option(settings, known->option, NULL);
            return 1;
        }
        if (equals != NULL) {
            set_option(settings, known->option, equals + 1);
            return 1;
        }
        if (next == NULL)
            fail_usage("option needs a value", text);
        set_option(settings, known->option, next);
        return 2;
    }
    fail_usage("unknown option", text);
    return 0;
}

/* "-s", "-sv", "-d:" or "-d" ":"; returns the words used. */
static int read_short_options(struct settings *settings, const char *text, const char *next)
{
    for (; *text != '\0'; text++) {
        if (!takes_value(*text)) {
            set_option(settings, *text, NULL);
            continue;
        }
        if (text[1] != '\0') {
            set_option(settings, *text, text + 1);
            return 1;
        }
        if (next == NULL)
            fail_usage("option needs a value", text);
        set_option(settings, *text, next);
        return 2;
    }
    return 1;
}

static void read_arguments(struct settings *settings, int argc, char **argv)
{
    int i = 1;

    while (i < argc) {
        const char *word = argv[i];
        if (word[0] != '-' || word[1] == '\0')
            fail_usage("not an option", word);
        if (word[1] == '-')
            i += read_long_option(settings, word + 2, argv[i + 1]);
        else
            i += read_short_options(settings, word + 1, argv[i + 1]);
    }
    if (settings->mode == MODE_NONE)
        fail_usage("give a list of bytes, characters or fields", NULL);
    if (settings->only_delimited && settings->mode != MODE_FIELDS)
        fail_usage("-s goes with -f only", NULL);
}

int main(int argc, char **argv)
{
    struct settings settings = { MODE_NONE, NULL, '\t', NULL, false, false };
    struct range_list list = { NULL, 0, 0 };
    struct selection selection;
    struct line line = { NULL, 0, 0 };

    read_arguments(&settings, argc, argv);
    read_list(&list, settings.list);
    sort_ranges(&list);
    merge_ranges(&list);
    build_selection(&selection, &list, &settings);
    while (read_line(&line)) {
        if (settings.mode == MODE_FIELDS)
            cut_fields(&line, &selection, &settings);
        else
            cut_positions(&line, &selection, &settings);
    }
    free(line.bytes);
    free(list.items);
    free(selection.selected);
    free(selection.starts);
    return STATUS_OK;
}
