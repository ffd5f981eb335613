/* Calls one function with inputs made of a seed, thousands a second, and writes down what a caller
 * sees of each call. Both versions are linked to it: the same number makes the same input.
 *
 *     in (descriptor 3)     run SEED FIRST COUNT MILLISECONDS LIMIT FILL MOVED VERBOSE
 *                           symbol OFFSET SIZE NAME            (where functions and objects lie)
 *     out (descriptor 3)    a record for each input: a checksum of what it showed, how it ended, and
 *                           what was unusual about it; with VERBOSE the text itself behind them
 *
 * Each input has a process of its own, so none shows what another one did. What is unusual about an
 * input is said, since a caller may not be allowed to do that. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <malloc.h>

#include "driver.h"

#define WEAK __attribute__((weak))

enum { CONTROL = 3, TRACE = 1 << 17, MOST_ITEMS = 512, MOST_SYMBOLS = 1 << 14, DEEPEST = 4,
       MOST_SHOWN = 256, MOST_PRINTED = 1 << 16, SCRIBBLED = 1 << 15, MOST_ARGUMENTS = 64, WORD = 8,
       BIGGEST = 1 << 16, BEHIND = 64 };
enum endings { RETURNED = 0, TIMED_OUT = 1 << 16, OVERFLOWN = 1 << 17, NOT_MADE = 1 << 18,
               AMBIGUOUS = 1 << 19 };
/* What is unusual about an input (attack/functions.py has the same names). */
enum unusual { NULLS = 1, ALIASES = 2, OVERLAPS = 4, TAGS = 8, BEHIND_IT = 16, TWICE = 32, GLOBALS = 64,
               RECORDS = 128, UNIONS = 256, INNER_NULLS = 512, HEAP_WORDS = 1024 };

struct record {
    uint64_t sum;
    uint32_t ending, unusual;
};

/* An object that the call can see, and its text in the trace. */
struct item {
    unsigned char *at;
    size_t size;
    unsigned type, count, label; /* label: of a new one, in the order in which they are seen */
    unsigned char is_freed, is_new, is_read; /* is_read: nothing is written through its pointer */
};
struct symbol {
    intptr_t offset;
    size_t size;
    const char *name;
};
static struct shared {
    uint32_t unusual, used, overflown, is_ready, is_ambiguous;
    char text[TRACE];
} *shared;

int csgtest_anchor WEAK = 0; /* addresses of symbols count from here */
static const struct csgtest_tables *const all = &csgtest_tables;
static struct item items[MOST_ITEMS];
static unsigned item_count, label_count;
static struct symbol symbols[MOST_SYMBOLS];
static unsigned symbol_count;
static uint64_t state;
static unsigned char is_read; /* is what is made now only read? */
static unsigned length, mode, is_calling, stub_calls, union_turn;
static uint64_t input_number;
static struct {
    uint64_t seed, first, count, milliseconds, limit, fill, moved, verbose;
} asked;

/* ------------------------------------------------------------------------------------ random */

