/* Walks of whole trees: fts.h of 4.4BSD, over opendir and stat.
 *
 *     fts_read          d, d/a, d (again, when all below it is done), NULL
 *
 * Nothing is ever entered with chdir: a file is reached by its whole path. Every file is looked at,
 * FTS_NOSTAT or not. */

typedef unsigned long size_t;
typedef struct directory DIR;

struct stat {
    unsigned long device, number, links;
    unsigned mode;
    char rest[116];
};

struct dirent {
    unsigned long number;
    long next;
    unsigned short length;
    unsigned char type;
    char name[256];
};

typedef struct entry {
    struct entry *cycle, *parent, *link;
    long user_number;
    void *user_pointer;
    char *access_path, *path;
    int error, link_descriptor;
    unsigned short path_length, name_length;
    unsigned long number, device, links;
    short level;
    unsigned short info, flags, instruction;
    struct stat *status;
    char name[1];
} FTSENT;

typedef int comparison(const void *, const void *);

typedef struct {
    FTSENT *current, *child, **array;
    unsigned long device;
    char *path;
    int root, path_length, count;
    comparison *compare;
    int options;
} FTS;

enum { COMMAND_FOLLOWS = 1, LOGICAL = 2, SEE_DOTS = 0x20, ONE_DEVICE = 0x40, ALL_OPTIONS = 0xff };
enum {
    PRE = 1, CYCLE, OTHER, UNREADABLE, DOT, POST, FAILED, REGULAR, INITIAL, NO_STATUS, UNASKED, LINK,
    DANGLING,
};
enum { AGAIN = 1, FOLLOW, NOTHING, SKIP };
enum { KIND = 0170000, FOLDER = 0040000, FILE_ = 0100000, SYMBOLIC = 0120000, INVALID = 22 };

extern int __csgtest_errno;
extern int stat(const char *path, struct stat *status);
extern int lstat(const char *path, struct stat *status);
extern DIR *opendir(const char *name);
extern struct dirent *readdir(DIR *folder);
extern int closedir(DIR *folder);
extern void *malloc(size_t n);
extern void *calloc(size_t count, size_t size);
extern void free(void *p);
extern size_t strlen(const char *s);
extern char *strrchr(const char *s, int c);
extern char *strcpy(char *to, const char *from);
extern void *memcpy(void *to, const void *from, size_t n);
extern void qsort(void *base, size_t count, size_t size, comparison *compare);

