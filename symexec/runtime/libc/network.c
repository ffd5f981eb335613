/* The network: there is none, as in replay in a sandbox with all its layers. sys/socket.h, netdb.h, syslog.h
 *
 *     socket(AF_INET, SOCK_STREAM, 0)       ->   -1, errno EPERM, an event: elsewhere there may be one
 *     getaddrinfo("example.com", ...)       ->   EAI_AGAIN: nobody answers
 *     getaddrinfo("127.0.0.1", "80", ...)   ->   0, numbers need nobody
 *     connect(0, ...)                       ->   -1, errno ENOTSOCK: no descriptor is a socket
 *     syslog(LOG_ERR, "%s", s)              nobody listens; on standard error with LOG_PERROR */

typedef unsigned long size_t;
typedef __builtin_va_list va_list;

typedef union {
    int descriptor;
    char room[216];
} FILE;

extern FILE *stderr;
extern char *__progname;
extern int __csgtest_errno;
extern int fcntl(int d, int command, ...);
extern int getpid(void);
extern int inet_aton(const char *text, unsigned *to);
extern int inet_pton(int family, const char *text, void *to);
extern int fprintf(FILE *to, const char *format, ...);
extern int vfprintf(FILE *to, const char *format, va_list rest);
extern char *strerror(int number);
extern int fputs(const char *text, FILE *to);
extern int fputc(int c, FILE *to);
extern void *malloc(size_t n);
extern void *calloc(size_t n, size_t size);
extern void free(void *p);
extern void *memcpy(void *to, const void *from, size_t n);
extern char *strcpy(char *to, const char *from);
extern int strcmp(const char *a, const char *b);
extern size_t strlen(const char *s);
extern void __csgtest_approximated(const char *what);
extern void __csgtest_unsupported(const char *what) __attribute__((noreturn));

enum { NOT_PERMITTED = 1, NO_ENTRY = 2, NO_SOCKET = 88, NOT_SUPPORTED = 95, VERSION_4 = 2, VERSION_6 = 10 };

static int fails(int number)
{
    __csgtest_errno = number;
    return -1;
}

static void no_network(void) { __csgtest_approximated("there is no network, and no socket can be made"); }

int socket(int family, int type, int protocol)
{
    (void) family, (void) type, (void) protocol;
    no_network();
    return fails(NOT_PERMITTED);
}

int socketpair(int family, int type, int protocol, int *to)
{
    (void) type, (void) protocol, (void) to;
    if (family == 1)
        __csgtest_unsupported("a pair of sockets");
    no_network();
    return fails(NOT_SUPPORTED);
}

/* -1: a descriptor that is there is no socket. */
static int not(int d) { return fcntl(d, 1) < 0 ? -1 : fails(NO_SOCKET); }

#define ON_SOCKET(type, name, ...) \
    type name(int d, __VA_ARGS__) { return not(d); }

ON_SOCKET(int, bind, const void *address, unsigned n)
ON_SOCKET(int, connect, const void *address, unsigned n)
ON_SOCKET(int, listen, int most)
ON_SOCKET(int, accept, void *address, unsigned *n)
ON_SOCKET(int, accept4, void *address, unsigned *n, int flags)
ON_SOCKET(int, shutdown, int how)
ON_SOCKET(int, getsockname, void *address, unsigned *n)
ON_SOCKET(int, getpeername, void *address, unsigned *n)
ON_SOCKET(int, getsockopt, int level, int option, void *to, unsigned *n)
ON_SOCKET(int, setsockopt, int level, int option, const void *from, unsigned n)
ON_SOCKET(long, send, const void *from, size_t n, int flags)
ON_SOCKET(long, sendto, const void *from, size_t n, int flags, const void *address, unsigned length)
ON_SOCKET(long, sendmsg, const void *message, int flags)
ON_SOCKET(long, recv, void *to, size_t n, int flags)
ON_SOCKET(long, recvfrom, void *to, size_t n, int flags, void *address, unsigned *length)
ON_SOCKET(long, recvmsg, void *message, int flags)

/* ---------------------------------------------------------------------- interfaces */

unsigned if_nametoindex(const char *name)
{
    (void) name;
    no_network();
    __csgtest_errno = NO_ENTRY;
    return 0;
}

char *if_indextoname(unsigned index, char *to)
{
    (void) index, (void) to;
    no_network();
    __csgtest_errno = NO_ENTRY;
    return 0;
}

int getifaddrs(void **to) { return (void) to, no_network(), fails(NOT_PERMITTED); }
void freeifaddrs(void *list) { free(list); }

/* ---------------------------------------------------------------------- names of hosts */

enum { TRY_AGAIN = 2, FAMILY_4_SIZE = 16, FAMILY_6_SIZE = 28 };

static int host_error;

int *__h_errno_location(void) { return &host_error; }

