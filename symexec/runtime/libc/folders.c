/* Folders as objects in memory: dirent.h, and names that are made up.
 *
 *     DIR *d = opendir("."); readdir(d)     one entry after another, of the listing as it was at first
 *
 * What is in a folder is known by models in Python (runtime/filesystem/status.py, folders.py). */

/* Effects of calls, as csg/ir/library_effects.py reads them:
 *     getcwd: writes 0 errno, returns 0, fresh
 *     opendir: reads 0.., writes errno, fresh */

typedef unsigned long size_t;

typedef struct {
    int descriptor;
    long place;
    struct dirent {
        unsigned long number;
        long next;
        unsigned short length;
        unsigned char type;
        char name[256];
    } entry;
} DIR;

extern int __csgtest_errno;
extern int open(const char *name, int flags, ...);
extern int close(int descriptor);
extern int unlink(const char *name);
extern int mkdir(const char *name, unsigned mode);
extern void *malloc(size_t n);
extern void *realloc(void *p, size_t n);
extern void free(void *p);
extern char *strdup(const char *s);
extern size_t strlen(const char *s);
extern int strcmp(const char *a, const char *b);
extern int strverscmp(const char *a, const char *b);
extern int memcmp(const void *a, const void *b, size_t n);
extern void *memcpy(void *to, const void *from, size_t n);
extern void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *));
extern void *fdopen(int descriptor, const char *mode);
extern int __csgtest_folder(int descriptor);
extern int __csgtest_list(int descriptor, long place, struct dirent *entry);
extern size_t __csgtest_current_folder(char *buffer, size_t size);
extern size_t __csgtest_real_path(const char *path, char *buffer);

enum { INVALID = 22, OUT_OF_RANGE = 34, EXISTS = 17, LONGEST = 4096 };

DIR *fdopendir(int descriptor)
{
    if (!__csgtest_folder(descriptor))
        return 0;
    DIR *folder = malloc(sizeof *folder);
    if (folder) {
        folder->descriptor = descriptor;
        folder->place = 0;
    }
    return folder;
}

DIR *opendir(const char *name)
{
    int descriptor = open(name, 02200000 | 04000); /* O_DIRECTORY, O_CLOEXEC, O_NONBLOCK */
    return descriptor < 0 ? 0 : fdopendir(descriptor);
}

struct dirent *readdir(DIR *folder)
{
    if (!__csgtest_list(folder->descriptor, folder->place, &folder->entry))
        return 0;
    folder->place++;
    return &folder->entry;
}

struct dirent *readdir64(DIR *folder) { return readdir(folder); }

int readdir_r(DIR *folder, struct dirent *entry, struct dirent **result)
{
    struct dirent *found = readdir(folder);
    *result = found ? memcpy(entry, found, sizeof *entry) : 0;
    return 0;
}

void rewinddir(DIR *folder) { folder->place = 0; }
void seekdir(DIR *folder, long place) { folder->place = place; }
long telldir(DIR *folder) { return folder->place; }
int dirfd(DIR *folder) { return folder->descriptor; }

int closedir(DIR *folder)
{
    int descriptor = folder->descriptor;
    free(folder);
    return close(descriptor);
}

int versionsort(const struct dirent **a, const struct dirent **b)
{
    return strverscmp((*a)->name, (*b)->name);
}

int alphasort(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->name, (*b)->name);
}

int alphasort64(const struct dirent **a, const struct dirent **b) { return alphasort(a, b); }
int versionsort64(const struct dirent **a, const struct dirent **b) { return versionsort(a, b); }

int scandir(const char *name, struct dirent ***list, int (*chosen)(const struct dirent *),
            int (*compare)(const struct dirent **, const struct dirent **))
{
    DIR *folder = opendir(name);
    struct dirent **found = malloc(sizeof *found), *entry;
    size_t count = 0;
    if (!folder)
        return free(found), -1;
    while ((entry = readdir(folder))) {
        if (chosen && !chosen(entry))
            continue;
        found = realloc(found, (count + 2) * sizeof *found);
        found[count++] = memcpy(malloc(sizeof *entry), entry, sizeof *entry);
    }
    closedir(folder);
    if (compare)
        qsort(found, count, sizeof *found, (int (*)(const void *, const void *)) compare);
    *list = found;
    return (int) count;
}

int scandir64(const char *name, struct dirent ***list, int (*chosen)(const struct dirent *),
              int (*compare)(const struct dirent **, const struct dirent **))
{
    return scandir(name, list, chosen, compare);
}

char *getcwd(char *buffer, size_t size)
{
    char path[LONGEST];
    if (buffer && !size) {
        __csgtest_errno = INVALID;
        return 0;
    }
    if (buffer)
        return __csgtest_current_folder(buffer, size) ? buffer : 0;
    size_t needed = __csgtest_current_folder(path, sizeof path);
    if (needed && size && needed > size) {
        __csgtest_errno = OUT_OF_RANGE;
        return 0;
    }
    return needed ? memcpy(malloc(size ? size : needed), path, needed) : 0;
}

