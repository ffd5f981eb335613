/* fnmatch, POSIX: file names and the shell's patterns, in the C locale.
 *
 *     fnmatch("*.[ch]", "a.c", 0)    ->   0 */

typedef unsigned char byte;

extern int isalnum(int c), isalpha(int c), isblank(int c), iscntrl(int c), isdigit(int c);
extern int isgraph(int c), islower(int c), isprint(int c), ispunct(int c), isspace(int c);
extern int isupper(int c), isxdigit(int c);
extern void __csgtest_unsupported(const char *what);

enum { PATHNAME = 1, NO_ESCAPE = 2, PERIOD = 4, LEADING_FOLDER = 8, FOLD_CASE = 16, GROUPS = 32 };
enum { NO_MATCH = 1 };

static int folded(int c, int flags)
{
    return flags & FOLD_CASE ? c + (((unsigned) c - 'A' < 26) << 5) : c;
}

static int is_class(const char *name, int n, int c)
{
    static const struct {
        const char *name;
        int (*holds)(int);
    } classes[] = {
        {"alnum", isalnum}, {"alpha", isalpha}, {"blank", isblank}, {"cntrl", iscntrl},
        {"digit", isdigit}, {"graph", isgraph}, {"lower", islower}, {"print", isprint},
        {"punct", ispunct}, {"space", isspace}, {"upper", isupper}, {"xdigit", isxdigit},
    };
    for (unsigned i = 0; i < sizeof classes / sizeof *classes; i++) {
        int k = 0;
        while (k < n && classes[i].name[k] == name[k])
            k++;
        if (k == n && !classes[i].name[k])
            return classes[i].holds(c) != 0;
    }
    return -1;
}

/* Behind ``[:name:]``, from its name on; null: it is no class. glibc takes no z for a name's letter. */
static const char *end_of_class(const char *name)
{
    while ((unsigned) *name - 'a' < 25)
        name++;
    return name[0] == ':' && name[1] == ']' ? name + 2 : 0;
}

/* A list that does not end is none: its bracket stands for itself. */
static const char no_list[1];

/* Behind the bracket that ends a list, read from an element of it on, or no_list; null: the pattern
 * matches nothing. */
static const char *end_of_list(const char *p, int flags)
{
    while (*p != ']') {
        int c = *p++;
        if (!c)
            return no_list;
        if (c == '\\' && !(flags & NO_ESCAPE)) {
            if (!*p++)
                return 0;
        } else if (c == '[' && *p == ':') {
            const char *end = end_of_class(p + 1);
            p = end ? end : p;
        } else if (c == '[' && *p == '=') {
            if (!p[1] || p[2] != '=' || p[3] != ']')
                return 0;
            p += 4;
        } else if (c == '[' && *p == '.') {
            for (p++; p[0] != '.' || p[1] != ']'; p++)
                if (!*p)
                    return 0;
            p += 2;
        }
    }
    return p + 1;
}

/* One element of a list, at *at, which moves behind it. Is the character in it (-1: the pattern
 * matches nothing)? glibc folds no case of [:class:], [=a=] and [.a.]. */
static int in_element(const char **at, int character, int flags)
{
    const char *p = *at, *end;
    int c = folded(character, flags), is_symbol = p[0] == '[' && p[1] == '.', low, high;
    if (p[0] == '[' && p[1] == ':' && (end = end_of_class(p + 2))) {
        *at = end;
        return is_class(p + 2, (int) (end - p) - 4, character);
    }
    if (p[0] == '[' && p[1] == '=' && p[2] && p[3] == '=' && p[4] == ']') {
        *at = p + 5;
        return character == (byte) p[2];
    }
    if (is_symbol) {
        if (!p[2] || p[3] != '.' || p[4] != ']')
            return -1;
        low = (byte) p[2];
        p += 5;
    } else {
        if (*p == '\\' && !(flags & NO_ESCAPE) && !*++p)
            return -1;
        low = folded((byte) *p++, flags);
    }
    *at = p;
    if (p[0] != '-' || p[1] == ']') /* glibc: [[.a.]-] is a range without an end */
        return is_symbol ? (character == low) & (p[0] != '-') : c == low;
    if (!p[1])
        return (is_symbol ? character : c) == low ? 1 : -1;
    p++;
    if (p[0] == '[' && p[1] == '.') {
        if (!p[2] || p[3] != '.' || p[4] != ']')
            return -1;
        high = (byte) p[2];
        p += 5;
    } else {
        if (*p == '\\' && !(flags & NO_ESCAPE))
            p++;
        if (!*p)
            return -1;
        high = folded((byte) *p++, flags);
    }
    *at = p;
    return (c >= low) & (c <= high);
}