const char *hstrerror(int number)
{
    static const char *const texts[] = {
        "Resolver Error 0 (no error)", "Unknown host", "Host name lookup failure",
        "Unknown server error", "No address associated with name"
    };
    if (number < 0)
        return "Resolver internal error";
    return (unsigned) number < sizeof texts / sizeof *texts ? texts[number] : "Unknown resolver error";
}

void herror(const char *text)
{
    int told = text && *text;
    fprintf(stderr, "%s%s%s\n", told ? text : "", told ? ": " : "", hstrerror(host_error));
}

static int numbered(const char *name, unsigned *to)
{
    no_network();
    if (!strcmp(name, "localhost"))
        return *to = 0x0100007f, 1;
    return inet_aton(name, to);
}

struct hostent { char *name, **aliases; int family, length; char **addresses; };

struct hostent *gethostbyname(const char *name)
{
    static unsigned address;
    static char text[256], *none[1], *addresses[2];
    static struct hostent found;
    if (strlen(name) >= sizeof text || !numbered(name, &address)) {
        no_network();
        host_error = TRY_AGAIN;
        return 0;
    }
    found.name = strcpy(text, name);
    found.aliases = none;
    found.family = VERSION_4;
    found.length = 4;
    addresses[0] = (char *) &address;
    found.addresses = addresses;
    return &found;
}

struct hostent *gethostbyname2(const char *name, int family)
{
    if (family == VERSION_4)
        return gethostbyname(name);
    no_network();
    host_error = TRY_AGAIN;
    return 0;
}

struct hostent *gethostbyaddr(const void *address, unsigned n, int family)
{
    (void) address, (void) n, (void) family;
    no_network();
    host_error = TRY_AGAIN;
    return 0;
}

enum { BAD_FLAGS = -1, NO_NAME = -2, AGAIN = -3, BAD_FAMILY = -6, BAD_TYPE = -7, NO_SERVICE = -8 };
enum { PASSIVE = 1, CANONICAL = 2, NUMERIC_HOST = 4, NUMERIC_SERVICE = 0x400, STREAM = 1, DATAGRAM, RAW };

struct addrinfo {
    int flags, family, type, protocol;
    unsigned n;
    void *address;
    char *name;
    struct addrinfo *next;
};

const char *gai_strerror(int number)
{
    static const char *const texts[] = {
        0, "Bad value for ai_flags", "Name or service not known", "Temporary failure in name resolution",
        "Non-recoverable failure in name resolution", "No address associated with hostname",
        "ai_family not supported", "ai_socktype not supported", "Servname not supported for ai_socktype",
        "Address family for hostname not supported", "Memory allocation failure", "System error"
    };
    static const char *const more[] = {
        "Processing request in progress", "Request canceled", "Request not canceled", "All requests done",
        "Interrupted by a signal", "Parameter string not correctly encoded"
    };
    if (number < 0 && number > -12)
        return texts[-number];
    return number <= -100 && number > -106 ? more[-100 - number] : "Unknown error";
}

/* The numbers of a service; -1 is none, -2 a name. */
static int port_of(const char *service)
{
    unsigned long value = 0;
    if (!*service)
        return -2;
    for (; *service; service++) {
        unsigned digit = (unsigned) *service - '0';
        if (digit > 9)
            return -2;
        value = value < 1000000 ? 10 * value + digit : value;
    }
    return (int) (value & 0xffff);
}

static struct addrinfo **entries(struct addrinfo **place, int family, const void *bytes, int port,
                                 const struct addrinfo *hints, const char *name)
{
    static const int protocols[] = {0, 6, 17, 0};
    for (int type = STREAM; type <= RAW; type++) {
        if (hints->type && hints->type != type)
            continue;
        if (hints->protocol && type != RAW && hints->protocol != protocols[type])
            continue;
        unsigned n = family == VERSION_4 ? FAMILY_4_SIZE : FAMILY_6_SIZE;
        struct addrinfo *made = calloc(1, sizeof *made + n);
        if (!made)
            return place;
        unsigned char *address = (unsigned char *) (made + 1);
        made->flags = hints->flags;
        made->family = family;
        made->type = type;
        made->protocol = type == RAW ? hints->protocol : protocols[type];
        made->n = n;
        made->address = address;
        address[0] = (unsigned char) family;
        address[2] = (unsigned char) (port >> 8);
        address[3] = (unsigned char) port;
        memcpy(address + (family == VERSION_4 ? 4 : 8), bytes, family == VERSION_4 ? 4 : 16);
        if (name && hints->flags & CANONICAL) {
            made->name = malloc(strlen(name) + 1);
            strcpy(made->name, name);
            name = 0;
        }
        *place = made;
        place = &made->next;
    }
    return place;
}