char *get_current_dir_name(void) { return getcwd(0, 0); }

char *realpath(const char *path, char *resolved)
{
    char found[LONGEST];
    if (!path) {
        __csgtest_errno = INVALID;
        return 0;
    }
    size_t length = __csgtest_real_path(path, found);
    if (!length)
        return 0;
    return memcpy(resolved ? resolved : malloc(length + 1), found, length + 1);
}

char *canonicalize_file_name(const char *path) { return realpath(path, 0); }

/* ---------------------------------------------------------------------- names that are made up */

/* The next name after the template's prefix: natively they are random. */
static int named(char *template, int suffix, int (*make)(const char *, int), int flags)
{
    static unsigned turn;
    size_t length = strlen(template);
    char *end = template + length - suffix - 6;
    if (length < 6 + (size_t) suffix || memcmp(end, "XXXXXX", 6)) {
        __csgtest_errno = INVALID;
        return -1;
    }
    for (;;) {
        unsigned rest = turn++;
        for (int i = 5; i >= 0; i--, rest /= 26)
            end[i] = (char) ('a' + rest % 26);
        int made = make(template, flags);
        if (made >= 0 || __csgtest_errno != EXISTS)
            return made;
    }
}

static int make_file(const char *name, int flags) { return open(name, flags | 0302, 0600); }
static int make_folder(const char *name, int flags) { return (void) flags, mkdir(name, 0700); }

int mkostemps(char *template, int suffix, int flags)
{
    return named(template, suffix, make_file, flags & ~3);
}

int mkstemps(char *template, int suffix) { return mkostemps(template, suffix, 0); }
int mkostemp(char *template, int flags) { return mkostemps(template, 0, flags); }
int mkstemp(char *template) { return mkostemps(template, 0, 0); }
int mkstemp64(char *template) { return mkstemp(template); }
char *mkdtemp(char *template) { return named(template, 0, make_folder, 0) < 0 ? 0 : template; }

void *tmpfile(void)
{
    char name[] = "/tmp/tmpfXXXXXX";
    int descriptor = mkstemp(name);
    if (descriptor < 0)
        return 0;
    unlink(name);
    return fdopen(descriptor, "w+");
}

void *tmpfile64(void) { return tmpfile(); }

int mkostemp64(char *template, int flags) { return mkostemp(template, flags); }
int mkstemps64(char *template, int suffix) { return mkstemps(template, suffix); }
int mkostemps64(char *template, int suffix, int flags) { return mkostemps(template, suffix, flags); }

/* ---------------------------------------------------------------------- attributes of files */

extern int lstat(const char *path, void *to);
extern int stat(const char *path, void *to);
extern int fstat(int d, void *to);
extern int strncmp(const char *a, const char *b, size_t n);
extern void __csgtest_approximated(const char *what);

/* No file has any: -1, and errno says ENODATA or why it cannot be asked. */
static long no_attribute(int missing, const char *name)
{
    size_t n = strlen(name);
    if (!n || n > 255) {
        __csgtest_errno = OUT_OF_RANGE; /* whatever the file is */
        return -1;
    }
    if (missing)
        return -1;
    __csgtest_approximated("files have no attributes of their own");
    int known = !strncmp(name, "user.", 5) | !strncmp(name, "trusted.", 8) | !strncmp(name, "security.", 9)
                | !strcmp(name, "system.posix_acl_access") | !strcmp(name, "system.posix_acl_default");
    __csgtest_errno = known ? 61 : 95; /* ENODATA, EOPNOTSUPP */
    return -1;
}

static long no_attributes(int missing)
{
    __csgtest_approximated("files have no attributes of their own");
    return missing ? -1 : 0;
}

long getxattr(const char *path, const char *name, void *to, size_t room)
{
    char about[144];
    (void) to, (void) room;
    return no_attribute(stat(path, about), name);
}

long lgetxattr(const char *path, const char *name, void *to, size_t room)
{
    char about[144];
    (void) to, (void) room;
    return no_attribute(lstat(path, about), name);
}

long fgetxattr(int d, const char *name, void *to, size_t room)
{
    char about[144];
    (void) to, (void) room;
    return no_attribute(fstat(d, about), name);
}

long listxattr(const char *path, char *to, size_t room)
{
    char about[144];
    (void) to, (void) room;
    return no_attributes(stat(path, about));
}

long llistxattr(const char *path, char *to, size_t room)
{
    char about[144];
    (void) to, (void) room;
    return no_attributes(lstat(path, about));
}

long flistxattr(int d, char *to, size_t room)
{
    char about[144];
    (void) to, (void) room;
    return no_attributes(fstat(d, about));
}
