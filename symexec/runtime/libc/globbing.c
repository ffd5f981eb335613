/* glob, POSIX: the paths that match a pattern of the shell.
 *
 *     glob("src/[a-c]*.c", 0, 0, &found)    ->   0, found.pathv "src/a.c" "src/b.c"
 *
 * One folder after another is listed, for each part of the pattern between slashes. */

typedef unsigned long size_t;

typedef struct {
    size_t count;
    char **paths;
    size_t reserved;
    int flags;
    void *functions[5];
} found_paths;

struct dirent {
    unsigned long number;
    long next;
    unsigned short length;
    unsigned char type;
    char name[256];
};

extern int __csgtest_errno;
extern void __csgtest_unsupported(const char *what);
extern void *malloc(size_t n);
extern void *realloc(void *p, size_t n);
extern void free(void *p);
extern char *strdup(const char *s);
extern size_t strlen(const char *s);
extern int strcmp(const char *a, const char *b);
extern void *memcpy(void *to, const void *from, size_t n);
extern void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *));
extern int fnmatch(const char *pattern, const char *name, int flags);
extern void *opendir(const char *name);
extern struct dirent *readdir(void *folder);
extern int closedir(void *folder);
extern int access(const char *name, int how);

enum {
    STOP_ON_ERROR = 1, MARK = 2, UNSORTED = 4, RESERVE = 8, OR_PATTERN = 16, APPEND = 32,
    NO_ESCAPE = 64, LEADING_PERIOD = 128, HAD_WILDCARDS = 256, OTHER_FUNCTIONS = 512, BRACES = 1024,
    OR_PLAIN_PATTERN = 2048, TILDE = 4096, ONLY_FOLDERS = 8192, CHECKED_TILDE = 16384,
    KNOWN_FLAGS = 0x7fff & ~HAD_WILDCARDS
};
enum { ABORTED = 2, NO_MATCH = 3, INVALID = 22 };
enum { MATCH_NO_ESCAPE = 2, MATCH_PERIOD = 4 };

typedef int on_error(const char *path, int error);

static int has_wildcards(const char *part, size_t n, int flags)
{
    for (size_t i = 0; i < n; i++) {
        if (part[i] == '\\' && !(flags & NO_ESCAPE))
            i++;
        else if (part[i] == '*' || part[i] == '?' || part[i] == '[')
            return 1;
    }
    return 0;
}

static int is_folder(const char *path)
{
    void *folder = opendir(path);
    return folder ? (closedir(folder), 1) : 0;
}

/* before + part of n bytes, whose quotes are removed; room for one byte more. */
static char *joined(const char *before, const char *part, size_t n, int unquoted)
{
    size_t start = strlen(before), end = start;
    char *path = malloc(start + n + 2);
    memcpy(path, before, start);
    for (size_t i = 0; i < n; i++) {
        if (unquoted && part[i] == '\\' && i + 1 < n)
            i++;
        path[end++] = part[i];
    }
    path[end] = 0;
    return path;
}

static void add(found_paths *to, char *path)
{
    to->paths = realloc(to->paths, (to->reserved + to->count + 2) * sizeof *to->paths);
    to->paths[to->reserved + to->count++] = path;
    to->paths[to->reserved + to->count] = 0;
}

static int walk(const char *before, const char *rest, int flags, on_error *told, found_paths *to);

/* A path as far as it is known; `rest` begins with a slash, or is empty. */
static int go_on(char *path, const char *rest, int flags, on_error *told, found_paths *to)
{
    if (!*rest) {
        size_t n = strlen(path);
        if (flags & MARK && is_folder(path) && (!n || path[n - 1] != '/'))
            memcpy(path + n, "/", 2);
        add(to, path);
        return 0;
    }
    size_t slashes = 0;
    while (rest[slashes] == '/')
        slashes++;
    int result = 0;
    if (is_folder(path)) {
        char *folder = joined(path, rest, slashes, 0);
        result = walk(folder, rest + slashes, flags, told, to);
        free(folder);
    }
    free(path);
    return result;
}

