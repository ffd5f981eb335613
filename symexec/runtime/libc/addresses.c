/* Addresses of the Internet as text and as bytes: arpa/inet.h.
 *
 *     inet_addr("127.1")                    ->   0x0100007f
 *     inet_ntop(AF_INET6, in, to, 46)       ->   "fe80::1" */

typedef unsigned long size_t;

extern int __csgtest_errno;
extern int sprintf(char *to, const char *format, ...);
extern unsigned long strtoul(const char *s, char **end, int base);
extern size_t strlen(const char *s);
extern void *memcpy(void *to, const void *from, size_t n);
extern void *memset(void *to, int value, size_t n);

enum { VERSION_4 = 2, VERSION_6 = 10, NO_SUCH_FAMILY = 97, NO_ROOM = 28 };

struct address { unsigned number; };

static unsigned turned(unsigned n)
{
    return n >> 24 | (n >> 8 & 0xff00) | (n << 8 & 0xff0000) | n << 24;
}

static int digit_of(int c)
{
    unsigned decimal = (unsigned) c - '0', letter = ((unsigned) c | 32) - 'a';
    return decimal < 10 ? (int) decimal : letter < 6 ? (int) letter + 10 : 99;
}

static int is_space(int c) { return (c == ' ') | ((unsigned) c - 9 < 5); }

/* Where the number of a part ends, octal and hexadecimal by their beginning; null without one. */
static const char *part(const char *s, unsigned long *value)
{
    int before = __csgtest_errno;
    char *end = 0;
    if ((unsigned) *s - '0' > 9)
        return 0;
    *value = strtoul(s, &end, 0);
    __csgtest_errno = before;
    return *value >> 32 ? 0 : end;
}

int inet_aton(const char *text, struct address *to)
{
    unsigned long value, all = 0;
    for (int i = 0;; i++) {
        const char *end = part(text, &value);
        if (!end)
            return 0;
        text = end;
        if (*text != '.') {
            if (*text && !is_space(*text))
                return 0;
            if (value > 0xffffffffUL >> 8 * i)
                return 0;
            all |= value;
            break;
        }
        if (i == 3 || value > 255)
            return 0;
        all |= value << (24 - 8 * i);
        text++;
    }
    if (to)
        to->number = turned((unsigned) all);
    return 1;
}

unsigned inet_addr(const char *text)
{
    struct address found;
    return inet_aton(text, &found) ? found.number : ~0u;
}

/* Its parts are bytes of the number, the last one lowest. */
unsigned inet_network(const char *text)
{
    unsigned parts[4], n = 0, value, result = 0;
    for (;;) {
        int base = 10, any = 0, digit;
        value = 0;
        if (*text == '0')
            base = 8, any = 1, text++;
        if ((*text | 32) == 'x')
            base = 16, any = 0, text++;
        for (; (digit = digit_of(*text)) < 16; text++, any = 1) {
            if (digit >= base) {
                if (base != 16 && digit > 9)
                    break;
                if (base == 8)
                    return ~0u;
                break;
            }
            value = value * (unsigned) base + (unsigned) digit;
            if (value > 255)
                return ~0u;
        }
        if (!any || n == 4)
            return ~0u;
        parts[n++] = value;
        if (*text != '.')
            break;
        text++;
    }
    while (is_space(*text))
        text++;
    if (*text)
        return ~0u;
    for (unsigned i = 0; i < n; i++)
        result = result << 8 | parts[i];
    return result;
}

static unsigned network_bits(unsigned number)
{
    return number < 0x80000000 ? 24 : number < 0xc0000000 ? 16 : 8;
}

struct address inet_makeaddr(unsigned network, unsigned host)
{
    struct address made;
    if (network < 128)
        made.number = network << 24 | (host & 0xffffff);
    else if (network < 65536)
        made.number = network << 16 | (host & 0xffff);
    else if (network < 16777216)
        made.number = network << 8 | (host & 0xff);
    else
        made.number = network | host;
    made.number = turned(made.number);
    return made;
}

unsigned inet_lnaof(struct address in)
{
    unsigned number = turned(in.number);
    return number & ((1u << network_bits(number)) - 1);
}

unsigned inet_netof(struct address in)
{
    unsigned number = turned(in.number);
    return number >> network_bits(number);
}