static uint64_t next(void)
{
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static unsigned below(unsigned most)
{
    return most ? (unsigned) (next() % most) : 0;
}

static int once_in(unsigned many)
{
    return below(many) == 0;
}

static void begin_random(uint64_t index)
{
    state = asked.seed * 0xd1342543de82ef95u + index * 0x2545f4914f6cdd1du;
    next();
}

/* ------------------------------------------------------------------------------------ the trace */

static void put(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void put(const char *format, ...)
{
    va_list values;
    size_t room = TRACE - shared->used;
    va_start(values, format);
    int size = vsnprintf(shared->text + shared->used, room, format, values);
    va_end(values);
    if (size < 0 || (size_t) size >= room)
        shared->overflown = 1;
    else
        shared->used += (uint32_t) size;
}

static void put_bytes(const unsigned char *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    if (shared->used + 2 * size + 1 >= TRACE) {
        shared->overflown = 1;
        return;
    }
    char *to = shared->text + shared->used;
    for (size_t i = 0; i < size; i++) {
        *to++ = digits[bytes[i] >> 4];
        *to++ = digits[bytes[i] & 15];
    }
    shared->used += (uint32_t) (2 * size);
}

static struct item *item_at(const void *where)
{
    const unsigned char *at = where;
    for (unsigned i = item_count; i-- > 0;)
        if (at >= items[i].at && at <= items[i].at + items[i].size)
            if (at < items[i].at + items[i].size || !items[i].size
                || !(i && items[i - 1].at == at))
                return &items[i];
    return NULL;
}

static const struct symbol *symbol_at(const void *where)
{
    intptr_t at = (intptr_t) where - (intptr_t) &csgtest_anchor;
    unsigned low = 0, high = symbol_count;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (symbols[middle].offset <= at)
            low = middle + 1;
        else
            high = middle;
    }
    const struct symbol *found = low ? &symbols[low - 1] : NULL;
    return found && at < found->offset + (intptr_t) (found->size ? found->size : 1) ? found : NULL;
}

/* Does one object end where this one begins? A pointer to there may have been made from either, and
 * which objects are neighbours is nothing that a caller knows. */
static int is_behind_another(const struct symbol *symbol, const void *where)
{
    extern char etext; /* functions lie before it, and nobody makes pointers to their ends */
    intptr_t at = (intptr_t) where - (intptr_t) &csgtest_anchor;
    const struct symbol *before = symbol;
    while (before > symbols && before->offset == at)
        before--;
    return (uintptr_t) where >= (uintptr_t) &etext && symbol->offset == at && before->size
           && before->offset + (intptr_t) before->size == at;
}

extern void *__asan_region_is_poisoned(void *, size_t) WEAK;

/* How many of `most` bytes are of the object that lies there: a pointer may lead behind one. */
static size_t readable(const void *from, size_t most)
{
    const unsigned char *at = from;
    const struct item *item = item_at(at);
    const struct symbol *symbol = item ? NULL : symbol_at(at);
    size_t left = most;
    if (item)
        left = item->is_freed ? 0 : (size_t) (item->at + item->size - at);
    else if (symbol && symbol->size)
        left = symbol->size - (size_t) ((intptr_t) at - (intptr_t) &csgtest_anchor - symbol->offset);
    most = left < most ? left : most;
    if (__asan_region_is_poisoned && most) {
        const unsigned char *end = __asan_region_is_poisoned((void *) from, most);
        most = end ? (size_t) (end - at) : most;
    }
    return most;
}

/* Memory that a pointer of the program leads to may be nowhere. */
static sigjmp_buf nowhere;

static void give_up(int number)
{
    (void) number;
    siglongjmp(nowhere, 1);
}

/* How many bytes could be copied. */
__attribute__((no_sanitize("address", "undefined"), noinline)) static size_t
copied(void *to, const void *from, size_t size)
{
    struct sigaction catch = {.sa_handler = give_up}, before[2];
    volatile size_t done = 0;
    const volatile size_t most = readable(from, size);
    sigemptyset(&catch.sa_mask);
    catch.sa_flags = SA_NODEFER | SA_ONSTACK;
    sigaction(SIGSEGV, &catch, &before[0]);
    sigaction(SIGBUS, &catch, &before[1]);
    if (!sigsetjmp(nowhere, 1))
        for (; done < most; done++)
            ((volatile unsigned char *) to)[done] = ((const volatile unsigned char *) from)[done];
    sigaction(SIGSEGV, &before[0], NULL);
    sigaction(SIGBUS, &before[1], NULL);
    return done;
}

int csgtest_is_there(const volatile void *at, unsigned long size)
{
    unsigned char bytes[256];
    unsigned long most = size < sizeof bytes ? size : sizeof bytes;
    return copied(bytes, (const void *) at, most) == most;
}

static const char *name_of(struct item *item)
{
    static char name[32];
    if (item->is_new && !item->label)
        item->label = ++label_count;
    if (item->is_new)
        snprintf(name, sizeof name, "new %u", item->label);
    else
        snprintf(name, sizeof name, "object %u", (unsigned) (item - items));
    return name;
}

/* A word of memory of which no type says what it is. An address in the program is another one in the
 * other version, and may as well be a number: then nothing is said of it. */
static int show_word(const unsigned char *at)
{
    void *to;
    memcpy(&to, at, sizeof to);
    if ((uintptr_t) to < 4096 || !symbol_count)
        return 0;
    struct item *item = item_at(to);
    intptr_t place = (intptr_t) to - (intptr_t) &csgtest_anchor;
    const struct symbol *last = &symbols[symbol_count - 1];
    if (item && (size_t) ((unsigned char *) to - item->at) < 4)
        put("[%s+%zu%s]", name_of(item), (size_t) ((unsigned char *) to - item->at),
            item->is_freed ? " freed" : "");
    else if (place >= symbols[0].offset && place < last->offset + (intptr_t) last->size)
        put("[?]");
    else
        return 0;
    return 1;
}

static void show(unsigned type, const unsigned char *at, int depth);

static void show_floating(const unsigned char *at, size_t size)
{
    long double value;
    float small;
    double usual;
    if (size == sizeof small)
        memcpy(&small, at, size), value = small;
    else if (size == sizeof usual)
        memcpy(&usual, at, size), value = usual;
    else
        memcpy(&value, at, sizeof value);
    if (value != value)
        put("nan"); /* C has no word for its sign and payload */
    else
        put("%La", value);
}

static void show_text(const unsigned char *at)
{
    unsigned char text[MOST_SHOWN];
    size_t size = copied(text, at, sizeof text);
    unsigned char *end = size ? memchr(text, 0, size) : NULL;
    put("\"");
    put_bytes(text, end ? (size_t) (end - text) : size);
    put("\"");
}

static struct item *adopt(const unsigned char *at);

/* Can nothing lie there? As in harness_support.c. */
static int is_number(uintptr_t address)
{
    if ((uintptr_t) &csgtest_anchor >> 32)
        return address >> 32 == 0 || address >> 63;
    return address < 65536 || address >> 63;
}

/* Is the byte there a part of an address, though its type says nothing of it? An address depends on
 * all that was allocated before. */
static int is_of_address(const struct item *item, const unsigned char *at)
{
    const unsigned char *word = at - (uintptr_t) at % WORD;
    void *to;
    if (word < item->at || word + WORD > item->at + item->size)
        return 0;
    memcpy(&to, word, sizeof to);
    return !is_number((uintptr_t) to) && (item_at(to) || symbol_at(to));
}

static void show_pointer(unsigned target, const unsigned char *to, int depth)
{
    const struct csgtest_type *kind = &all->types[target];
    if (!to) {
        put("null");
        return;
    }
    struct item *item = item_at(to);
    if (!item)
        item = adopt(to);
    if (item && item->is_new && !item->is_freed && kind->is_text) {
        put("elsewhere"); /* nobody asks where a text lies that the call has made */
    } else if (item) {
        put("%s+%zu%s", name_of(item), (size_t) (to - item->at), item->is_freed ? " freed" : "");
        if (!item->is_new || item->is_freed)
            return;
    } else {
        const struct symbol *symbol = symbol_at(to);
        if (symbol && (kind->is_text || strcmp(symbol->name, "static") == 0)) {
            put("elsewhere"); /* what is in it counts, as in a literal */
        } else if (symbol && is_behind_another(symbol, to)) {
            put("between objects"); /* the end of one, and where the next begins */
            shared->is_ambiguous = 1;
            return;
        } else if (symbol) {
            put("&%s+%td", symbol->name,
                (intptr_t) to - (intptr_t) &csgtest_anchor - symbol->offset);
        } else if (is_number((uintptr_t) to)) {
            put("%td", (intptr_t) to); /* as (void *) -1 */
            return;
        } else {
            put("elsewhere");
        }
    }
    if (depth <= 0 || kind->kind == CSGTEST_FUNCTION || kind->kind == CSGTEST_FILE)
        return;
    if (item && kind->size < WORD && is_of_address(item, to)) {
        put(" [?]");
    } else if (kind->is_text) {
        put(" ");
        show_text(to);
    } else if (kind->size && kind->size <= MOST_SHOWN && kind->kind != CSGTEST_OPAQUE) {
        unsigned char content[MOST_SHOWN];
        if (copied(content, to, kind->size) == kind->size) {
            put(" -> ");
            show(target, content, depth - 1);
        }
    }
}

static uint64_t bits_of(const unsigned char *at, const struct csgtest_member *member)
{
    unsigned __int128 unit = 0;
    unsigned bytes = (member->bit + member->width + 7) / 8;
    memcpy(&unit, at + member->offset, bytes < 16 ? bytes : 16);
    uint64_t mask = member->width < 64 ? ((uint64_t) 1 << member->width) - 1 : ~(uint64_t) 0;
    return (uint64_t) (unit >> member->bit) & mask;
}

static void set_bits(unsigned char *at, const struct csgtest_member *member, uint64_t value)
{
    unsigned __int128 unit = 0, mask = member->width < 64 ? ((uint64_t) 1 << member->width) - 1 : ~(uint64_t) 0;
    unsigned bytes = (member->bit + member->width + 7) / 8;
    memcpy(&unit, at + member->offset, bytes < 16 ? bytes : 16);
    unit &= ~(mask << member->bit);
    unit |= ((unsigned __int128) value & mask) << member->bit;
    memcpy(at + member->offset, &unit, bytes < 16 ? bytes : 16);
}

static void show(unsigned type, const unsigned char *at, int depth)
{
    const struct csgtest_type *kind = &all->types[type];
    const unsigned char *to;
    switch (kind->kind) {
    case CSGTEST_FLOATING:
        show_floating(at, kind->size);
        break;
    case CSGTEST_POINTER:
        memcpy(&to, at, sizeof to);
        show_pointer(kind->inner, to, depth);
        break;
    case CSGTEST_ARRAY:
        put("{");
        if (all->types[kind->inner].size == 1)
            put_bytes(at, kind->size);
        else
            for (unsigned i = 0; i < kind->count; i++) {
                put(i ? "," : "");
                show(kind->inner, at + (size_t) i * all->types[kind->inner].size, depth);
            }
        put("}");
        break;
    case CSGTEST_STRUCT:
        put("{");
        for (unsigned i = kind->first; i < kind->first + kind->count; i++) {
            const struct csgtest_member *member = &all->members[i];
            put("%s.%s ", i == kind->first ? "" : ",", member->name);
            if (member->width)
                put("%" PRIx64, bits_of(at, member));
            else
                show(member->type, at + member->offset, depth);
        }
        put("}");
        break;
    case CSGTEST_INTEGER:
    case CSGTEST_BOOL: {
        int64_t value = 0;
        if (kind->size <= 8)
            memcpy(&value, at, kind->size);
        if (kind->size > 8)
            put_bytes(at, kind->size);
        else if (kind->is_signed)
            put("%" PRId64, (int64_t) ((uint64_t) value << (64 - 8 * kind->size)) >> (64 - 8 * kind->size));
        else
            put("%" PRIu64, (uint64_t) value);
        break;
    }
    case CSGTEST_UNION: /* its bytes; where one of them is of a pointer, the pointer */
        if (kind->size >= sizeof to && show_word(at)) {
            put_bytes(at + sizeof to, kind->size - sizeof to);
            break;
        }
        /* fall through */
    default:
        put_bytes(at, kind->size < MOST_SHOWN ? kind->size : MOST_SHOWN);
    }
}

/* ------------------------------------------------------------------------------ objects and heap */

static struct item *note_item(void *at, size_t size, unsigned type, unsigned count)
{
    static struct item spare;
    if (item_count == MOST_ITEMS)
        return &spare;
    struct item *item = &items[item_count++];
    *item = (struct item){at, size, type, count, 0, 0, is_calling != 0, is_read};
    return item;
}

extern int __sanitizer_get_ownership(const volatile void *) WEAK;
extern size_t __sanitizer_get_allocated_size(const volatile void *) WEAK;

/* A block that the C library has allocated itself, as strdup does, is as new as one from malloc. NULL
 * where no block begins at this address. */
static struct item *adopt(const unsigned char *at)
{
    extern char end;
    size_t size = 0;
    if (__sanitizer_get_ownership) {
        size = __sanitizer_get_ownership(at) ? __sanitizer_get_allocated_size(at) : 0;
    } else if (at > (unsigned char *) &end && at < (unsigned char *) sbrk(0) && (uintptr_t) at % 16 == 0) {
        size_t header; /* of glibc: the size of the block, and three flags */
        memcpy(&header, at - sizeof header, sizeof header);
        if ((header & 15) <= 1 && header >= 32 && header < (size_t) ((unsigned char *) sbrk(0) - at))
            size = malloc_usable_size((void *) at);
    }
    struct item *made = size && item_count < MOST_ITEMS ? note_item((void *) at, size, 0, 0) : NULL;
    if (made)
        made->is_new = 1;
    return made;
}

extern void *__real_malloc(size_t), *__real_calloc(size_t, size_t), *__real_realloc(void *, size_t);
extern void __real_free(void *);

static void forget(void *at)
{
    for (unsigned i = item_count; i-- > 0;)
        if (items[i].at == at && !items[i].is_freed) {
            items[i].is_freed = 1;
            return;
        }
}

/* An address that was freed can be given again: the old object has lost it. */
static void note_heap(void *at, size_t size)
{
    if (!at || !is_calling)
        return;
    for (unsigned i = 0; i < item_count; i++)
        if (items[i].is_freed && items[i].at == at)
            items[i].at = NULL, items[i].size = 0;
    note_item(at, size, 0, 0);
}

void *__wrap_malloc(size_t size)
{
    void *made = __real_malloc(size);
    note_heap(made, size);
    return made;
}

void *__wrap_calloc(size_t count, size_t size)
{
    void *made = __real_calloc(count, size);
    note_heap(made, count * size);
    return made;
}

void *__wrap_realloc(void *at, size_t size)
{
    void *made = __real_realloc(at, size);
    if (made) {
        if (at && is_calling)
            forget(at);
        note_heap(made, size);
    }
    return made;
}

void __wrap_free(void *at)
{
    if (at && is_calling)
        forget(at);
    __real_free(at);
}

/* ------------------------------------------------------------------------------------- making */

static void make(unsigned type, unsigned char *at, int depth);

/* Memory with whatever may lie behind a header: small numbers, and pointers. */
static void fill_plausibly(unsigned char *at, size_t size, int depth)
{
    size_t place = 0;
    for (; place < size && (uintptr_t) (at + place) % 4; place++)
        at[place] = (unsigned char) below(4);
    if (place + 4 <= size && (uintptr_t) (at + place) % WORD) {
        uint32_t half = below(12);
        memcpy(at + place, &half, sizeof half);
        place += 4;
    }
    for (; place + WORD <= size; place += WORD) {
        uint32_t halves[2] = {below(12), below(12)};
        void *to = NULL;
        switch (below(depth > 0 ? 5 : 4)) {
        case 4:
            to = __real_malloc(32);
            memset(to, 0, 32);
            note_item(to, 32, 0, 0);
            fill_plausibly(to, 32, 0);
            memcpy(at + place, &to, sizeof to);
            shared->unusual |= HEAP_WORDS;
            break;
        case 3:
            halves[0] = (uint32_t) next();
            /* fall through */
        default:
            memcpy(at + place, halves, sizeof halves);
        }
    }
    for (; place < size; place++)
        at[place] = (unsigned char) below(4);
}

static uint64_t make_number(unsigned bits, int is_text)
{
    static const uint64_t usual[] = {0, 1, 2, 3, 4, 5, 7, 8, 10, 16, 31, 32, 63, 64, 100, 127, 128, 255, 256};
    uint64_t value;
    if (is_text && !once_in(3)) {
        switch (below(6)) {
        case 0: return '0' + below(10);
        case 1: return 'a' + below(26);
        case 2: return 'A' + below(26);
        case 3: return " \t\n\r\v\f"[below(6)];
        case 4: return '!' + below(94);
        default: return below(256);
        }
    }
    switch (below(12)) {
    case 0: case 1: case 2:
        return length ? below(length + 1) : below(3);
    case 3: case 4:
        return usual[below(sizeof usual / sizeof *usual)];
    case 5: case 6: case 7:
        if (all->number_count) {
            value = all->numbers[below(all->number_count)];
            return once_in(2) ? value : value + below(3) - 1;
        }
        return below(16);
    case 8:
        value = (uint64_t) 1 << below(bits);
        return value + below(3) - 1;
    case 9:
        return -(uint64_t) (1 + below(16));
    case 10: { /* the limits */
        uint64_t most = bits < 64 ? ((uint64_t) 1 << bits) - 1 : ~(uint64_t) 0;
        uint64_t limits[] = {most, most >> 1, (most >> 1) + 1, most - 1, (most >> 1) - 1};
        return limits[below(5)];
    }
    default:
        return next() >> below(64);
    }
}

static void make_floating(unsigned char *at, size_t size)
{
    static const double usual[] = {0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, 3.0, 10.0, 0.1, 100.0, 1e-5, 1e10,
                                   HUGE_VAL, -HUGE_VAL, DBL_MIN, DBL_MAX, -DBL_MAX, DBL_EPSILON, 5e-324,
                                   -5e-324, FLT_MIN, FLT_MAX, 1e-45, 2147483647.0, 2147483648.0,
                                   -2147483648.0, -2147483649.0, 4294967296.0, 9223372036854775808.0,
                                   -9223372036854775808.0, 9007199254740993.0, 0.9999999, 1.0000001};
    double value = 0;
    uint64_t bits;
    int step = 0;
    switch (below(8)) {
    case 0: case 1: case 2:
        value = usual[below(sizeof usual / sizeof *usual)];
        if (value != 0 && value - value == 0 && once_in(4)) /* just below 0.5 is no half */
            step = (int) below(3) - 1;
        break;
    case 3: /* NaN, of either sign and several payloads */
        bits = 0x7ff8000000000000u | (uint64_t) below(2) << 63 | below(4);
        memcpy(&value, &bits, sizeof value);
        break;
    case 4:
        value = (double) (int64_t) make_number(32, 0);
        break;
    case 5:
        value = (double) (int) below(2001) / 8 - 125;
        break;
    case 6:
        value = (double) (int64_t) next() / (double) ((uint64_t) 1 << (32 + below(32)));
        break;
    default:
        bits = next();
        memcpy(&value, &bits, sizeof value);
    }
    if (size == sizeof(float)) {
        float small = (float) value;
        uint32_t word;
        memcpy(&word, &small, size);
        word += small != 0 && small - small == 0 ? (uint32_t) step : 0;
        memcpy(at, &word, size);
        return;
    }
    memcpy(&bits, &value, sizeof bits);
    bits += (uint64_t) step;
    if (size == sizeof value) {
        memcpy(at, &bits, size);
    } else {
        memcpy(&value, &bits, sizeof value);
        long double large = value;
        memset(at, 0, size);
        memcpy(at, &large, 10);
    }
}

/* Bytes of a text, without its NUL; how many. */
static unsigned make_text(unsigned char *at, unsigned most)
{
    unsigned size = once_in(3) ? length : below(4) ? below(8) : below(most + 1);
    unsigned class = below(6);
    if (size > most)
        size = most;
    if (all->word_count && once_in(3)) {
        const struct csgtest_text *word = &all->words[below(all->word_count)];
        size = word->size < most ? word->size : most;
        memcpy(at, word->bytes, size);
        if (size && once_in(3))
            at[below(size)] ^= (unsigned char) (1 << below(7));
        if (size < most && once_in(3))
            at[size++] = (unsigned char) (33 + below(94));
    } else {
        for (unsigned i = 0; i < size; i++)
            switch (class) {
            case 0: at[i] = (unsigned char) ('0' + below(10)); break;
            case 1: at[i] = (unsigned char) ('a' + below(3)); break;
            case 2: at[i] = (unsigned char) " \t\n-+.,:;/%\\\"'#=0aA"[below(19)]; break;
            case 3: at[i] = (unsigned char) (1 + below(255)); break;
            default: at[i] = (unsigned char) (' ' + below(95));
            }
    }
    for (unsigned i = 0; i < size; i++)
        at[i] = at[i] ? at[i] : 1;
    return size;
}

static unsigned char *made_object(size_t size, unsigned type, unsigned count)
{
    unsigned char *at = __real_malloc(size ? size : 1);
    memset(at, 0, size ? size : 1);
    note_item(at, size, type, count);
    return at;
}

/* An object that is there already, for another pointer to it. What is only read is apart from what is
 * written: few functions are meant to be called otherwise. */
static void *shared_object(unsigned target)
{
    const struct csgtest_type *kind = &all->types[target];
    unsigned fitting = 0, chosen;
    if (!(mode & (ALIASES | OVERLAPS)) || is_read)
        return NULL;
    for (unsigned i = 0; i < item_count; i++)
        fitting += !items[i].is_read && (items[i].type == target || kind->kind == CSGTEST_VOID);
    if (!fitting || once_in(2))
        return NULL;
    chosen = below(fitting);
    for (unsigned i = 0; i < item_count; i++)
        if (!items[i].is_read && (items[i].type == target || kind->kind == CSGTEST_VOID))
            if (!chosen--) {
                size_t step = kind->size && kind->kind != CSGTEST_VOID ? kind->size : 1, room = items[i].size / step;
                if ((mode & OVERLAPS) && room > 1) {
                    shared->unusual |= OVERLAPS;
                    return items[i].at + step * (1 + below((unsigned) room - 1));
                }
                shared->unusual |= ALIASES;
                return items[i].at;
            }
    return NULL;
}

static void *made_file(void)
{
    FILE *file = tmpfile();
    unsigned char text[128];
    if (!file)
        return NULL;
    for (unsigned line = below(4); line > 0; line--) {
        fwrite(text, 1, make_text(text, sizeof text), file);
        fputc('\n', file);
    }
    rewind(file);
    return file;
}

static void *made_target(unsigned target, int depth)
{
    const struct csgtest_type *kind = &all->types[target];
    void *known = shared_object(target);
    unsigned char *at;
    if (known)
        return known;
    switch (kind->kind) {
    case CSGTEST_FUNCTION:
        return kind->count ? (void *) all->stubs[kind->count - 1] : NULL;
    case CSGTEST_FILE:
        at = made_file();
        note_item(at, 0, target, 1);
        return at;
    case CSGTEST_VOID:
    case CSGTEST_OPAQUE:
        at = made_object(BEHIND, 0, 0);
        if (kind->kind == CSGTEST_VOID && once_in(2))
            at[make_text(at, BEHIND - 1)] = 0;
        else
            fill_plausibly(at, BEHIND, depth - 1);
        return at;
    case CSGTEST_STRUCT:
    case CSGTEST_UNION: {
        unsigned count = once_in(6) ? 1 + length : 1;
        size_t behind = (mode & BEHIND_IT) ? BEHIND : 0;
        if ((size_t) count * kind->size > BIGGEST)
            count = 1;
        at = made_object((size_t) count * kind->size + behind, target, count);
        shared->unusual |= RECORDS;
        for (unsigned i = 0; i < count; i++)
            make(target, at + (size_t) i * kind->size, depth - 1);
        if (behind) {
            shared->unusual |= BEHIND_IT;
            fill_plausibly(at + (size_t) count * kind->size, behind, depth - 1);
        }
        return at;
    }
    default:
        break;
    }
    if (kind->is_text) {
        unsigned char text[512];
        unsigned size = make_text(text, sizeof text - 1), room = once_in(2) ? 0 : length + 64;
        at = made_object(size + 1 + room, target, size + 1 + room);
        memcpy(at, text, size);
        return at;
    }
    unsigned count = length ? length : below(2);
    if (kind->kind == CSGTEST_ARRAY || (size_t) (count + 1) * kind->size > BIGGEST)
        count = 1;
    if (kind->kind == CSGTEST_POINTER)
        count++; /* the last one is null */
    at = made_object((size_t) count * kind->size, target, count);
    for (unsigned i = 0; i < count - (kind->kind == CSGTEST_POINTER); i++)
        make(target, at + (size_t) i * kind->size, depth - 1);
    return at;
}

static void make_pointer(const struct csgtest_type *pointer, unsigned char *at, int depth)
{
    const struct csgtest_type *kind = &all->types[pointer->inner];
    unsigned char before = is_read;
    void *to = NULL;
    int record = kind->kind == CSGTEST_STRUCT || kind->kind == CSGTEST_UNION;
    is_read |= pointer->is_const;
    if (depth > 0 && !once_in(record ? 3 : 8))
        to = made_target(pointer->inner, depth);
    else
        shared->unusual |= INNER_NULLS;
    is_read = before;
    if (to && (mode & TAGS) && once_in(2)) {
        to = (void *) ((uintptr_t) to | (1 + below(3)));
        shared->unusual |= TAGS;
    }
    memcpy(at, &to, sizeof to);
}

static void make(unsigned type, unsigned char *at, int depth)
{
    const struct csgtest_type *kind = &all->types[type];
    switch (kind->kind) {
    case CSGTEST_BOOL:
        *at = (unsigned char) below(2);
        break;
    case CSGTEST_INTEGER:
        for (unsigned place = 0; place < kind->size; place += 8) {
            unsigned size = kind->size - place < 8 ? kind->size - place : 8;
            uint64_t value = make_number(8 * size, kind->is_text);
            memcpy(at + place, &value, size);
        }
        break;
    case CSGTEST_FLOATING:
        make_floating(at, kind->size);
        break;
    case CSGTEST_POINTER:
        make_pointer(kind, at, depth);
        break;
    case CSGTEST_ARRAY:
        if (all->types[kind->inner].is_text && kind->count > 1 && !once_in(4)) {
            unsigned size = make_text(at, kind->count - 1);
            memset(at + size, 0, kind->count - size);
            break;
        }
        for (unsigned i = 0; i < kind->count && i < 4096; i++)
            make(kind->inner, at + (size_t) i * all->types[kind->inner].size, depth);
        break;
    case CSGTEST_STRUCT:
        for (unsigned i = kind->first; i < kind->first + kind->count; i++) {
            const struct csgtest_member *member = &all->members[i];
            if (member->width)
                set_bits(at, member, make_number(member->width, 0));
            else
                make(member->type, at + member->offset, depth);
        }
        break;
    case CSGTEST_UNION:
        shared->unusual |= UNIONS;
        memset(at, 0, kind->size);
        if (kind->count) {
            const struct csgtest_member *member = &all->members[kind->first + (union_turn++ + below(kind->count)) % kind->count];
            make(member->type, at + member->offset, depth);
        }
        break;
    case CSGTEST_OPAQUE:
        fill_plausibly(at, kind->size, 0);
        break;
    default:
        break;
    }
}

/* --------------------------------------------------------------------------------- the callbacks */

void csgtest_stub_called(unsigned stub)
{
    put("callback %u\n", stub);
}

void csgtest_stub_given(unsigned type, const void *value)
{
    unsigned before = is_calling;
    put("  given ");
    show(type, value, 1);
    put("\n");
    is_calling = before;
}

/* What a callback returns depends on the input and on its number among the calls; what compares, on
 * what it is given. */
void csgtest_stub_result(unsigned type, void *result, const void *left, const void *right)
{
    const struct csgtest_type *kind = &all->types[type];
    int32_t numbers[2] = {0, 0};
    uint64_t kept = state;
    memset(result, 0, kind->size);
    if (left && right && kind->kind == CSGTEST_INTEGER) {
        copied(&numbers[0], left, sizeof numbers[0]);
        copied(&numbers[1], right, sizeof numbers[1]);
        int32_t order = (numbers[0] > numbers[1]) - (numbers[0] < numbers[1]);
        int64_t wide = order;
        memcpy(result, &wide, kind->size < 8 ? kind->size : 8);
        return;
    }
    begin_random(input_number + ((uint64_t) ++stub_calls << 40));
    if (kind->kind == CSGTEST_INTEGER || kind->kind == CSGTEST_BOOL) {
        uint64_t value = once_in(2) ? 0 : below(4);
        memcpy(result, &value, kind->size < 8 ? kind->size : 8);
    } else if (kind->kind == CSGTEST_FLOATING) {
        make_floating(result, kind->size);
    }
    state = kept;
}

/* ------------------------------------------------------------------------------------- one call */

/* What uninitialised variables will find on the stack. */
__attribute__((noinline)) static void scribble(void)
{
    volatile unsigned char room[SCRIBBLED];
    for (size_t i = 0; i < sizeof room; i++)
        room[i] = (unsigned char) asked.fill;
}

static void show_items(void)
{
    for (unsigned i = 0; i < item_count; i++) {
        struct item *item = &items[i];
        if (item->is_new)
            continue;
        if (item->is_freed || (item->size && !readable(item->at, 1))) {
            put("object %u freed\n", i);
            continue;
        }
        const struct csgtest_type *kind = &all->types[item->type];
        if (kind->kind == CSGTEST_FILE) {
            put("object %u at %ld\n", i, ftell((FILE *) item->at));
            continue;
        }
        put("object %u ", i);
        size_t typed = 0;
        if (kind->size > 1 && item->count && kind->kind != CSGTEST_OPAQUE)
            for (; typed + kind->size <= item->count * (size_t) kind->size && typed + kind->size <= item->size; typed += kind->size) {
                put(typed ? "," : "");
                show(item->type, item->at + typed, 1);
            }
        for (; typed < item->size && typed < BIGGEST;) { /* the rest, with its pointers */
            int is_word = !kind->is_text && typed + WORD <= item->size && (uintptr_t) (item->at + typed) % WORD == 0;
            if (is_word && show_word(item->at + typed)) {
                typed += WORD;
            } else {
                size_t size = item->size - typed < WORD ? item->size - typed : WORD;
                put_bytes(item->at + typed, size);
                typed += size;
            }
        }
        put("\n");
    }
}

static void show_objects(void)
{
    for (unsigned i = 0; i < all->object_count; i++)
        if (all->objects[i].at) {
            put("%s ", all->objects[i].name);
            show(all->objects[i].type, all->objects[i].at, 2);
            put("\n");
        }
}

static void choose_mode(uint64_t index)
{
    static const unsigned modes[] = {0, BEHIND_IT, ALIASES, OVERLAPS, TAGS, TWICE, GLOBALS, BEHIND_IT | ALIASES};
    mode = index % 2 ? modes[below(sizeof modes / sizeof *modes)] : 0;
    if (!all->aliases)
        mode &= ~(unsigned) (ALIASES | OVERLAPS);
    if (!all->tags)
        mode &= ~(unsigned) TAGS;
    length = once_in(4) ? below(24) : below(6);
}

/* Every value in turn; the bits of all arguments stand one behind the other. */
static void make_whole(uint64_t index, unsigned char *const places[])
{
    for (unsigned i = 0; i < all->argument_count; i++) {
        const struct csgtest_type *kind = &all->types[all->arguments[i].type];
        unsigned bits = kind->kind == CSGTEST_BOOL ? 1 : 8 * kind->size;
        uint64_t value = index & (((uint64_t) 1 << bits) - 1);
        memcpy(places[i], &value, kind->size);
        index >>= bits;
    }
}

static void make_arguments(uint64_t index, unsigned char *const places[])
{
    for (unsigned i = 0; i < all->argument_count; i++) {
        const struct csgtest_argument *argument = &all->arguments[i];
        const struct csgtest_type *kind = &all->types[argument->type];
        if (kind->kind != CSGTEST_POINTER) {
            make(argument->type, places[i], DEEPEST);
            continue;
        }
        void *to = NULL;
        is_read = kind->is_const;
        if (!once_in(argument->may_be_null ? 8 : 32))
            to = made_target(kind->inner, DEEPEST);
        else if (!argument->may_be_null)
            shared->unusual |= NULLS;
        if (to && (mode & TAGS) && once_in(2)) {
            to = (void *) ((uintptr_t) to | (1 + below(3)));
            shared->unusual |= TAGS;
        }
        memcpy(places[i], &to, sizeof to);
    }
    is_read = 0;
    if (mode & GLOBALS)
        for (unsigned i = 0; i < all->object_count; i++)
            if (all->objects[i].at && all->objects[i].is_set) {
                shared->unusual |= GLOBALS;
                make(all->objects[i].type, all->objects[i].at, 2);
            }
    (void) index;
}

/* The bytes of an object, and behind them where its pointers lead to; these are zero among the bytes,
 * since addresses are others each time. */
static void show_made(unsigned number)
{
    static unsigned char copy[BIGGEST];
    struct item *made = &items[number];
    size_t size = made->size < sizeof copy ? made->size : 0;
    char links[4096] = "";
    size_t used = 0;
    memcpy(copy, made->at, size);
    for (size_t at = 0; at + WORD <= size && used + 128 < sizeof links; at += WORD) {
        void *to;
        memcpy(&to, copy + at, sizeof to);
        struct item *item = (uintptr_t) to > 4096 ? item_at(to) : NULL;
        const struct symbol *symbol = (uintptr_t) to > 4096 ? symbol_at(to) : NULL;
        if (item)
            used += (size_t) snprintf(links + used, 100, " %zu=%u+%zu", at, (unsigned) (item - items),
                                      (size_t) ((unsigned char *) to - item->at));
        else if (symbol)
            used += (size_t) snprintf(links + used, 100, " %zu=&%.60s", at, symbol->name);
        if (item || symbol)
            memset(copy + at, 0, WORD);
    }
    put("made %u %u %u %zu ", number, made->type, made->count, size);
    put_bytes(copy, size);
    put("%s\n", links);
}

static void show_input(unsigned char *const places[])
{
    put("input\n");
    for (unsigned i = 0; i < all->argument_count; i++) {
        const struct csgtest_type *kind = &all->types[all->arguments[i].type];
        put("argument %u ", i);
        if (kind->kind == CSGTEST_POINTER) {
            void *to;
            memcpy(&to, places[i], sizeof to);
            put("pointer ");
            show_pointer(kind->inner, to, 0);
        } else {
            put("bytes ");
            put_bytes(places[i], kind->size);
            put(" ");
            show(all->arguments[i].type, places[i], 0);
        }
        put("\n");
    }
    for (unsigned i = 0; i < item_count; i++)
        show_made(i);
    show_items();
    put("output\n");
}

static void show_call(void *result)
{
    const struct csgtest_type *kind = &all->types[all->result];
    is_calling = 0;
    if (kind->kind != CSGTEST_VOID) {
        put("returned ");
        show(all->result, result, 3);
        put("\n");
    }
    show_items();
    show_objects();
}

static void one_input(uint64_t index)
{
    static unsigned char room[MOST_ARGUMENTS][1024] __attribute__((aligned(16)));
    static unsigned char result[4096] __attribute__((aligned(16)));
    unsigned char *places[MOST_ARGUMENTS];
    for (unsigned i = 0; i < all->argument_count; i++)
        places[i] = room[i];
    begin_random(input_number = index);
    item_count = label_count = stub_calls = 0;
    choose_mode(index);
    union_turn = (unsigned) index;
    if (all->whole)
        make_whole(index, places);
    else
        make_arguments(index, places);
    if (!csgtest_allowed((void **) places))
        _exit(0);
    if (asked.verbose)
        show_input(places);
    shared->is_ready = 1;
    unsigned calls = !all->whole && (mode & TWICE) ? 2 : 1;
    if (calls == 2)
        shared->unusual |= TWICE;
    while (calls-- > 0) {
        memset(result, 0, sizeof result);
        errno = 0;
        is_calling = 1;
        scribble();
        csgtest_call((void **) places, result);
        show_call(result);
    }
}

/* ------------------------------------------------------------------------------- all of them */

static volatile sig_atomic_t child;
static volatile sig_atomic_t is_late;

static void end_child(int number)
{
    (void) number;
    is_late = 1;
    if (child > 0)
        kill(child, SIGKILL);
}

static uint64_t summed(uint64_t sum, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (; size >= 8; size -= 8, at += 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        sum = (sum ^ word) * 0x9fb21c651e98df25u;
        sum ^= sum >> 29;
    }
    for (; size > 0; size--)
        sum = (sum ^ *at++) * 0x100000001b3u;
    return sum ^ sum >> 31;
}

/* A file of what one input prints. */
struct printed {
    int file;
    size_t size;
    char text[MOST_PRINTED];
};

static int printed_file(const char *name)
{
    int file = memfd_create(name, MFD_CLOEXEC);
    if (file < 0) {
        file = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        unlink(name);
    }
    return file;
}

static void read_printed(struct printed *printed)
{
    struct stat status = {0};
    printed->size = 0;
    if (fstat(printed->file, &status) != 0 || status.st_size == 0)
        return;
    ssize_t size = pread(printed->file, printed->text, sizeof printed->text, 0);
    printed->size = size > 0 ? (size_t) size : 0;
    if (ftruncate(printed->file, 0) != 0)
        _exit(3);
    lseek(printed->file, 0, SEEK_SET);
}

static struct printed printed[2];

static struct record run(uint64_t index)
{
    struct record record = {0, RETURNED, 0};
    struct itimerval limit = {.it_value = {(time_t) (asked.limit / 1000), (suseconds_t) (asked.limit % 1000 * 1000)}},
                     none = {0};
    int status = 0;
    shared->unusual = shared->used = shared->overflown = shared->is_ready = 0;
    shared->is_ambiguous = 0;
    is_late = 0;
    child = fork();
    if (child == 0) {
        signal(SIGALRM, SIG_DFL);
        dup2(printed[0].file, 1);
        dup2(printed[1].file, 2);
        close(CONTROL);
        one_input(index);
        exit(0);
    }
    if (child < 0) {
        record.ending = NOT_MADE;
        return record;
    }
    setitimer(ITIMER_REAL, &limit, NULL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    setitimer(ITIMER_REAL, &none, NULL);
    child = 0;
    read_printed(&printed[0]);
    read_printed(&printed[1]);
    if (is_late)
        record.ending = TIMED_OUT;
    else if (!shared->is_ready)
        record.ending = NOT_MADE;
    else if (shared->overflown)
        record.ending = OVERFLOWN;
    else if (shared->is_ambiguous)
        record.ending = AMBIGUOUS;
    else
        record.ending = (uint32_t) status;
    record.unusual = shared->unusual;
    record.sum = summed(1469598103934665603u, shared->text, shared->used);
    record.sum = summed(record.sum, printed[0].text, printed[0].size);
    record.sum = summed(record.sum, &record.ending, sizeof record.ending);
    if (!record.ending) /* what a sanitizer or assert says has places in it */
        record.sum = summed(record.sum, printed[1].text, printed[1].size);
    return record;
}

static void write_all(const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size > 0) {
        ssize_t done = write(CONTROL, at, size);
        if (done <= 0)
            _exit(4);
        at += done;
        size -= (size_t) done;
    }
}

#define ANSWER "answer\n" /* the request itself is none */

static char *read_request(void)
{
    struct stat status;
    if (fstat(CONTROL, &status) != 0)
        _exit(5);
    char *text = __real_malloc((size_t) status.st_size + 1);
    ssize_t size = pread(CONTROL, text, (size_t) status.st_size, 0);
    text[size > 0 ? size : 0] = 0;
    return text;
}

static void understand(char *text)
{
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        int at = 0;
        struct symbol symbol;
        if (sscanf(line, "run %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
                   &asked.seed, &asked.first, &asked.count, &asked.milliseconds, &asked.limit, &asked.fill,
                   &asked.moved, &asked.verbose) == 8)
            continue;
        if (sscanf(line, "symbol %" SCNdPTR " %zu %n", &symbol.offset, &symbol.size, &at) == 2 && at
            && symbol_count < MOST_SYMBOLS) {
            symbol.name = line + at;
            symbols[symbol_count++] = symbol;
        }
    }
}

