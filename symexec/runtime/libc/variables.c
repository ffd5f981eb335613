/* Environment variables, C17 7.22.4.6, POSIX setenv: at the start those that tests are replayed with.
 *
 *     getenv("LC_ALL")           ->   "C"
 *     setenv("X", "1", 1)        ->   getenv("X") is "1", and environ has "X=1" */

/* Effects of calls, as csg/ir/library_effects.py reads them:
 *     getenv: reads 0, returns *environ
 *     putenv unsetenv: reads 0 environ, writes environ *environ errno
 *     setenv: reads 0 1 environ, writes environ *environ errno */

typedef unsigned long size_t;

extern int __csgtest_errno;
extern size_t strlen(const char *s);
extern int strncmp(const char *a, const char *b, size_t n);
extern char *strchr(const char *s, int c);
extern void *memcpy(void *to, const void *from, size_t n);
extern void *malloc(size_t n);

enum { INVALID = 22 };

/* As the system hands them over: whoever asks for one may write to it. */
static char locale[] = "LC_ALL=C", zone[] = "TZ=UTC", path[] = "PATH=/usr/bin:/bin",
            home[] = "HOME=/tmp/home", temporary[] = "TMPDIR=/tmp/tmp";
static char *at_start[] = {locale, zone, path, home, temporary, 0};

char **environ = at_start;

static int place_of(const char *name, size_t n)
{
    for (int i = 0; environ && environ[i]; i++)
        if (!strncmp(environ[i], name, n) && environ[i][n] == '=')
            return i;
    return -1;
}

char *getenv(const char *name)
{
    size_t n = strlen(name);
    int place = n ? place_of(name, n) : -1;
    return place >= 0 ? environ[place] + n + 1 : 0;
}

char *secure_getenv(const char *name) { return getenv(name); }
char *__secure_getenv(const char *name) { return getenv(name); }

/* Room for one more, in a list of our own. */
static void add(char *entry)
{
    size_t n = 0;
    while (environ && environ[n])
        n++;
    char **longer = malloc((n + 2) * sizeof *longer);
    for (size_t i = 0; i < n; i++)
        longer[i] = environ[i];
    longer[n] = entry;
    longer[n + 1] = 0;
    environ = longer;
}

static void put(char *entry, size_t n)
{
    int place = place_of(entry, n);
    if (place >= 0)
        environ[place] = entry;
    else
        add(entry);
}

static int is_no_name(const char *name)
{
    if (name && *name && !strchr(name, '='))
        return 0;
    __csgtest_errno = INVALID;
    return 1;
}

int unsetenv(const char *name)
{
    if (is_no_name(name))
        return -1;
    int place;
    while ((place = place_of(name, strlen(name))) >= 0)
        for (; environ[place]; place++)
            environ[place] = environ[place + 1];
    return 0;
}

int setenv(const char *name, const char *value, int replace)
{
    if (is_no_name(name))
        return -1;
    size_t n = strlen(name), size = strlen(value) + 1;
    if (!replace && place_of(name, n) >= 0)
        return 0;
    char *entry = malloc(n + 1 + size);
    memcpy(entry, name, n);
    entry[n] = '=';
    memcpy(entry + n + 1, value, size);
    put(entry, n);
    return 0;
}

int putenv(char *entry)
{
    char *equals = strchr(entry, '=');
    if (!equals)
        return unsetenv(entry), 0; /* whatever is wrong with it */
    put(entry, (size_t) (equals - entry));
    return 0;
}

int clearenv(void)
{
    environ = 0;
    return 0;
}
