/* strptime, POSIX with glibc's additions, in the C locale.
 *
 *     strptime("3 Feb 2021", "%d %b %Y", &tm)      ->   the end of the text, tm_wday is 3 */

struct tm {
    int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
    long tm_gmtoff;
    const char *tm_zone;
};

typedef unsigned long size_t;

extern int strncasecmp(const char *a, const char *b, size_t n);
extern size_t strlen(const char *s);
extern struct tm *localtime_r(const long *at, struct tm *to);
extern void __csgtest_unsupported(const char *what);

static const char *const days[] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
static const char *const months[] = {"January", "February", "March", "April", "May", "June",
                                     "July", "August", "September", "October", "November", "December"};
enum { MONTHS = 13 };
/* Days before each month and the next year; then those of a leap year, which glibc reads as the 13th
 * month and so on where a year has too few days. */
static const short before[2 * MONTHS] = {
    0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365,
    0, 31, 60, 91, 121, 152, 182, 213, 244, 274, 305, 335, 366,
};

/* What has been read; the rest follows from it at the end. */
struct known {
    int twelve, afternoon, wday, yday, mon, mday, sunday_week, monday_week, week;
    int derive, in_century, century, modified;
};

static int is_blank(char c) { return (c == ' ') | ((unsigned) c - '\t' < 5); }
static int is_digit(char c) { return (unsigned) c - '0' < 10; }
static int is_leap(int year) { return ((year % 4 == 0) & (year % 100 != 0)) | (year % 400 == 0); }

static const char *past_blanks(const char *s)
{
    while (is_blank(*s))
        s++;
    return s;
}

/* A number of so many digits; null unless it lies between two. */
static const char *number(const char *s, int low, int high, int digits, int *to)
{
    int value = 0;
    s = past_blanks(s);
    if (!is_digit(*s))
        return 0;
    do
        value = value * 10 + (*s++ - '0');
    while (--digits > 0 && value * 10 <= high && is_digit(*s));
    int outside = (value < low) | (value > high);
    *to = outside ? *to : value; /* what is no such number leaves no trace */
    return outside ? 0 : s;
}

/* One of the names, whole or its first letters. In glibc a later day may follow one: "MonTue". */
static const char *name(const char *s, const char *const *names, int count, int *to)
{
    const char *end = 0;
    for (int i = 0; i < count; i++) {
        size_t n = strlen(names[i]);
        if (strncasecmp(s, names[i], 3))
            continue;
        *to = i;
        end = s + (strncasecmp(s, names[i], n) ? 3 : n);
        if (names != days || (unsigned) (s[3] | 32) - 'a' >= 26)
            break;
        s += 3;
    }
    return end;
}

static const char *zone(const char *s, long *offset)
{
    int value = 0, n = 0, negative;
    s = past_blanks(s);
    if (*s == 'Z') {
        *offset = 0;
        return s + 1;
    }
    if (*s != '+' && *s != '-')
        return 0;
    negative = *s++ == '-';
    while (n < 4 && is_digit(*s)) {
        value = value * 10 + (*s++ - '0');
        if (++n == 2 && *s == ':' && is_digit(s[1]))
            s++;
    }
    if (n == 2)
        value *= 100;
    else if (n != 4 || value % 100 >= 60)
        return 0;
    *offset = value / 100 * 3600L + value % 100 * 60;
    if (negative)
        *offset = -*offset;
    return s;
}

static const char *seconds_since_1970(const char *s, struct tm *tm)
{
    long value = 0;
    if (!is_digit(*s))
        return 0;
    do
        value = value * 10 + (*s++ - '0');
    while (is_digit(*s));
    return localtime_r(&value, tm) ? s : 0;
}

extern const char *__csgtest_date_composition(char letter);

