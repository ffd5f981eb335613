/* strftime, C17 7.27.3.5, in the C locale with glibc's flags and widths.
 *
 *     strftime(s, 20, "%Y-%_5m", &tm)      ->   10, s is "1970-    1" */

/* Effects of calls, as csg/ir/library_effects.py reads them:
 *     strftime: reads 2 3+ environ *environ, writes 0 errno */

typedef unsigned long size_t;

struct tm {
    int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
    long tm_gmtoff;
    const char *tm_zone;
};

extern int snprintf(char *to, size_t room, const char *format, ...);
extern char *strchr(const char *s, int c);
extern size_t strlen(const char *s);
extern long mktime(struct tm *t);
extern void tzset(void);
extern char *tzname[2];

static const char *const days[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                   "Thursday", "Friday", "Saturday"};
static const char *const months[] = {"January", "February", "March",     "April",   "May",      "June",
                                     "July",    "August",   "September", "October", "November", "December"};

static int is_leap(long year) { return ((year % 4 == 0) & (year % 100 != 0)) | (year % 400 == 0); }

/* Never negative; no decision. */
static long remainder_of(long a, long b)
{
    long r = a % b;
    return r + (b & (r >> 63));
}

struct output {
    char *to;
    size_t used, room;
};

static void put(struct output *out, char c)
{
    if (out->used < out->room && out->to)
        out->to[out->used] = c;
    out->used++;
}

/* ``pad`` 0: as the conversion has it; '-' none. ``upper``: a ^, ``other_case``: a #. */
struct form {
    char pad, upper, other_case;
    int width;
};

static void pad(struct output *out, int missing, char with)
{
    for (; missing > 0; missing--)
        put(out, with);
}

static char in_upper_case(char c) { return (char) (c - (((unsigned) c - 'a' < 26) << 5)); }
static char in_lower_case(char c) { return (char) (c + (((unsigned) c - 'A' < 26) << 5)); }

static void put_text(struct output *out, const struct form *form, const char *text, size_t most, int swap)
{
    size_t n = strlen(text);
    if (n > most)
        n = most;
    pad(out, form->width - (int) n, form->pad == '0' ? '0' : ' ');
    for (size_t i = 0; i < n; i++)
        if (swap && form->other_case)
            put(out, in_lower_case(text[i]));
        else
            put(out, form->upper || form->other_case ? in_upper_case(text[i]) : text[i]);
}

static void put_number(struct output *out, const struct form *form, long value, int digits, char blank)
{
    char text[24];
    int n = 0;
    unsigned long size = value < 0 ? -(unsigned long) value : (unsigned long) value;
    char with = form->pad == '_' || form->pad == '-' ? ' ' : form->pad == '0' ? '0' : blank;
    do
        text[n++] = (char) ('0' + size % 10);
    while (size /= 10);
    if (form->pad == '-')
        digits = 1;
    int missing = (form->width > digits ? form->width : digits) - n - (value < 0);
    if (with == ' ')
        pad(out, missing, ' ');
    if (value < 0)
        put(out, '-');
    if (with == '0')
        pad(out, missing, '0');
    while (n)
        put(out, text[--n]);
}

/* Members may be outside of their ranges: sums wrap around, quotients are rounded to zero. */
static int sum(int a, int b) { return (int) ((unsigned) a + (unsigned) b); }
static int difference(int a, int b) { return (int) ((unsigned) a - (unsigned) b); }

/* Days since Monday, of a day of the week. */
static int since_monday(const struct tm *t) { return sum(t->tm_wday, 6) % 7; }

/* ISO 8601: the days from the first week's Monday to a day of the year. The week of a year's first
 * Thursday is its first. */
static int days_from_first_week(int day, const struct tm *t)
{
    return sum(difference(day, sum(difference(day, t->tm_wday), 54 * 7 + 4) % 7), 3);
}

static int iso_week(const struct tm *t, int *year)
{
    int before = days_from_first_week(t->tm_yday, t);
    if (before < 0) {
        *year = difference(*year, 1);
        before = days_from_first_week(sum(t->tm_yday, 365 + is_leap(*year)), t);
    } else {
        int next = days_from_first_week(difference(t->tm_yday, 365 + is_leap(*year)), t);
        if (next >= 0) {
            *year = sum(*year, 1);
            before = next;
        }
    }
    return before / 7 + 1;
}

