/* The scanf family, C17 7.21.6.2, as glibc reads: a byte of input costs one decision.
 *
 *     sscanf("12ab", "%d%c", &n, &c)     ->   2, n is 12, c is 'a'
 *
 * The digits of a number with a point are collected and given to strtod. */

/* Effects of calls, as csg/ir/library_effects.py reads them:
 *     fscanf: reads 0 1, writes 0 2.. errno
 *     vfscanf: reads 0 1, writes 0 2+ errno
 *     scanf: reads 0 *stdin stdin, writes 1.. *stdin errno
 *     vscanf: reads 0 *stdin stdin, writes 1+ *stdin errno
 *     sscanf: reads 0 1, writes 2.. errno
 *     vsscanf: reads 0 1, writes 2+ errno */

typedef unsigned long size_t;
typedef unsigned long ulong;
typedef __builtin_va_list va_list;

typedef union {
    int descriptor;
    char room[216];
} FILE;

extern FILE *stdin;
extern int __csgtest_errno;
extern void __csgtest_unsupported(const char *what) __attribute__((noreturn));
extern int fgetc(FILE *stream);
extern int ungetc(int c, FILE *stream);
extern void *malloc(size_t n);
extern void *realloc(void *p, size_t n);
extern void free(void *p);
extern double strtod(const char *s, char **end);
extern float strtof(const char *s, char **end);
extern long double strtold(const char *s, char **end);

enum { END = -1, ILLEGAL_SEQUENCE = 84, OUT_OF_RANGE = 34, INVALID = 22, UNLIMITED = -1 };
enum outcome { MATCHED, MISMATCH, INPUT_FAILURE };

#define MOST_LONG (~0UL >> 1)

/* ---------------------------------------------------------------------- where bytes come from */

struct source {
    FILE *stream;
    const char *text; /* without a stream */
    int count, c;
    int is_wide; /* what is beyond ASCII is no character then */
};

static int next(struct source *from)
{
    if (from->stream)
        from->c = fgetc(from->stream);
    else
        from->c = *from->text ? (unsigned char) *from->text++ : END;
    if (from->c != END)
        from->count++;
    if (from->is_wide && from->c > 127)
        __csgtest_unsupported("a byte beyond ASCII scanned as a wide character");
    return from->c;
}

static void back(struct source *from)
{
    if (from->c == END)
        return;
    from->count--;
    if (from->stream)
        ungetc(from->c, from->stream);
    else
        from->text--;
}

static int is_space(int c)
{
    return (c == ' ') | ((unsigned) c - '\t' < 5);
}

static int lower(int c)
{
    return c | (((unsigned) c - 'A' < 26) << 5);
}

static void skip_space(struct source *from)
{
    while (is_space(next(from)))
        ;
    back(from);
}

/* ---------------------------------------------------------------------- a directive */

/* ``size`` is what the argument points to: 1, 2, 4, 8 bytes, 16 for a long double. */
struct directive {
    int suppressed, allocates, position, width, size, is_long;
    char letter;
    const char *set, *set_end;
};

static const char *read_set(struct directive *d, const char *format)
{
    d->set = format;
    if (*format == '^')
        format++;
    if (*format == ']')
        format++;
    while (*format && *format != ']')
        format++;
    d->set_end = format;
    return *format ? format + 1 : format;
}

static int number_in(const char **format)
{
    int n = 0;
    while ((unsigned) **format - '0' < 10)
        n = n * 10 + (*(*format)++ - '0');
    return n;
}

static int size_of(char first, int twice)
{
    switch (first) {
    case 'h':
        return twice ? 1 : 2;
    case 'L':
        return 16;
    default:
        return 8;
    }
}

static const char *read_directive(struct directive *d, const char *format)
{
    struct directive empty = {0};
    *d = empty;
    d->width = UNLIMITED;
    d->size = 4;
    const char *digits = format;
    int n = number_in(&format);
    if (n && *format == '$') {
        d->position = n;
        format++;
    } else {
        format = digits;
    }
    for (; *format == '*' || *format == '\'' || *format == 'I'; format++)
        d->suppressed |= *format == '*';
    n = number_in(&format);
    if (n)
        d->width = n;
    if (*format == 'm') {
        d->allocates = 1;
        format++;
    }
    if (*format == 'h' || *format == 'l' || *format == 'L' || *format == 'q' || *format == 'j' ||
        *format == 'z' || *format == 't') {
        char first = *format++;
        int twice = *format == first && (first == 'h' || first == 'l');
        d->size = size_of(first, twice);
        d->is_long = first == 'l';
        format += twice;
        if (twice && first == 'l')
            d->size = 16;
    }
    d->letter = *format ? *format++ : 0;
    if (d->letter == 'C' || d->letter == 'S') {
        d->letter = (char) lower(d->letter);
        d->is_long = 1;
    }
    return d->letter == '[' ? read_set(d, format) : format;
}

