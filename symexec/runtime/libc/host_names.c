/* What a program learns of the machine and the library it runs on.
 *
 *     gnu_get_libc_version()  ->  "2.36": this machine's, where tests are replayed, too
 *     uname(&u)               ->  Linux on x86_64; the kernel's version and the host's name are made up */

typedef unsigned long size_t;

struct utsname { char system[65], node[65], release[65], version[65], machine[65], domain[65]; };

extern int __csgtest_errno;
extern void *memset(void *to, int value, size_t n);
extern void *memcpy(void *to, const void *from, size_t n);
extern char *strcpy(char *to, const char *from);
extern void __csgtest_approximated(const char *what);
extern int __csgtest_library_version(char *to, size_t room, int release);

enum { NAME_TOO_LONG = 36 };

static const char host[] = "localhost", no_domain[] = "(none)";

const char *gnu_get_libc_version(void)
{
    static char text[32];
    if (!*text)
        __csgtest_library_version(text, sizeof text, 0);
    return text;
}

const char *gnu_get_libc_release(void)
{
    static char text[32];
    if (!*text)
        __csgtest_library_version(text, sizeof text, 1);
    return text;
}

int uname(struct utsname *u)
{
    __csgtest_approximated("the name of the host and the version of its kernel are made up");
    memset(u, 0, sizeof *u);
    strcpy(u->system, "Linux");
    strcpy(u->node, host);
    strcpy(u->release, "6.1.0");
    strcpy(u->version, "#1 SMP");
    strcpy(u->machine, "x86_64");
    strcpy(u->domain, no_domain);
    return 0;
}

static int name(char *to, size_t room, const char *text, size_t n)
{
    __csgtest_approximated("the name of the host is made up");
    memcpy(to, text, room < n ? room : n);
    if (room >= n)
        return 0;
    __csgtest_errno = NAME_TOO_LONG;
    return -1;
}

int gethostname(char *to, size_t room) { return name(to, room, host, sizeof host); }

int getdomainname(char *to, size_t room)
{
    __csgtest_approximated("the name of the host is made up");
    memcpy(to, no_domain, room < sizeof no_domain ? room : sizeof no_domain);
    return 0;
}

long gethostid(void)
{
    __csgtest_approximated("the name of the host is made up");
    return 0x7f0101;
}