static void format_time(struct output *out, const char *format, const struct tm *t);

static void put_composed(struct output *out, const struct form *form, const char *format, const struct tm *t)
{
    struct output counted = {0, 0, 0};
    format_time(&counted, format, t);
    pad(out, form->width - (int) counted.used, form->pad == '0' ? '0' : ' ');
    size_t before = out->used;
    format_time(out, format, t);
    if (form->upper && out->to)
        for (size_t i = before; i < out->used && i < out->room; i++)
            out->to[i] = in_upper_case(out->to[i]);
}

static int put_week(struct output *out, const struct form *form, char letter, const struct tm *t)
{
    int year = sum(t->tm_year, 1900);
    switch (letter) {
    case 'U':
        return put_number(out, form, sum(difference(t->tm_yday, t->tm_wday), 7) / 7, 2, '0'), 1;
    case 'W':
        return put_number(out, form, sum(difference(t->tm_yday, since_monday(t)), 7) / 7, 2, '0'), 1;
    case 'V':
        return put_number(out, form, iso_week(t, &year), 2, '0'), 1;
    case 'G':
        iso_week(t, &year);
        return put_number(out, form, year, 1, '0'), 1;
    case 'g':
        iso_week(t, &year);
        return put_number(out, form, remainder_of(year, 100), 2, '0'), 1;
    default:
        return 0;
    }
}

/* Hours and minutes to the east of Greenwich. */
static void put_offset(struct output *out, const struct form *form, int seconds)
{
    put_text(out, form, seconds < 0 ? "-" : "+", 1, 0);
    unsigned minutes = (seconds < 0 ? -(unsigned) seconds : (unsigned) seconds) / 60;
    put_number(out, form, minutes / 60 * 100 + minutes % 60, 4, '0');
}

static const char *zone_of(const struct tm *t)
{
    const char *zone = t->tm_zone ? t->tm_zone : "";
    if (*zone || t->tm_isdst < 0)
        return zone;
    tzset();
    return t->tm_isdst > 1 ? "?" : tzname[t->tm_isdst];
}

static int put_clock(struct output *out, const struct form *form, char letter, const struct tm *t)
{
    int twelve = t->tm_hour > 12 ? t->tm_hour - 12 : t->tm_hour == 0 ? 12 : t->tm_hour;
    struct tm copy;
    struct form plain;
    char text[24];
    switch (letter) {
    case 'H':
        return put_number(out, form, t->tm_hour, 2, '0'), 1;
    case 'I':
        return put_number(out, form, twelve, 2, '0'), 1;
    case 'k':
        return put_number(out, form, t->tm_hour, 2, ' '), 1;
    case 'l':
        return put_number(out, form, twelve, 2, ' '), 1;
    case 'M':
        return put_number(out, form, t->tm_min, 2, '0'), 1;
    case 'S':
        return put_number(out, form, t->tm_sec, 2, '0'), 1;
    case 's':
        copy = *t;
        snprintf(text, sizeof text, "%ld", mktime(&copy));
        return put_text(out, form, text, sizeof text, 0), 1;
    case 'p':
        return put_text(out, form, t->tm_hour > 11 ? "PM" : "AM", 2, 1), 1;
    case 'P':
        plain = *form;
        plain.upper = plain.other_case = 0;
        return put_text(out, &plain, t->tm_hour > 11 ? "pm" : "am", 2, 0), 1;
    case 'z':
        if (t->tm_isdst >= 0)
            put_offset(out, form, (int) t->tm_gmtoff);
        return 1;
    case 'Z':
        return put_text(out, form, zone_of(t), (size_t) -1, 1), 1;
    default:
        return 0;
    }
}