static void *argument(const struct directive *d, va_list all, va_list rest)
{
    if (d->suppressed)
        return 0;
    if (!d->position)
        return __builtin_va_arg(rest, void *);
    va_list copy;
    __builtin_va_copy(copy, all);
    void *found = 0;
    for (int i = 0; i < d->position; i++)
        found = __builtin_va_arg(copy, void *);
    return found;
}

static void store(void *to, int size, ulong value)
{
    switch (size) {
    case 1:
        *(unsigned char *) to = (unsigned char) value;
        break;
    case 2:
        *(unsigned short *) to = (unsigned short) value;
        break;
    case 4:
        *(unsigned *) to = (unsigned) value;
        break;
    default:
        *(ulong *) to = value;
    }
}

/* ---------------------------------------------------------------------- whole numbers */

struct digits {
    ulong size; /* without its sign */
    int count, negative, overflow;
};

static void add_digit(struct digits *n, unsigned digit, unsigned base)
{
    int safe = base <= 8 ? 20 : base == 10 ? 18 : 15; /* as many never reach 2^63 */
    if (++n->count > safe && n->size > (~0UL - digit) / base)
        n->overflow = 1;
    n->size = n->size * base + digit;
}

/* What a digit or letter counts, something large for any other byte; no decision. */
static unsigned digit_value(int c)
{
    unsigned digit = (unsigned) c - '0', letter = ((unsigned) c | 32) - 'a';
    return (-(unsigned) (digit < 10) & digit) | (-(unsigned) (letter < 6) & (letter + 10)) |
           (-(unsigned) !((digit < 10) | (letter < 6)) & 99);
}

static ulong value_of(const struct digits *n, int is_signed)
{
    int safe = n->count <= 15;
    if (is_signed && !safe && (n->overflow || n->size > MOST_LONG + n->negative)) {
        __csgtest_errno = OUT_OF_RANGE;
        return MOST_LONG + n->negative;
    }
    if (!safe && n->overflow) {
        __csgtest_errno = OUT_OF_RANGE;
        return ~0UL;
    }
    return n->negative ? -n->size : n->size;
}

/* ``(nil)`` is a pointer, too. Its first byte has been read. */
static int is_nil(struct source *from, int width)
{
    const char *rest = "nil)";
    if (from->c != '(' || (width != UNLIMITED && width < 5))
        return 0;
    for (; *rest; rest++)
        if (lower(next(from)) != *rest)
            return 0;
    next(from);
    return 1;
}

static enum outcome read_integer(struct source *from, const struct directive *d, void *to)
{
    struct digits n = {0, 0, 0, 0};
    unsigned base = d->letter == 'i' ? 0 : d->letter == 'o' ? 8 : 10;
    int left = d->width;
    if (d->letter == 'x' || d->letter == 'X' || d->letter == 'p')
        base = 16;
    if (next(from) == END)
        return INPUT_FAILURE;
    if (from->c == '-' || from->c == '+') {
        n.negative = from->c == '-';
        left -= left > 0;
        next(from);
    }
    if (left && from->c == '0') {
        left -= left > 0;
        n.count = 1;
        next(from);
        if (left && (base == 0 || base == 16) && (from->c | 32) == 'x') {
            base = 16;
            left -= left > 0;
            next(from);
        } else if (base == 0) {
            base = 8;
        }
    }
    if (base == 0)
        base = 10;
    while (left) {
        unsigned digit = base <= 10 ? (unsigned) from->c - '0' : digit_value(from->c);
        if (digit >= base)
            break;
        add_digit(&n, digit, base);
        left -= left > 0;
        next(from);
    }
    if (!n.count && !(d->letter == 'p' && left == d->width && is_nil(from, d->width))) {
        back(from);
        return MISMATCH;
    }
    back(from);
    ulong value = value_of(&n, d->letter == 'd' || d->letter == 'i');
    if (to)
        store(to, d->letter == 'p' ? 8 : d->size, value);
    return MATCHED;
}

/* ---------------------------------------------------------------------- numbers with a point */

struct text {
    char *start;
    size_t used, room;
};

static void add(struct text *text, int c)
{
    if (text->used == text->room) {
        text->room = text->room ? 2 * text->room : 32;
        text->start = realloc(text->start, text->room);
    }
    text->start[text->used++] = (char) c;
}

struct reading {
    struct source *from;
    struct text *text;
    int left;
};

/* The next byte while the width lasts: END behind it. */
static int advance(struct reading *r)
{
    if (!r->left)
        return END;
    r->left -= r->left > 0;
    return next(r->from);
}