static char *text_of(const unsigned char *in, char *to)
{
    sprintf(to, "%d.%d.%d.%d", in[0], in[1], in[2], in[3]);
    return to;
}

char *inet_ntoa(struct address in)
{
    static char text[16];
    return text_of((const unsigned char *) &in, text);
}

/* ---------------------------------------------------------------------- both versions */

/* Of the longest runs of zeros the first is "::"; what ends in an old address may show it. */
static void text_of_long(const unsigned char *in, char *to)
{
    unsigned words[8];
    int best = -1, longest = 1;
    for (int i = 0; i < 8; i++)
        words[i] = (unsigned) in[2 * i] << 8 | in[2 * i + 1];
    for (int i = 0, n; i < 8; i += n + 1) {
        for (n = 0; i + n < 8 && !words[i + n]; n++)
            ;
        if (n > longest)
            best = i, longest = n;
    }
    for (int i = 0; i < 8; i++) {
        if (i == best) {
            *to++ = ':';
            i += longest - 1;
            if (i == 7)
                *to++ = ':';
            continue;
        }
        if (i)
            *to++ = ':';
        if (i == 6 && best == 0
            && (longest == 6 || (longest == 5 && words[5] == 0xffff))) {
            to += strlen(text_of(in + 12, to));
            break;
        }
        to += sprintf(to, "%x", words[i]);
    }
    *to = 0;
}

const char *inet_ntop(int family, const void *from, char *to, unsigned room)
{
    char text[48];
    if (family != VERSION_4 && family != VERSION_6) {
        __csgtest_errno = NO_SUCH_FAMILY;
        return 0;
    }
    if (family == VERSION_4)
        text_of(from, text);
    else
        text_of_long(from, text);
    size_t n = strlen(text) + 1;
    if (n > room) {
        __csgtest_errno = NO_ROOM;
        return 0;
    }
    return memcpy(to, text, n);
}

/* Four decimal numbers; the first that is none, or begins with 0 and is longer, ends it. */
static int from_text(const char *text, unsigned char *to)
{
    unsigned char found[4];
    for (int i = 0; i < 4; i++) {
        unsigned value = 0, digit;
        int n = 0;
        for (; (digit = (unsigned) *text - '0') < 10; text++, n++) {
            if (n && !value)
                return 0;
            value = 10 * value + digit;
            if (value > 255)
                return 0;
        }
        if (!n || *text != (i < 3 ? '.' : 0))
            return 0;
        found[i] = (unsigned char) value;
        text++;
    }
    memcpy(to, found, 4);
    return 1;
}

static int from_long_text(const char *text, unsigned char *to)
{
    unsigned char found[16];
    int n = 0, gap = -1;
    memset(found, 0, sizeof found);
    if (*text == ':' && *++text != ':')
        return 0;
    const char *start = text;
    unsigned value = 0, digits = 0;
    for (int c; (c = *text); ) {
        int digit = digit_of(c);
        text++;
        if (digit < 16) {
            if (digits == 4)
                return 0;
            value = value << 4 | (unsigned) digit;
            digits++;
            continue;
        }
        if (c == ':') {
            start = text;
            if (!digits) {
                if (gap >= 0)
                    return 0;
                gap = n;
                continue;
            }
            if (!*text || n > 14)
                return 0;
            found[n++] = (unsigned char) (value >> 8);
            found[n++] = (unsigned char) value;
            value = digits = 0;
            continue;
        }
        if (c == '.' && n <= 12 && from_text(start, found + n)) {
            n += 4;
            digits = 0;
            break;
        }
        return 0;
    }
    if (digits) {
        if (n > 14)
            return 0;
        found[n++] = (unsigned char) (value >> 8);
        found[n++] = (unsigned char) value;
    }
    if (gap >= 0) {
        if (n == 16)
            return 0;
        for (int i = 1; i <= n - gap; i++) {
            found[16 - i] = found[n - i];
            found[n - i] = 0;
        }
        n = 16;
    }
    if (n != 16)
        return 0;
    memcpy(to, found, 16);
    return 1;
}

int inet_pton(int family, const char *text, void *to)
{
    if (family == VERSION_4)
        return from_text(text, to);
    if (family == VERSION_6)
        return from_long_text(text, to);
    __csgtest_errno = NO_SUCH_FAMILY;
    return -1;
}
