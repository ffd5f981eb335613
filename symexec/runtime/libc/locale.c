/* The C locale and nothing else: C17 7.11, gettext. */

/* Effects of calls, as csg/ir/library_effects.py reads them:
 *     bindtextdomain textdomain: reads 0..
 *     setlocale: reads 0.., writes errno
 *     dcgettext dgettext gettext ngettext: reads 0.., returns 0 1 */

typedef unsigned long size_t;

extern int __csgtest_errno;
extern void __csgtest_approximated(const char *what);
extern char *getenv(const char *name);
extern const unsigned short **__ctype_b_loc(void);
extern const int **__ctype_tolower_loc(void), **__ctype_toupper_loc(void);

enum { NO_SUCH_LOCALE = 2, INVALID = 22, CATEGORIES = 13, ALL = 1 << 6, EACH = 0x1fbf };

static char *fails(int number)
{
    __csgtest_errno = number;
    return 0;
}

/* Tests are replayed without these variables; a program may set one. */
static const char *of_the_environment(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LC_NUMERIC", "LC_TIME", "LC_COLLATE",
                                        "LC_MONETARY", "LC_MESSAGES", "LANG"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value && *value)
            return value;
    }
    return "C";
}

char *setlocale(int category, const char *locale)
{
    if ((unsigned) category >= CATEGORIES)
        return fails(INVALID);
    if (!locale)
        return (char *) "C";
    if (!*locale)
        locale = of_the_environment();
    if (locale[0] == 'C' && !locale[1])
        return (char *) "C";
    const char *posix = "POSIX";
    while (*posix && *posix == *locale)
        posix++, locale++;
    if (*posix == *locale)
        return (char *) "C";
    __csgtest_approximated("there is no locale but C");
    return fails(NO_SUCH_LOCALE);
}

struct lconv {
    char *decimal_point, *thousands_sep, *grouping, *int_curr_symbol, *currency_symbol;
    char *mon_decimal_point, *mon_thousands_sep, *mon_grouping, *positive_sign, *negative_sign;
    char amounts[14];
};

struct lconv *localeconv(void)
{
    static struct lconv conventions = {
        ".", "", "", "", "", "", "", "", "", "",
        {127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127},
    };
    return &conventions;
}

/* Locales as objects: there is one. Macros of ctype.h look into it. */
static struct {
    void *categories[CATEGORIES];
    const unsigned short *classes;
    const int *small, *capital;
    const char *names[CATEGORIES];
} only_locale;

void *newlocale(int categories, const char *name, void *base)
{
    (void) base;
    if ((categories & ~EACH && categories != ALL) || !name)
        return fails(INVALID);
    if (categories && !setlocale(0, name))
        return 0;
    only_locale.classes = *__ctype_b_loc();
    only_locale.small = *__ctype_tolower_loc();
    only_locale.capital = *__ctype_toupper_loc();
    for (int i = 0; i < CATEGORIES; i++)
        only_locale.names[i] = "C";
    return &only_locale;
}

void *duplocale(void *locale) { return locale; }
void freelocale(void *locale) { (void) locale; }
void *uselocale(void *locale) { return (void) locale, (void *) -1L; }

/* An item is its category and its number there. */
char *nl_langinfo(int item)
{
    static const char *const of_time[] = {
        "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sunday", "Monday", "Tuesday",
        "Wednesday", "Thursday", "Friday", "Saturday", "Jan", "Feb", "Mar", "Apr", "May", "Jun",
        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec", "January", "February", "March", "April",
        "May", "June", "July", "August", "September", "October", "November", "December", "AM",
        "PM", "%a %b %e %H:%M:%S %Y", "%m/%d/%y", "%H:%M:%S", "%I:%M:%S %p"
    };
    unsigned place = item - 0x20000;
    if (place < sizeof of_time / sizeof *of_time)
        return (char *) of_time[place];
    switch (item) {
    case 14:
        return (char *) "ANSI_X3.4-1968";
    case 0x10000:
        return (char *) ".";
    case 0x4000f:
        return (char *) "-";
    case 0x50000:
        return (char *) "^[yY]";
    case 0x50001:
        return (char *) "^[nN]";
    default:
        return (char *) "";
    }
}

size_t __ctype_get_mb_cur_max(void) { return 1; }

/* ---------------------------------------------------------------------- messages */

char *gettext(const char *text) { return (char *) text; }
char *dgettext(const char *domain, const char *text) { return (void) domain, (char *) text; }

char *dcgettext(const char *domain, const char *text, int category)
{
    (void) domain, (void) category;
    return (char *) text;
}

char *ngettext(const char *one, const char *many, unsigned long n)
{
    return (char *) (n == 1 ? one : many);
}

char *dngettext(const char *domain, const char *one, const char *many, unsigned long n)
{
    (void) domain;
    return (char *) (n == 1 ? one : many);
}

char *dcngettext(const char *domain, const char *one, const char *many, unsigned long n,
                 int category)
{
    (void) domain, (void) category;
    return (char *) (n == 1 ? one : many);
}

char *textdomain(const char *domain)
{
    static char *current = (char *) "messages";
    if (domain)
        current = *domain ? (char *) domain : (char *) "messages";
    return current;
}

char *bindtextdomain(const char *domain, const char *folder)
{
    if (!domain || !*domain)
        return 0;
    return folder ? (char *) folder : (char *) "/usr/share/locale";
}

char *bind_textdomain_codeset(const char *domain, const char *codeset)
{
    return domain && *domain ? (char *) codeset : 0;
}

char *nl_langinfo_l(int item, void *locale) { return (void) locale, nl_langinfo(item); }