/* The rest of a name, of which a byte has been taken, in small and capital letters. */
static int follows(struct reading *r, const char *name)
{
    for (; *name; name++) {
        int c = advance(r);
        if (c == END || lower(c) != *name)
            return 0;
        add(r->text, c);
    }
    return 1;
}

static int read_infinity(struct reading *r)
{
    if (!follows(r, "nf"))
        return 0;
    int c = advance(r);
    if (c == END)
        return 1;
    if (lower(c) != 'i') {
        back(r->from);
        return 1;
    }
    add(r->text, c);
    return follows(r, "nity");
}

static int read_fraction(struct reading *r, int c, size_t sign)
{
    int has_digit = 0, has_point = 0, has_exponent = 0, hexadecimal = 0;
    if (c == '0') {
        add(r->text, c);
        has_digit = 1;
        c = advance(r);
        if (c != END && lower(c) == 'x') {
            add(r->text, c);
            hexadecimal = 1;
            has_digit = 0;
            c = advance(r);
        }
    }
    int mark = hexadecimal ? 'p' : 'e';
    for (; c != END; c = advance(r)) {
        if ((unsigned) c - '0' < 10 || (hexadecimal && !has_exponent && digit_value(c) < 16)) {
            has_digit = 1;
            add(r->text, c);
        } else if (has_exponent && r->text->start[r->text->used - 1] == mark &&
                   (c == '-' || c == '+')) {
            add(r->text, c);
        } else if (has_digit && !has_exponent && lower(c) == mark) {
            add(r->text, mark);
            has_exponent = has_point = 1;
        } else if (!has_point && c == '.') {
            add(r->text, c);
            has_point = 1;
        } else {
            back(r->from);
            break;
        }
    }
    return r->text->used != sign && !(hexadecimal && r->text->used == sign + 2);
}

static int read_float_text(struct reading *r)
{
    size_t sign = 0;
    int c = r->from->c;
    if (c == '-' || c == '+') {
        add(r->text, c);
        sign = 1;
        c = advance(r);
        if (c == END)
            return 0;
    }
    if (lower(c) == 'n') {
        add(r->text, c);
        return follows(r, "an");
    }
    if (lower(c) == 'i') {
        add(r->text, c);
        return read_infinity(r);
    }
    return read_fraction(r, c, sign);
}

static enum outcome read_float(struct source *from, const struct directive *d, void *to)
{
    struct text text = {0, 0, 0};
    struct reading r = {from, &text, d->width};
    if (advance(&r) == END)
        return INPUT_FAILURE;
    int found = read_float_text(&r);
    if (found) {
        char *end;
        add(&text, 0);
        if (d->size == 16) {
            long double value = strtold(text.start, &end);
            if (to && end != text.start)
                *(long double *) to = value;
        } else if (d->size == 8) {
            double value = strtod(text.start, &end);
            if (to && end != text.start)
                *(double *) to = value;
        } else {
            float value = strtof(text.start, &end);
            if (to && end != text.start)
                *(float *) to = value;
        }
        found = end != text.start;
    }
    free(text.start);
    return found ? MATCHED : MISMATCH;
}

/* ---------------------------------------------------------------------- characters */

/* Where characters go: nowhere, to the argument, or into memory that grows with them. */
struct target {
    char *to;
    struct text grown;
    int wide, allocates;
};

static int put(struct target *target, int c)
{
    int size = target->wide ? 4 : 1;
    if (target->wide && c >= 128) {
        __csgtest_errno = ILLEGAL_SEQUENCE;
        return 0;
    }
    if (target->allocates) {
        add(&target->grown, c);
        for (int i = 1; i < size; i++)
            add(&target->grown, 0);
    } else if (target->to) {
        if (target->wide)
            *(int *) target->to = c;
        else
            *target->to = (char) c;
        target->to += size;
    }
    return 1;
}

static enum outcome finish(struct target *target, void *to, enum outcome outcome)
{
    if (!target->allocates)
        return outcome;
    if (outcome == MATCHED)
        *(char **) to = target->grown.start;
    else
        free(target->grown.start);
    return outcome;
}

/* Is a byte one of the set between the brackets? One condition. */
static int is_in_set(const struct directive *d, int c)
{
    const unsigned char *set = (const unsigned char *) d->set;
    int excluded = *set == '^', found = 0;
    long n = d->set_end - d->set, i = excluded;
    if (i < n && (set[i] == ']' || set[i] == '-'))
        found = c == set[i++];
    for (; i < n; i++) {
        if (set[i] == '-' && i + 1 < n && i > excluded && set[i - 1] <= set[i + 1])
            found |= (c >= set[i - 1]) & (c < set[i + 1]);
        else
            found |= c == set[i];
    }
    return found ^ excluded;
}

static int belongs(const struct directive *d, int c)
{
    return d->letter == 'c' || (d->letter == 's' ? !is_space(c) : is_in_set(d, c));
}