static const char *day_part(const char *s, char letter, struct tm *tm, struct known *known)
{
    int value;
    switch (letter) {
    case 'k':
    case 'H':
        known->twelve = 0;
        return number(s, 0, 23, 2, &tm->tm_hour);
    case 'l':
    case 'I':
        if ((s = number(s, 1, 12, 2, &value))) {
            tm->tm_hour = value % 12;
            known->twelve = 1;
        }
        return s;
    case 'M':
        return number(s, 0, 59, 2, &tm->tm_min);
    case 'S':
        return number(s, 0, 61, 2, &tm->tm_sec);
    case 'p':
        known->afternoon = 0;
        if (!strncasecmp(s, "AM", 2))
            return s + 2;
        known->afternoon = 1;
        return strncasecmp(s, "PM", 2) ? 0 : s + 2;
    case 's':
        return seconds_since_1970(s, tm);
    case 'z':
        return zone(s, &tm->tm_gmtoff);
    case 'Z':
        for (s = past_blanks(s); *s && !is_blank(*s); s++)
            ;
        return s;
    default:
        return 0;
    }
}

static const char *year_part(const char *s, char letter, char modifier, struct tm *tm,
                             struct known *known)
{
    int value = 0;
    known->derive = 1;
    switch (letter) {
    case 'b':
    case 'B':
    case 'h':
        known->mon = 1;
        return name(s, months, 12, &tm->tm_mon);
    case 'm':
        known->mon = 1;
        s = number(s, 1, 12, 2, &value);
        if (s)
            tm->tm_mon = value - 1;
        return s;
    case 'd':
    case 'e':
        known->mday = 1;
        return number(s, 1, 31, 2, &tm->tm_mday);
    case 'C':
        return number(s, 0, 99, 2, &known->century);
    case 'y':
        known->in_century |= modifier != 'O';
        s = number(s, 0, 99, 2, &value);
        if (s)
            tm->tm_year = value + (value < 69) * 100;
        return s;
    default:
        known->in_century = 0;
        s = number(s, 0, 9999, 4, &value);
        if (s)
            tm->tm_year = value - 1900;
        return s;
    }
}

static const char *week_part(const char *s, char letter, struct tm *tm, struct known *known)
{
    int value = 0;
    switch (letter) {
    case 'a':
    case 'A':
        known->wday = 1;
        return name(s, days, 7, &tm->tm_wday);
    case 'u':
    case 'w':
        known->wday = 1;
        s = number(s, letter == 'u', letter == 'u' ? 7 : 6, 1, &value);
        if (s)
            tm->tm_wday = value % 7;
        return s;
    case 'j':
        known->yday = 1;
        s = number(s, 1, 366, 3, &value);
        if (s)
            tm->tm_yday = value - 1;
        return s;
    case 'U':
        known->sunday_week = 1;
        return number(s, 0, 53, 2, &known->week);
    case 'W':
        known->monday_week = 1;
        return number(s, 0, 53, 2, &known->week);
    case 'V':
        return number(s, 0, 53, 2, &value); /* glibc takes no notice of it, nor of these */
    case 'g':
        return number(s, 0, 99, 2, &value);
    case 'G':
        if (!is_digit(*s))
            return 0;
        while (is_digit(*s))
            s++;
        return s;
    default:
        return 0;
    }
}

static int is_one_of(char c, const char *letters)
{
    while (*letters && *letters != c)
        letters++;
    return *letters != 0; /* so the end of a text is none */
}

