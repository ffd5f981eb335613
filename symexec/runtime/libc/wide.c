/* Wide characters in the C locale, where a byte is a character: C17 7.29.
 *
 *     mbrtowc(&c, "\xe4", 1, 0)   ->   -1, EILSEQ: glibc's C locale has ASCII alone */

/* Effects of calls, as csg/ir/library_effects.py reads them:
 *     btowc iswalnum iswalpha iswblank iswcntrl iswctype iswdigit iswgraph iswlower iswprint
 *         iswpunct iswspace iswupper iswxdigit towctrans towlower towupper wctob wcwidth: nothing
 *     mbrtowc: reads 1 3, writes 0 3 errno
 *     mbtowc: reads 1, writes 0 errno
 *     wcslen wctrans wctype: reads 0.. */

typedef unsigned long size_t;
typedef int wchar_t;
typedef unsigned wint_t;

extern int __csgtest_errno;
extern int strcmp(const char *a, const char *b);

#define NO_CHARACTER (~0U)
#define ILLEGAL ((size_t) -1)
#define INCOMPLETE ((size_t) -2)
#define ASCII(c) ((unsigned) (c) < 128)

enum { EILSEQ = 84 };

static size_t illegal(void)
{
    __csgtest_errno = EILSEQ;
    return ILLEGAL;
}

size_t mbrtowc(wchar_t *to, const char *s, size_t n, void *state)
{
    (void) state;
    if (!s)
        return 0;
    if (!n)
        return INCOMPLETE;
    unsigned char c = (unsigned char) *s;
    if (!ASCII(c))
        return illegal();
    if (to)
        *to = c;
    return c != 0;
}

int mbtowc(wchar_t *to, const char *s, size_t n)
{
    if (!s)
        return 0;
    if (!*s) /* whatever n is */
        return (int) mbrtowc(to, s, 1, 0);
    return n ? (int) mbrtowc(to, s, n, 0) : -1;
}

size_t mbrlen(const char *s, size_t n, void *state) { return mbrtowc(0, s, n, state); }
size_t __mbrlen(const char *s, size_t n, void *state) { return mbrtowc(0, s, n, state); }
int mblen(const char *s, size_t n) { return mbtowc(0, s, n); }
int mbsinit(const void *state) { return (void) state, 1; }

size_t wcrtomb(char *to, wchar_t c, void *state)
{
    (void) state;
    if (!to)
        return 1;
    if (!ASCII(c))
        return illegal();
    *to = (char) c;
    return 1;
}

int wctomb(char *to, wchar_t c) { return to ? (int) wcrtomb(to, c, 0) : 0; }


/* At most ``most`` characters of the text are looked at. */
size_t mbsnrtowcs(wchar_t *to, const char **from, size_t most, size_t room, void *state)
{
    size_t n = 0;
    (void) state;
    const char *s = *from;
    for (; n < most && (!to || n < room); s++, n++) {
        if (!ASCII((unsigned char) *s)) {
            if (to)
                *from = s;
            return illegal();
        }
        if (to)
            to[n] = *s;
        if (!*s) {
            if (to)
                *from = 0;
            return n;
        }
    }
    if (to)
        *from = s;
    return n;
}

size_t wcsnrtombs(char *to, const wchar_t **from, size_t most, size_t room, void *state)
{
    size_t n = 0;
    (void) state;
    const wchar_t *s = *from;
    for (; n < most && (!to || n < room); s++, n++) {
        if (!ASCII(*s)) {
            if (to)
                *from = s;
            return illegal();
        }
        if (to)
            to[n] = (char) *s;
        if (!*s) {
            if (to)
                *from = 0;
            return n;
        }
    }
    if (to)
        *from = s;
    return n;
}

size_t mbsrtowcs(wchar_t *to, const char **from, size_t room, void *state)
{
    return mbsnrtowcs(to, from, ILLEGAL, room, state);
}

size_t wcsrtombs(char *to, const wchar_t **from, size_t room, void *state)
{
    return wcsnrtombs(to, from, ILLEGAL, room, state);
}

size_t mbstowcs(wchar_t *to, const char *from, size_t room) { return mbsrtowcs(to, &from, room, 0); }
size_t wcstombs(char *to, const wchar_t *from, size_t room) { return wcsrtombs(to, &from, room, 0); }

size_t mbrtoc32(unsigned *to, const char *s, size_t n, void *state)
{
    return mbrtowc((wchar_t *) to, s, n, state);
}

size_t mbrtoc16(unsigned short *to, const char *s, size_t n, void *state)
{
    wchar_t c = 0;
    size_t used = mbrtowc(&c, s, n, state);
    if (s && to && used <= 1)
        *to = (unsigned short) c;
    return used;
}