int getaddrinfo(const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **to)
{
    static const struct addrinfo any = {0x28, 0, 0, 0, 0, 0, 0, 0};
    static const unsigned char everywhere[16], here[4] = {127, 0, 0, 1}, here_6[16] = {[15] = 1};
    unsigned char bytes[16];
    int port = 0;
    struct addrinfo **place = to;
    if (!hints)
        hints = &any;
    if (host && host[0] == '*' && !host[1])
        host = 0;
    if (service && service[0] == '*' && !service[1])
        service = 0;
    if (!host && !service)
        return NO_NAME;
    if (hints->flags & ~0x5ff || (hints->flags & CANONICAL && !host))
        return BAD_FLAGS;
    if (hints->family && hints->family != VERSION_4 && hints->family != VERSION_6)
        return BAD_FAMILY;
    if (hints->type < 0 || hints->type > RAW)
        return BAD_TYPE;
    if (service) {
        port = port_of(service);
        if (port < 0 && hints->flags & NUMERIC_SERVICE)
            return NO_NAME;
        if (port < 0)
            __csgtest_unsupported("the name of a service");
        if (hints->type == RAW)
            return NO_SERVICE;
    }
    if (hints->flags & (8 | 0x40 | 0x80 | 0x100) || hints->protocol)
        __csgtest_unsupported("these hints for getaddrinfo");
    no_network();
    *to = 0;
    if (!host) {
        int all = hints->flags & PASSIVE;
        if (hints->family != VERSION_4)
            place = entries(place, VERSION_6, all ? everywhere : here_6, port, hints, 0);
        if (hints->family != VERSION_6)
            entries(place, VERSION_4, all ? everywhere : here, port, hints, 0);
        return 0;
    }
    if (hints->family != VERSION_6 && inet_aton(host, (unsigned *) bytes))
        entries(place, VERSION_4, bytes, port, hints, host);
    else if (hints->family != VERSION_4 && inet_pton(VERSION_6, host, bytes) == 1)
        entries(place, VERSION_6, bytes, port, hints, host);
    else if (hints->flags & NUMERIC_HOST)
        return NO_NAME;
    else if (!strcmp(host, "localhost"))
        __csgtest_unsupported("the addresses of localhost");
    else
        return inet_aton(host, 0) || inet_pton(VERSION_6, host, bytes) == 1 ? -9 : AGAIN;
    return 0;
}

void freeaddrinfo(struct addrinfo *list)
{
    while (list) {
        struct addrinfo *next = list->next;
        free(list->name);
        free(list);
        list = next;
    }
}

/* ---------------------------------------------------------------------- the system's log */

enum { WITH_NUMBER = 1, ON_ERROR = 0x20 };

static const char *ident;
static int options, mask = 255, kind_of_sender;

void openlog(const char *name, int asked, int facility)
{
    if (name)
        ident = name;
    options = asked;
    if (facility && !(facility & ~(127 << 3)))
        kind_of_sender = facility;
}

void closelog(void) { ident = 0; }

int setlogmask(int wanted)
{
    int before = mask;
    if (wanted)
        mask = wanted;
    return before;
}

/* With what "%m" stands for. */
static char *without_error(const char *format)
{
    const char *error = strerror(__csgtest_errno);
    size_t count = 1, n = 0;
    for (const char *c = format; *c; c++)
        count += *c == '%';
    char *to = malloc(strlen(format) + count * strlen(error) + 1);
    for (; to && *format; format++) {
        if (format[0] == '%' && format[1] == 'm') {
            strcpy(to + n, error);
            n += strlen(error);
            format++;
            continue;
        }
        to[n++] = *format;
        if (format[0] == '%' && format[1] == '%')
            to[n++] = *++format;
    }
    if (to)
        to[n] = 0;
    return to;
}

/* A stream keeps numbers whole, so that nothing forks. */
void vsyslog(int priority, const char *format, va_list rest)
{
    if (!(mask >> (priority & 7) & 1))
        return;
    __csgtest_approximated("nobody reads the system's log, and what it would say is not looked at");
    char *plain = options & ON_ERROR ? without_error(format) : 0;
    if (!plain)
        return;
    size_t n = strlen(plain);
    fputs(ident ? ident : __progname, stderr);
    if (options & WITH_NUMBER)
        fprintf(stderr, "[%d]", getpid());
    fputs(": ", stderr);
    vfprintf(stderr, plain, rest);
    if (!n || plain[n - 1] != '\n')
        fputc('\n', stderr);
    free(plain);
}

void syslog(int priority, const char *format, ...)
{
    va_list rest;
    __builtin_va_start(rest, format);
    vsyslog(priority, format, rest);
    __builtin_va_end(rest);
}

void __vsyslog_chk(int priority, int flag, const char *format, va_list rest)
{
    (void) flag;
    vsyslog(priority, format, rest);
}

void __syslog_chk(int priority, int flag, const char *format, ...)
{
    va_list rest;
    (void) flag;
    __builtin_va_start(rest, format);
    vsyslog(priority, format, rest);
    __builtin_va_end(rest);
}

/* The resolver: it can be set up, and nobody answers. */
int __res_init(void) { return no_network(), 0; }
int res_init(void) { return __res_init(); }
