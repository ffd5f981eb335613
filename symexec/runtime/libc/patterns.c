/* fnmatch, POSIX: file names and the shell's patterns, in the C locale.
 *
 *     fnmatch("*.[ch]", "a.c", 0)    ->   0 */

typedef unsigned char byte;

extern int isalnum(int c), isalpha(int c), isblank(int c), iscntrl(int c), isdigit(int c);
extern int isgraph(int c), islower(int c), isprint(int c), ispunct(int c), isspace(int c);
extern int isupper(int c), isxdigit(int c);

enum { PATHNAME = 1, NO_ESCAPE = 2, PERIOD = 4, LEADING_FOLDER = 8, FOLD_CASE = 16 };
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

/* The end of ``[...]`` behind its bracket, and whether c is in it (-1: the pattern matches nothing);
 * null: no such list. */
static const char *in_list(const char *p, int c, int flags, int *found)
{
    int excluded = *p == '!' || *p == '^', first = 1, slash = 0;
    *found = 0;
    p += excluded;
    for (;; first = 0) {
        if (*p == ']' && !first)
            break;
        if (!*p)
            return 0;
        slash |= *p == '/' && flags & PATHNAME;
        if (p[0] == '[' && p[1] == ':') {
            const char *name = p + 2, *end = name;
            while ((unsigned) *end - 'a' < 26)
                end++;
            if (end[0] == ':' && end[1] == ']') {
                int holds = is_class(name, (int) (end - name), c);
                if (holds < 0)
                    return 0;
                *found |= holds;
                p = end + 2;
                continue;
            }
        }
        if (p[0] == '[' && (p[1] == '.' || p[1] == '=')) {
            if (!p[2] || p[3] != p[1] || p[4] != ']')
                return *found = -1, p;
            *found |= c == folded((byte) p[2], flags);
            p += 5;
            continue;
        }
        if (*p == '\\' && !(flags & NO_ESCAPE) && p[1])
            p++;
        int low = folded((byte) *p++, flags), high = low;
        if (p[0] == '-' && p[1] && p[1] != ']') {
            p++;
            if (*p == '\\' && !(flags & NO_ESCAPE) && p[1])
                p++;
            high = folded((byte) *p++, flags);
        }
        *found |= (c >= low) & (c <= high);
    }
    *found = slash ? -1 : *found ^ excluded;
    return p + 1;
}

/* Does a name's period have to be told by a period? */
static int is_leading(const char *name, const char *start, int flags)
{
    return *name == '.' && flags & PERIOD &&
           (name == start || (flags & PATHNAME && name[-1] == '/'));
}

/* One step of the pattern against one character of the name: the pattern behind it, or null. */
static const char *step(const char *p, const char *name, const char *start, int flags)
{
    int c = folded((byte) *name, flags), found;
    const char *end;
    switch (*p) {
    case '?':
        return (*name == '/' && flags & PATHNAME) || is_leading(name, start, flags) ? 0 : p + 1;
    case '[':
        end = in_list(p + 1, c, flags, &found);
        if (end)
            return found <= 0 || (*name == '/' && flags & PATHNAME) || is_leading(name, start, flags)
                       ? 0
                       : end;
        return c == '[' ? p + 1 : 0;
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

int fnmatch(const char *pattern, const char *name, int flags)
{
    const char *p = pattern, *start = name, *star = 0, *from = 0;
    for (;;) {
        if (*p == '*') {
            if (is_leading(name, start, flags))
                return NO_MATCH;
            star = ++p;
            from = name;
            continue;
        }
        if (!*name && !*p)
            return 0;
        if (!*p && flags & LEADING_FOLDER && *name == '/')
            return 0;
        const char *behind = *name && *p ? step(p, name, start, flags) : 0;
        if (behind) {
            p = behind;
            name++;
            continue;
        }
        /* The last star takes one character more. */
        if (!star || !*from || (*from == '/' && flags & PATHNAME))
            return NO_MATCH;
        name = ++from;
        p = star;
    }
}