static int is_dot(const char *name)
{
    return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

static FTSENT *entry_for(const char *path, size_t path_length, const char *name, FTSENT *parent)
{
    size_t length = strlen(name);
    FTSENT *made = calloc(1, sizeof *made + length);
    made->path = made->access_path = malloc(path_length + 1);
    memcpy(made->path, path, path_length);
    made->path[path_length] = 0;
    made->path_length = (unsigned short) path_length;
    strcpy(made->name, name);
    made->name_length = (unsigned short) length;
    made->status = calloc(1, sizeof *made->status);
    made->parent = parent;
    made->level = (short) (parent ? parent->level + 1 : -1);
    made->instruction = NOTHING;
    return made;
}

static void free_entry(FTSENT *entry)
{
    free(entry->status);
    free(entry->path);
    free(entry);
}

static void free_list(FTSENT *list)
{
    while (list) {
        FTSENT *next = list->link;
        free_entry(list);
        list = next;
    }
}

/* What a file is; as fts_info tells it. */
static unsigned short looked_at(FTS *walk, FTSENT *entry, int follow)
{
    struct stat *status = entry->status;
    if ((walk->options & LOGICAL) || follow) {
        if (stat(entry->path, status)) {
            int error = __csgtest_errno;
            if (!lstat(entry->path, status)) {
                __csgtest_errno = 0;
                return DANGLING;
            }
            entry->error = error;
            return NO_STATUS;
        }
    } else if (lstat(entry->path, status)) {
        entry->error = __csgtest_errno;
        return NO_STATUS;
    }
    if ((status->mode & KIND) == FOLDER) {
        entry->device = status->device;
        entry->number = status->number;
        entry->links = status->links;
        if (is_dot(entry->name))
            return DOT;
        for (FTSENT *above = entry->parent; above->level >= 0; above = above->parent)
            if (above->number == entry->number && above->device == entry->device) {
                entry->cycle = above;
                return CYCLE;
            }
        return PRE;
    }
    if ((status->mode & KIND) == SYMBOLIC)
        return LINK;
    return (status->mode & KIND) == FILE_ ? REGULAR : OTHER;
}

static FTSENT *sorted(FTS *walk, FTSENT *list, size_t count)
{
    if (!walk->compare || count < 2)
        return list;
    FTSENT **entries = malloc(count * sizeof *entries);
    size_t place = 0;
    for (FTSENT *each = list; each; each = each->link)
        entries[place++] = each;
    qsort(entries, count, sizeof *entries, walk->compare);
    for (place = 0; place < count; place++)
        entries[place]->link = place + 1 < count ? entries[place + 1] : 0;
    list = entries[0];
    free(entries);
    return list;
}

FTS *fts_open(char *const *names, int options, comparison *compare)
{
    if (options & ~ALL_OPTIONS) {
        __csgtest_errno = INVALID;
        return 0;
    }
    FTS *walk = calloc(1, sizeof *walk);
    walk->compare = compare;
    walk->options = options;
    FTSENT *above = entry_for("", 0, "", 0), *first = 0, **last = &first;
    size_t count = 0;
    for (; *names; names++, count++) {
        FTSENT *made = entry_for(*names, strlen(*names), *names, above);
        made->info = looked_at(walk, made, options & COMMAND_FOLLOWS);
        if (made->info == DOT)
            made->info = PRE;
        *last = made;
        last = &made->link;
    }
    walk->current = entry_for("", 0, "", above);
    walk->current->info = INITIAL;
    walk->current->link = sorted(walk, first, count);
    return walk;
}

/* A root's name is what stands behind its last slash. */
static void load(FTS *walk, FTSENT *root)
{
    char *slash = strrchr(root->name, '/');
    if (slash && (slash != root->name || slash[1])) {
        char *from = slash + 1, *to = root->name;
        while ((*to++ = *from++))
            ;
        root->name_length = (unsigned short) strlen(root->name);
    }
    walk->device = root->device;
}

/* What is in a folder; 0 when nothing is, or when it cannot be read. */
static FTSENT *children(FTS *walk, FTSENT *folder)
{
    DIR *listing = opendir(folder->path);
    if (!listing) {
        folder->info = UNREADABLE;
        folder->error = __csgtest_errno;
        return 0;
    }
    FTSENT *first = 0, **last = &first;
    size_t count = 0, length = folder->path_length;
    if (length && folder->path[length - 1] == '/')
        length--;
    for (struct dirent *found; (found = readdir(listing));) {
        if (is_dot(found->name) && !(walk->options & SEE_DOTS))
            continue;
        size_t size = length + 1 + strlen(found->name);
        char *path = malloc(size + 1);
        memcpy(path, folder->path, length);
        path[length] = '/';
        strcpy(path + length + 1, found->name);
        FTSENT *made = entry_for(path, size, found->name, folder);
        free(path);
        made->info = looked_at(walk, made, 0);
        *last = made;
        last = &made->link;
        count++;
    }
    closedir(listing);
    return sorted(walk, first, count);
}

static FTSENT *next_one(FTS *walk, FTSENT *entry)
{
    for (;;) {
        FTSENT *before = entry;
        entry = before->link;
        if (!entry) {
            entry = before->parent;
            free_entry(before);
            if (entry->level < 0) {
                free_entry(entry);
                __csgtest_errno = 0;
                return walk->current = 0;
            }
            entry->info = entry->error ? FAILED : POST;
            return walk->current = entry;
        }
        free_entry(before);
        if (entry->level == 0)
            load(walk, entry);
        else if (entry->instruction == SKIP)
            continue;
        else if (entry->instruction == FOLLOW) {
            entry->info = looked_at(walk, entry, 1);
            entry->instruction = NOTHING;
        }
        return walk->current = entry;
    }
}

FTSENT *fts_read(FTS *walk)
{
    FTSENT *entry = walk->current;
    if (!entry)
        return 0;
    int instruction = entry->instruction;
    entry->instruction = NOTHING;
    if (instruction == AGAIN) {
        entry->info = looked_at(walk, entry, 0);
        return entry;
    }
    if (instruction == FOLLOW && (entry->info == LINK || entry->info == DANGLING)) {
        entry->info = looked_at(walk, entry, 1);
        return entry;
    }
    if (entry->info != PRE)
        return next_one(walk, entry);
    if (instruction == SKIP || ((walk->options & ONE_DEVICE) && entry->device != walk->device)) {
        free_list(walk->child);
        walk->child = 0;
        entry->info = POST;
        return entry;
    }
    FTSENT *below = walk->child ? walk->child : children(walk, entry);
    walk->child = 0;
    if (!below) {
        if (entry->info == PRE)
            entry->info = POST;
        return entry;
    }
    return walk->current = below;
}

/* A list of what fts_read would yield below the current folder. */
FTSENT *fts_children(FTS *walk, int names_only)
{
    FTSENT *entry = walk->current;
    (void) names_only;
    __csgtest_errno = 0;
    if (!entry)
        return 0;
    if (entry->info == INITIAL)
        return entry->link;
    if (entry->info != PRE)
        return 0;
    free_list(walk->child);
    return walk->child = children(walk, entry);
}

int fts_set(FTS *walk, FTSENT *entry, int instruction)
{
    (void) walk;
    if (instruction < 0 || instruction > SKIP) {
        __csgtest_errno = INVALID;
        return 1;
    }
    entry->instruction = (unsigned short) (instruction ? instruction : NOTHING);
    return 0;
}

int fts_close(FTS *walk)
{
    FTSENT *entry = walk->current;
    free_list(walk->child);
    while (entry) {
        FTSENT *next = entry->link ? entry->link : entry->parent;
        free_entry(entry);
        entry = next;
    }
    free(walk);
    return 0;
}

FTS *fts64_open(char *const *names, int options, comparison *compare)
{
    return fts_open(names, options, compare);
}

FTSENT *fts64_read(FTS *walk) { return fts_read(walk); }
FTSENT *fts64_children(FTS *walk, int names_only) { return fts_children(walk, names_only); }
int fts64_set(FTS *walk, FTSENT *entry, int n) { return fts_set(walk, entry, n); }
int fts64_close(FTS *walk) { return fts_close(walk); }