size_t c32rtomb(char *to, unsigned c, void *state) { return wcrtomb(to, (wchar_t) c, state); }
size_t c16rtomb(char *to, unsigned short c, void *state) { return wcrtomb(to, c, state); }

wint_t btowc(int c) { return ASCII(c) ? (wint_t) c : NO_CHARACTER; }
int wctob(wint_t c) { return ASCII(c) ? (int) c : -1; }

size_t wcslen(const wchar_t *s)
{
    size_t n = 0;
    while (s[n])
        n++;
    return n;
}

int wcwidth(wchar_t c)
{
    if (!c)
        return 0;
    return (unsigned) c - 32 < 95 ? 1 : -1;
}

int wcswidth(const wchar_t *s, size_t n)
{
    int width = 0;
    for (size_t i = 0; i < n && s[i]; i++) {
        if (wcwidth(s[i]) < 0)
            return -1;
        width += wcwidth(s[i]);
    }
    return width;
}

#define IS_DIGIT(c) ((c) - '0' < 10)
#define IS_LETTER(c) (ASCII(c) & (((c) | 32) - 'a' < 26))
#define IS_GRAPHIC(c) ((c) - '!' < 94)

#define BIT(condition, bit) ((condition) * (bit))

int iswupper(wint_t c) { return BIT(c - 'A' < 26, 256); }
int iswlower(wint_t c) { return BIT(c - 'a' < 26, 512); }
int iswalpha(wint_t c) { return BIT(IS_LETTER(c), 1024); }
int iswdigit(wint_t c) { return IS_DIGIT(c); } /* no bit of a table */
int iswxdigit(wint_t c) { return BIT(IS_DIGIT(c) | (ASCII(c) & ((c | 32) - 'a' < 6)), 4096); }
int iswalnum(wint_t c) { return BIT(IS_LETTER(c) | IS_DIGIT(c), 8); }
int iswspace(wint_t c) { return BIT((c == ' ') | (c - '\t' < 5), 8192); }
int iswblank(wint_t c) { return BIT((c == ' ') | (c == '\t'), 1); }
int iswprint(wint_t c) { return BIT(c - ' ' < 95, 16384); }
int iswgraph(wint_t c) { return BIT(IS_GRAPHIC(c), 32768); }
int iswcntrl(wint_t c) { return BIT((c < 32) | (c == 127), 2); }
int iswpunct(wint_t c) { return BIT(IS_GRAPHIC(c) & !(IS_LETTER(c) | IS_DIGIT(c)), 4); }
wint_t towlower(wint_t c) { return c + ((c - 'A' < 26) << 5); }
wint_t towupper(wint_t c) { return c - ((c - 'a' < 26) << 5); }

/* ---------------------------------------------------------------------- classes by name */

typedef int test(wint_t);

static const struct {
    const char *name;
    test *holds;
} classes[] = {
    {"alnum", iswalnum}, {"alpha", iswalpha}, {"blank", iswblank}, {"cntrl", iswcntrl},
    {"digit", iswdigit}, {"graph", iswgraph}, {"lower", iswlower}, {"print", iswprint},
    {"punct", iswpunct}, {"space", iswspace}, {"upper", iswupper}, {"xdigit", iswxdigit},
};

unsigned long wctype(const char *name)
{
    for (unsigned long i = 0; i < sizeof classes / sizeof *classes; i++)
        if (!strcmp(classes[i].name, name))
            return i + 1;
    return 0;
}

int iswctype(wint_t c, unsigned long class)
{
    return class && classes[class - 1].holds(c);
}

const int *wctrans(const char *name)
{
    static const int mappings[2];
    if (!strcmp(name, "tolower"))
        return mappings;
    return strcmp(name, "toupper") ? 0 : mappings + 1;
}

wint_t towctrans(wint_t c, const int *mapping)
{
    if (!mapping)
        return c;
    return mapping == wctrans("tolower") ? towlower(c) : towupper(c);
}

#define IN_LOCALE(name) \
    int name##_l(wint_t c, void *locale) { return (void) locale, (int) name(c); }

IN_LOCALE(iswalnum)
IN_LOCALE(iswalpha)
IN_LOCALE(iswblank)
IN_LOCALE(iswcntrl)
IN_LOCALE(iswdigit)
IN_LOCALE(iswgraph)
IN_LOCALE(iswlower)
IN_LOCALE(iswprint)
IN_LOCALE(iswpunct)
IN_LOCALE(iswspace)
IN_LOCALE(iswupper)
IN_LOCALE(iswxdigit)
IN_LOCALE(towlower)
IN_LOCALE(towupper)