/* The end of ``[...]`` behind its bracket if the character is in it, or no_list; null: no match. One
 * decision, unless glibc reads the rest of the list otherwise behind an element that has it. */
static const char *in_list(const char *p, int character, int flags)
{
    int excluded = *p == '!' || *p == '^', found = 0;
    const char *end = 0; /* as it is read behind the elements that may have the character */
    p += excluded;
    do {
        int holds = *p ? in_element(&p, character, flags) : -2;
        const char *last = holds < 0 ? holds == -2 ? no_list : 0 : end_of_list(p, flags);
        if (holds < 0 || (end != last && found))
            return !found ? last : excluded && end != no_list ? 0 : end;
        end = last;
        found |= holds;
    } while (*p != ']');
    if (found)
        return excluded && end != no_list ? 0 : end;
    return excluded ? p + 1 : 0;
}

/* One step of the pattern against one character of the name: the pattern behind it, or null.
 * ``leading``: a period there has to be told by a period. */
static const char *step(const char *p, const char *name, int leading, int flags)
{
    int c = folded((byte) *name, flags);
    const char *end;
    switch (*p) {
    case '?':
    case '[':
        if ((*name == '/' && flags & PATHNAME) || (leading && *name == '.'))
            return 0;
        end = *p == '?' ? p + 1 : in_list(p + 1, (byte) *name, flags);
        return end != no_list ? end : c == '[' ? p + 1 : 0;
    case '\\':
        if (!(flags & NO_ESCAPE)) {
            if (!p[1])
                return 0;
            return folded((byte) p[1], flags) == c ? p + 2 : 0;
        }
        /* fall through */
    default:
        return folded((byte) *p, flags) == c ? p + 1 : 0;
    }
}

static int has_groups(const char *p)
{
    for (; *p; p++)
        if (p[1] == '(' && (*p == '?' || *p == '*' || *p == '+' || *p == '@' || *p == '!'))
            return 1;
    return 0;
}

/* Does a star stand before a slash with a backslash? In glibc these match nothing (PATHNAME). */
static int is_stuck(const char *star, int flags)
{
    while (*star == '*' || *star == '?')
        star++;
    return flags & PATHNAME && !(flags & NO_ESCAPE) && star[0] == '\\' && star[1] == '/';
}

int fnmatch(const char *pattern, const char *name, int flags)
{
    const char *p = pattern, *star = 0, *from = 0;
    int leading = flags & PERIOD;
    if (flags & GROUPS && has_groups(pattern))
        __csgtest_unsupported("fnmatch with groups, as in +(a|b)");
    for (;;) {
        if (*p == '*') {
            if ((leading && *name == '.') || is_stuck(p, flags))
                return NO_MATCH;
            star = ++p;
            from = name;
            continue;
        }
        if (!*name && !*p)
            return 0;
        if (!*p && flags & LEADING_FOLDER && *name == '/')
            return 0;
        const char *behind = *name && *p ? step(p, name, leading, flags) : 0;
        if (behind) {
            leading = *p == '/' && flags & PATHNAME ? flags & PERIOD : 0;
            p = behind;
            name++;
            continue;
        }
        /* The last star takes one character more. */
        if (!star || !*from || (*from == '/' && flags & PATHNAME))
            return NO_MATCH;
        name = ++from;
        p = star;
        leading = 0;
    }
}