static const char *read_all(const char *s, const char *format, struct tm *tm, struct known *known)
{
    while (s && *format) {
        char letter = *format++;
        if (is_blank(letter)) {
            s = past_blanks(s);
            continue;
        }
        if (letter != '%') {
            if (*s++ != letter)
                return 0;
            continue;
        }
        while (is_one_of(*format, "-_0^#"))
            format++; /* flags and widths say nothing */
        while (is_digit(*format))
            format++;
        letter = *format++;
        char modifier = letter == 'E' || letter == 'O' ? letter : 0;
        if (known->modified && (modifier || is_one_of(letter, "aAbBhcrxXp")))
            __csgtest_unsupported("strptime with a directive that an earlier %E or %O influences");
        if (modifier) {
            letter = *format++;
            if (!is_one_of(letter, modifier == 'E' ? "cCyYxX" : "bBhdeHImMSUVWwy"))
                return 0;
            known->modified |= !is_one_of(letter, modifier == 'E' ? "cxX" : "bBh");
            /* glibc: the year of an era, of which no locale has any here, and then that of a century */
            if (modifier == 'E' && letter == 'y' && !(s = number(s, 0, 9999, 4, &tm->tm_year)))
                return 0;
        }
        const char *parts = __csgtest_date_composition(letter);
        if (parts) {
            known->derive |= is_one_of(letter, "cDxF");
            struct tm read = *tm; /* a composition that fails half-way leaves no trace */
            if ((s = read_all(s, parts, &read, known)))
                *tm = read;
        } else if (letter == '%')
            s = *s == '%' ? s + 1 : 0;
        else if (letter == 'n' || letter == 't')
            s = past_blanks(s);
        else if (is_one_of(letter, "bBhmdeCyY"))
            s = year_part(s, letter, modifier, tm, known);
        else if (is_one_of(letter, "aAuwjUWVgG"))
            s = week_part(s, letter, tm, known);
        else
            s = day_part(s, letter, tm, known);
    }
    return s;
}

static int week_day(const struct tm *tm)
{
    int year = 1900 + tm->tm_year - (tm->tm_mon < 2);
    int day = -473 + 365 * (tm->tm_year - 70) + year / 4 - year / 4 / 25 + (year / 4 % 25 < 0) +
              year / 4 / 25 / 4 + before[tm->tm_mon] + tm->tm_mday - 1;
    return (day % 7 + 7) % 7;
}

/* Month and day of the month from the day of the year, as far as they are not known. */
static void from_day_of_year(struct tm *tm, const struct known *known)
{
    int start = is_leap(1900 + tm->tm_year) ? MONTHS : 0, next = start;
    while (next < 2 * MONTHS && before[next] <= tm->tm_yday)
        next++;
    if (next == 0 || next == 2 * MONTHS)
        __csgtest_unsupported("strptime with a day that lies in another year");
    if (!known->mon)
        tm->tm_mon = next - 1 - start;
    if (!known->mday)
        tm->tm_mday = tm->tm_yday - before[next - 1] + 1;
}

static void from_week(struct tm *tm, struct known *known)
{
    struct tm first = *tm;
    int shift = !known->sunday_week;
    first.tm_mday = 1;
    first.tm_mon = 0;
    if (!known->yday)
        tm->tm_yday = (7 - (week_day(&first) - shift)) % 7 + (known->week - 1) * 7 +
                      (tm->tm_wday - shift + 7) % 7;
    if (!known->mday || !known->mon)
        from_day_of_year(tm, known);
}

static void derive(struct tm *tm, struct known *known)
{
    if (known->twelve && known->afternoon)
        tm->tm_hour += 12;
    if (known->century != -1)
        tm->tm_year = (known->in_century ? tm->tm_year % 100 : 0) + (known->century - 19) * 100;
    if (known->derive && !known->wday) {
        if (!(known->mon && known->mday) && known->yday) {
            from_day_of_year(tm, known);
            known->mon = known->mday = 1;
        }
        if (known->mon || (unsigned) tm->tm_mon <= 11)
            tm->tm_wday = week_day(tm);
    }
    if (known->derive && !known->yday && (known->mon || (unsigned) tm->tm_mon <= 11))
        tm->tm_yday = before[is_leap(1900 + tm->tm_year) * MONTHS + tm->tm_mon] + tm->tm_mday - 1;
    if ((known->sunday_week || known->monday_week) && known->wday)
        from_week(tm, known);
}

char *strptime(const char *s, const char *format, struct tm *tm)
{
    struct known known = {.century = -1};
    s = read_all(s, format, tm, &known);
    if (s)
        derive(tm, &known);
    return (char *) s;
}

char *strptime_l(const char *s, const char *format, struct tm *tm, void *locale)
{
    (void) locale;
    return strptime(s, format, tm);
}