/* Everything in the folder `before` (it ends with a slash, or is empty) that the pattern matches. */
static int walk(const char *before, const char *rest, int flags, on_error *told, found_paths *to)
{
    size_t n = 0;
    while (rest[n] && rest[n] != '/')
        n++;
    if (!n) { /* "a/" */
        int again = flags & MARK && !(to->flags & HAD_WILDCARDS); /* "a//" */
        add(to, joined(before, "/", again, 0));
        return 0;
    }
    if (!has_wildcards(rest, n, flags)) {
        char *path = joined(before, rest, n, !(flags & NO_ESCAPE));
        if (strlen(path) < strlen(before) + n) /* it had quotes */
            to->flags |= HAD_WILDCARDS;
        if (!access(path, 0))
            return go_on(path, rest + n, flags, told, to);
        free(path);
        return 0;
    }
    const char *place = *before ? before : ".";
    void *folder = opendir(place);
    if (!folder) {
        int stop = told ? told(place, __csgtest_errno) : 0;
        return stop || flags & STOP_ON_ERROR ? ABORTED : 0;
    }
    to->flags |= HAD_WILDCARDS;
    char *part = joined("", rest, n, 0);
    int how = flags & NO_ESCAPE ? MATCH_NO_ESCAPE : 0;
    if (!(flags & LEADING_PERIOD) || rest[n]) /* folders on the way are never hidden ones */
        how |= MATCH_PERIOD;
    int result = 0;
    for (struct dirent *entry; !result && (entry = readdir(folder));)
        if (!fnmatch(part, entry->name, how)) {
            char *path = joined(before, entry->name, strlen(entry->name), 0);
            result = go_on(path, rest + n, flags, told, to);
        }
    closedir(folder);
    free(part);
    return result;
}

static int by_name(const void *a, const void *b) { return strcmp(*(char **) a, *(char **) b); }

void globfree(found_paths *found)
{
    for (size_t i = 0; found->paths && i < found->count; i++)
        free(found->paths[found->reserved + i]);
    free(found->paths);
    found->paths = 0;
    found->count = 0;
}

int glob(const char *pattern, int flags, on_error *told, found_paths *found)
{
    size_t slashes = 0, before;
    if (flags & ~KNOWN_FLAGS) {
        __csgtest_errno = INVALID;
        return -1;
    }
    if (flags & (OTHER_FUNCTIONS | BRACES | TILDE | CHECKED_TILDE | ONLY_FOLDERS))
        __csgtest_unsupported("glob with braces, a tilde, functions of one's own or GLOB_ONLYDIR");
    int wild = has_wildcards(pattern, strlen(pattern), flags);
    if (!(flags & RESERVE))
        found->reserved = 0;
    if (!(flags & APPEND)) {
        found->count = 0;
        found->paths = malloc((found->reserved + 1) * sizeof *found->paths);
        for (size_t i = 0; i <= found->reserved; i++)
            found->paths[i] = 0;
    }
    found->flags = flags;
    before = found->count;
    while (pattern[slashes] == '/')
        slashes++;
    char *start = joined("", pattern, slashes, 0);
    int result = pattern[0] ? walk(start, pattern + slashes, flags, told, found) : 0;
    free(start);
    if (result)
        return result;
    if (found->count == before) {
        if (!(flags & OR_PATTERN) && !(flags & OR_PLAIN_PATTERN && !wild && *pattern))
            return NO_MATCH;
        add(found, strdup(pattern));
    }
    if (!(flags & UNSORTED))
        qsort(found->paths + found->reserved + before, found->count - before, sizeof *found->paths,
              by_name);
    return 0;
}

int glob64(const char *pattern, int flags, on_error *told, found_paths *found)
{
    return glob(pattern, flags, told, found);
}

void globfree64(found_paths *found) { globfree(found); }
