/* The C locale and nothing else: C17 7.11, gettext. */

typedef unsigned long size_t;

char *setlocale(int category, const char *locale)
{
    (void) category;
    if (!locale || !*locale)
        return (char *) "C";
    if (locale[0] == 'C' && !locale[1])
        return (char *) "C";
    const char *posix = "POSIX";
    while (*posix && *posix == *locale)
        posix++, locale++;
    return *posix == *locale ? (char *) "C" : 0;
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

/* Locales as objects: there is one. */
static struct lconv only_locale;

void *newlocale(int categories, const char *name, void *base)
{
    (void) categories, (void) base;
    return setlocale(0, name) ? &only_locale : (struct lconv *) 0;
}

void *duplocale(void *locale) { return locale; }
void freelocale(void *locale) { (void) locale; }
void *uselocale(void *locale) { return (void) locale, (void *) -1L; }

char *nl_langinfo(int item) { return item == 14 ? (char *) "ANSI_X3.4-1968" : (char *) ""; }
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
    (void) domain;
    return (char *) codeset;
}