static enum outcome read_characters(struct source *from, const struct directive *d, void *to)
{
    struct target target = {d->allocates ? 0 : to, {0, 0, 0}, d->is_long, d->allocates && to};
    int left = d->letter == 'c' && d->width == UNLIMITED ? 1 : d->width, count = 0;
    if (next(from) == END)
        return INPUT_FAILURE;
    while (from->c != END && belongs(d, from->c)) {
        if (!put(&target, from->c))
            return finish(&target, to, MISMATCH);
        count++;
        if (left > 0 && !--left)
            break;
        next(from);
    }
    if (left)
        back(from);
    if (!count)
        return finish(&target, to, MISMATCH);
    if (d->letter != 'c')
        put(&target, 0);
    return finish(&target, to, MATCHED);
}

/* ---------------------------------------------------------------------- a whole format */

static enum outcome convert(struct source *from, const struct directive *d, void *to)
{
    switch (d->letter) {
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X':
    case 'p':
        return read_integer(from, d, to);
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
        return read_float(from, d, to);
    case 'c':
    case 's':
        return read_characters(from, d, to);
    case '[':
        return *d->set_end ? read_characters(from, d, to) : MISMATCH;
    default:
        return MISMATCH;
    }
}

static enum outcome match(struct source *from, char wanted)
{
    if (next(from) == END)
        return INPUT_FAILURE;
    if (from->c == (unsigned char) wanted)
        return MATCHED;
    back(from);
    return MISMATCH;
}

static int scan(struct source *from, const char *format, va_list all)
{
    va_list rest;
    int done = 0;
    __builtin_va_copy(rest, all);
    while (*format) {
        enum outcome outcome = MATCHED;
        if (is_space(*format)) {
            skip_space(from);
            format++;
        } else if (*format != '%') {
            outcome = match(from, *format++);
        } else {
            struct directive d;
            format = read_directive(&d, format + 1);
            if (d.letter != 'c' && d.letter != '[' && d.letter != 'n')
                skip_space(from);
            if (d.letter == '%') {
                outcome = match(from, '%');
            } else if (d.letter == 'n') {
                void *to = argument(&d, all, rest);
                if (to)
                    store(to, d.size, (ulong) from->count);
            } else {
                void *to = argument(&d, all, rest);
                outcome = convert(from, &d, to);
                done += outcome == MATCHED && !d.suppressed;
            }
        }
        if (outcome == MISMATCH)
            return done;
        if (outcome == INPUT_FAILURE)
            return done ? done : END;
    }
    return done;
}

int __csgtest_scan_wide(FILE *stream, const char *format, va_list rest)
{
    struct source from = {stream, 0, 0, 0, 1};
    return scan(&from, format, rest);
}

int vfscanf(FILE *stream, const char *format, va_list rest)
{
    struct source from = {stream, 0, 0, 0, 0};
    return scan(&from, format, rest);
}

int vsscanf(const char *text, const char *format, va_list rest)
{
    struct source from = {0, text, 0, 0, 0};
    return scan(&from, format, rest);
}

int vscanf(const char *format, va_list rest) { return vfscanf(stdin, format, rest); }

#define FROM_STREAM(name)                                   \
    int name(FILE *stream, const char *format, ...)         \
    {                                                       \
        va_list rest;                                       \
        __builtin_va_start(rest, format);                   \
        int done = vfscanf(stream, format, rest);           \
        __builtin_va_end(rest);                             \
        return done;                                        \
    }

#define FROM_TEXT(name)                                     \
    int name(const char *text, const char *format, ...)     \
    {                                                       \
        va_list rest;                                       \
        __builtin_va_start(rest, format);                   \
        int done = vsscanf(text, format, rest);             \
        __builtin_va_end(rest);                             \
        return done;                                        \
    }

#define FROM_INPUT(name)                                    \
    int name(const char *format, ...)                       \
    {                                                       \
        va_list rest;                                       \
        __builtin_va_start(rest, format);                   \
        int done = vfscanf(stdin, format, rest);            \
        __builtin_va_end(rest);                             \
        return done;                                        \
    }

FROM_STREAM(fscanf)
FROM_STREAM(__isoc99_fscanf)
FROM_STREAM(__isoc23_fscanf)
FROM_TEXT(sscanf)
FROM_TEXT(__isoc99_sscanf)
FROM_TEXT(__isoc23_sscanf)
FROM_INPUT(scanf)
FROM_INPUT(__isoc99_scanf)
FROM_INPUT(__isoc23_scanf)

int __isoc99_vfscanf(FILE *s, const char *format, va_list rest) { return vfscanf(s, format, rest); }
int __isoc99_vsscanf(const char *s, const char *f, va_list rest) { return vsscanf(s, f, rest); }
int __isoc99_vscanf(const char *format, va_list rest) { return vfscanf(stdin, format, rest); }