static void move(size_t size)
{
    for (int i = 0; i < 3; i++)
        if (!__real_malloc(size))
            return;
}

static uint64_t now(void)
{
    struct timespec time;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time); /* the library's is replaced */
    return (uint64_t) time.tv_sec * 1000 + (uint64_t) time.tv_nsec / 1000000;
}

int main(void)
{
    struct sigaction late = {.sa_handler = end_child};
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return 3;
    understand(read_request());
    if (asked.moved) /* all that is made later lies elsewhere */
        for (size_t size = 8; size < 2048; size += 8)
            move(size);
    mallopt(M_PERTURB, (int) asked.fill);
    sigaction(SIGALRM, &late, NULL);
    printed[0].file = printed_file("csgtest-out");
    printed[1].file = printed_file("csgtest-err");
    if (ftruncate(CONTROL, 0) != 0 || lseek(CONTROL, 0, SEEK_SET) != 0)
        return 4;
    write_all(ANSWER, strlen(ANSWER));
    uint64_t until = now() + asked.milliseconds;
    for (uint64_t i = 0; i < asked.count && now() <= until; i++) {
        struct record record = run(asked.first + i);
        write_all(&record, sizeof record);
    }
    if (asked.verbose) {
        write_all(shared->text, shared->used);
        for (int i = 0; i < 2; i++) {
            dprintf(CONTROL, "\nprinted %d %zu\n", i + 1, printed[i].size);
            write_all(printed[i].text, printed[i].size);
        }
    }
    return 0;
}
