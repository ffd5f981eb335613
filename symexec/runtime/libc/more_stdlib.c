/* What stdlib.h has beyond C: POSIX and glibc's additions, and system.
 *
 *     srand48(1); lrand48()     ->   89400484: the 48 bits of POSIX's generator
 *     a64l("./")                ->   64 */

/* Effects of calls, as csg/ir/library_effects.py reads them:
 *     system: reads 0.. */

typedef unsigned long size_t;
typedef unsigned long ulong;
typedef unsigned short state48[3];

extern int __csgtest_errno;
extern long strtol(const char *s, char **end, int base);
extern ulong strtoul(const char *s, char **end, int base);
extern int snprintf(char *to, size_t room, const char *format, ...);
extern int strcmp(const char *a, const char *b);
extern int strncmp(const char *a, const char *b, size_t n);
extern char *strchr(const char *s, int c);
extern size_t strlen(const char *s);
extern void *memcpy(void *to, const void *from, size_t n);
extern void __csgtest_unsupported(const char *what) __attribute__((noreturn));

long strtol_l(const char *s, char **end, int base, void *l) { return (void) l, strtol(s, end, base); }
ulong strtoul_l(const char *s, char **end, int base, void *l) { return (void) l, strtoul(s, end, base); }
long long strtoll_l(const char *s, char **end, int base, void *l) { return (void) l, strtol(s, end, base); }
unsigned long long strtoull_l(const char *s, char **end, int base, void *l)
{
    (void) l;
    return strtoul(s, end, base);
}

/* There is a shell; what it would do is not known. */
int system(const char *command)
{
    if (!command)
        return 1;
    __csgtest_unsupported("a command given to system");
}

/* ---------------------------------------------------------------------- 48 bits of chance */

static state48 shared = {0, 0, 0};
static ulong factor = 0x5deece66d;
static unsigned short summand = 11;

static ulong step(state48 x)
{
    ulong value = (x[0] | (ulong) x[1] << 16 | (ulong) x[2] << 32) * factor + summand;
    x[0] = (unsigned short) value;
    x[1] = (unsigned short) (value >> 16);
    x[2] = (unsigned short) (value >> 32);
    return value & 0xffffffffffff;
}

double erand48(state48 x) { return (double) step(x) / 281474976710656.0; }
long nrand48(state48 x) { return (long) (step(x) >> 17); }
long jrand48(state48 x) { return (int) (step(x) >> 16); }
double drand48(void) { return erand48(shared); }
long lrand48(void) { return nrand48(shared); }
long mrand48(void) { return jrand48(shared); }

void srand48(long seed)
{
    shared[0] = 0x330e;
    shared[1] = (unsigned short) seed;
    shared[2] = (unsigned short) ((unsigned) seed >> 16);
    factor = 0x5deece66d;
    summand = 11;
}

unsigned short *seed48(state48 seed)
{
    static state48 before;
    memcpy(before, shared, sizeof shared);
    memcpy(shared, seed, sizeof shared);
    factor = 0x5deece66d;
    summand = 11;
    return before;
}

void lcong48(unsigned short all[7])
{
    memcpy(shared, all, sizeof shared);
    factor = all[3] | (ulong) all[4] << 16 | (ulong) all[5] << 32;
    summand = all[6];
}

/* ---------------------------------------------------------------------- digits of base 64 */

static const char digits64[] = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

long a64l(const char *s)
{
    unsigned value = 0;
    for (int i = 0; i < 6 && s[i]; i++) {
        const char *digit = strchr(digits64, s[i]);
        if (!digit)
            break;
        value |= (unsigned) (digit - digits64) << 6 * i;
    }
    return value;
}

char *l64a(long n)
{
    static char text[7];
    unsigned value = (unsigned) n;
    int i = 0;
    if (!value)
        return (char *) "";
    for (; value; value >>= 6)
        text[i++] = digits64[value & 63];
    text[i] = 0;
    return text;
}

/* ---------------------------------------------------------------------- words */

/* ``name=value`` or ``name`` at the front of a list with commas. */
int getsubopt(char **option, char *const *tokens, char **value)
{
    char *start = *option;
    if (!*start)
        return -1;
    char *end = strchr(start, ','), *equals = start;
    if (!end)
        end = start + strlen(start);
    while (equals < end && *equals != '=')
        equals++;
    *option = *end ? end + 1 : end;
    *end = 0;
    for (int i = 0; tokens[i]; i++)
        if (!strncmp(tokens[i], start, (size_t) (equals - start)) && !tokens[i][equals - start]) {
            *value = equals < end ? equals + 1 : 0;
            return i;
        }
    *value = start;
    return -1;
}

int rpmatch(const char *answer)
{
    if ((*answer | 32) == 'y')
        return 1;
    return (*answer | 32) == 'n' ? 0 : -1;
}

int strfromd(char *to, size_t room, const char *format, double x) { return snprintf(to, room, format, x); }
int strfromf(char *to, size_t room, const char *format, float x)
{
    return snprintf(to, room, format, (double) x);
}
int strfroml(char *to, size_t room, const char *format, long double x)
{
    char longer[32];
    size_t n = strlen(format);
    memcpy(longer, format, n - 1);
    longer[n - 1] = 'L';
    longer[n] = format[n - 1];
    longer[n + 1] = 0;
    return snprintf(to, room, longer, x);
}

/* ---------------------------------------------------------------------- tables in memory */

struct chained { struct chained *next, *before; };

void insque(void *element, void *before)
{
    struct chained *e = element, *b = before;
    if (!b) {
        e->next = e->before = 0;
        return;
    }
    e->next = b->next;
    e->before = b;
    if (b->next)
        b->next->before = e;
    b->next = e;
}

void remque(void *element)
{
    struct chained *e = element;
    if (e->next)
        e->next->before = e->before;
    if (e->before)
        e->before->next = e->next;
}

/* ---------------------------------------------------------------------- names of files to come */

/* Made up by chance natively; here they count up. */
char *tmpnam_r(char *to)
{
    static unsigned count;
    if (to)
        snprintf(to, 20, "/tmp/file%06u", count++);
    return to;
}

char *tmpnam(char *to)
{
    static char own[20];
    return tmpnam_r(to ? to : own);
}