static int put_date(struct output *out, const struct form *form, char letter, const struct tm *t)
{
    int year = sum(t->tm_year, 1900);
    const char *day = (unsigned) t->tm_wday < 7 ? days[t->tm_wday] : "?";
    const char *month = (unsigned) t->tm_mon < 12 ? months[t->tm_mon] : "?";
    switch (letter) {
    case 'a':
        return put_text(out, form, day, 3, 0), 1;
    case 'A':
        return put_text(out, form, day, 99, 0), 1;
    case 'b':
    case 'h':
        return put_text(out, form, month, 3, 0), 1;
    case 'B':
        return put_text(out, form, month, 99, 0), 1;
    case 'C':
        return put_number(out, form, year / 100 - (year % 100 < 0), 1, '0'), 1;
    case 'd':
        return put_number(out, form, t->tm_mday, 2, '0'), 1;
    case 'e':
        return put_number(out, form, t->tm_mday, 2, ' '), 1;
    case 'j':
        return put_number(out, form, sum(t->tm_yday, 1), 3, '0'), 1;
    case 'm':
        return put_number(out, form, sum(t->tm_mon, 1), 2, '0'), 1;
    case 'u':
        return put_number(out, form, since_monday(t) + 1, 1, '0'), 1;
    case 'w':
        return put_number(out, form, t->tm_wday, 1, '0'), 1;
    case 'y':
        return put_number(out, form, remainder_of(t->tm_year, 100), 2, '0'), 1;
    case 'Y':
        return put_number(out, form, year, 1, '0'), 1;
    default:
        return 0;
    }
}

/* What a letter stands for by itself, written or read; null when it is one thing. */
const char *__csgtest_date_composition(char letter)
{
    switch (letter) {
    case 'c':
        return "%a %b %e %H:%M:%S %Y";
    case 'D':
    case 'x':
        return "%m/%d/%y";
    case 'F':
        return "%Y-%m-%d";
    case 'r':
        return "%I:%M:%S %p";
    case 'R':
        return "%H:%M";
    case 'T':
    case 'X':
        return "%H:%M:%S";
    default:
        return 0;
    }
}

/* What has no alternative form (%Ea, %OY); the C locale's are the plain ones. */
#define NO_ERA "aAbBdDeFgGhHIjklmMSUVwW"
#define NO_OTHER_DIGITS "aAcDFxXY"

/* Behind the percent sign; what is no directive is copied. */
static const char *put_directive(struct output *out, const char *format, const struct tm *t)
{
    struct form form = {0, 0, 0, 0};
    const char *start = format;
    for (;; format++) {
        if (*format == '_' || *format == '-' || *format == '0')
            form.pad = *format;
        else if (*format == '^')
            form.upper = 1;
        else if (*format == '#')
            form.other_case = 1;
        else
            break;
    }
    for (; (unsigned) *format - '0' < 10; format++)
        form.width = form.width * 10 + (*format - '0');
    char other = *format == 'E' || *format == 'O' ? *format++ : 0, letter = *format;
    int known = !(letter && other && strchr(other == 'E' ? NO_ERA : NO_OTHER_DIGITS, letter));
    if (known && (letter == 'n' || letter == 't' || letter == '%')) {
        char text[2] = {letter == 'n' ? '\n' : letter == 't' ? '\t' : '%', 0};
        put_text(out, &form, text, 1, 0);
    } else if (known && __csgtest_date_composition(letter)) {
        put_composed(out, &form, __csgtest_date_composition(letter), t);
    } else if (!(known && letter &&
                 (put_date(out, &form, letter, t) || put_clock(out, &form, letter, t) ||
                  put_week(out, &form, letter, t)))) {
        int is_month = letter && strchr("bBh", letter);
        int upper = form.upper || (is_month && form.other_case);
        pad(out, form.width - (int) (format - start) - 1 - !!letter, form.pad == '0' ? '0' : ' ');
        put(out, '%');
        while (start < format + !!letter)
            put(out, upper ? in_upper_case(*start) : *start), start++;
    }
    return *format ? format + 1 : format;
}

static void format_time(struct output *out, const char *format, const struct tm *t)
{
    while (*format)
        if (*format == '%')
            format = put_directive(out, format + 1, t);
        else
            put(out, *format++);
}

size_t strftime(char *to, size_t room, const char *format, const struct tm *t)
{
    struct output out = {to, 0, room};
    format_time(&out, format, t);
    if (out.used >= room) {
        return 0;
    }
    if (to)
        to[out.used] = 0;
    return out.used;
}

size_t strftime_l(char *to, size_t room, const char *format, const struct tm *t, void *locale)
{
    (void) locale;
    return strftime(to, room, format, t);
}
