/* Linked to programs under test that take their input from us: reads the recorded values, answers
 * with what is to be observed. Both go through descriptor 3, one item a line:
 *
 *     in:   p NAME i HEX      bytes of a parameter's or global's value, as in memory
 *           p NAME f TEXT     a floating value, as strtold reads it
 *           p NAME n          a null pointer
 *           p NAME w OTHER OFFSET            a pointer into what another one leads to
 *           p NAME g PLACE    a pointer into a global object
 *           p NAME i [HEX]    an object with members; how many of them, if there are several
 *           s PLACE SIZE i HEX | f TEXT      bytes of a global object, set before the call
 *           e i HEX           errno, set before the call
 *           w o PLACE SIZE    look at a global object after the call; objects are counted from 0
 *           w f OBJECT OFFSET SIZE           at what a pointer in an object leads to, one more
 *           w m NAME OBJECT OFFSET SIZE      show a member; w b NAME OBJECT OFFSET UP WIDTH a
 *           w l NAME OBJECT OFFSET TEXT      bit-field, w l a pointer (TEXT: to a text)
 *           n i HEX | n f TEXT        what the next __VERIFIER_nondet_* yields
 *           o NAME i HEX      what the next klee_make_symbolic fills
 *     out:  called (the call begins)       done (it has returned, and all has been said)
 *           returned HEX      memory NAME HEX      freed NAME      assume (an assumption fails)
 *           returned open HEX (a text that its object ends before a 0)
 *           lies OBJECT OFFSET (before a returned text: where the caller has it)
 *           link NAME null | number N | elsewhere PLACE | text HEX | OBJECT OFFSET
 *           returned null | returned pointer number N | elsewhere PLACE | OBJECT OFFSET
 *           large NAME SIZE HASH
 *
 * A PLACE is a distance in bytes from csgtest_anchor (harness.py); that of a thread-local object is
 * one from csgtest_thread_anchor, and larger by OF_THREAD.
 *
 * A function may return or leave a pointer behind an object, or into one that is freed: that is no
 * error as long as nobody reads there. So nothing is read without asking (`readable`): neither does a
 * sanitizer report us, nor do neighbours of an object count.
 *
 * The program may have functions of its own for those of the library, as malloc and write, and see
 * each call: only the objects that it is given are made by one of them.
 *
 * Compiled apart from the user's text, so that no header of ours meets a macro of theirs. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "texts.h"

#define WEAK __attribute__((weak))
#pragma weak dladdr

/* With probes (decisions.c): what would be answered here is what it decides. */
extern WEAK void csgtest_log_to(int file);
extern WEAK void csgtest_log_from_here(void);

char csgtest_anchor; /* addresses of the program's own objects count from here */
__thread char csgtest_thread_anchor;
#define OF_THREAD (1L << 61)

static int control = -1, logs;
static dev_t control_device; /* of the file behind `control`: a program may close descriptors */
static ino_t control_number;
static long speaker; /* the process that was started: what its children return nobody gets */
static char *lines;      /* what is left of the input, NUL-terminated; words are cut in place */
static char *next_nondet, *next_object; /* see csgtest_recorded */

/* Without its values the program must not go on: what it shows would be taken for its own. */
static __attribute__((noreturn)) void give_up(void)
{
    int file = control >= 0 ? control : 3;
    if (syscall(SYS_ftruncate, file, 0L) == 0
        && syscall(SYS_pwrite64, file, "broken\n", (size_t) 7, 0L) == 7)
        _exit(125);
    abort();
}

static char *at_place(long place)
{
    if (place < OF_THREAD / 2)
        return &csgtest_anchor + place;
    volatile long distance = place - OF_THREAD; /* gcc would make OF_THREAD part of the address */
    return &csgtest_thread_anchor + distance;
}

static char *next_line(char *line)
{
    char *end = strchr(line, '\n');
    return end ? end + 1 : line + strlen(line);
}

/* Before the constructors of the program: these may be the first to decide. */
__attribute__((constructor(102))) static void csgtest_open(void)
{
    long size = syscall(SYS_lseek, 3, 0L, SEEK_END);
    if (size <= 0)
        return;
    lines = (char *) syscall(SYS_mmap, 0L, size + 1, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
    if (lines == MAP_FAILED || syscall(SYS_pread64, 3, lines, size, 0L) != size)
        give_up();
    if (syscall(SYS_ftruncate, 3, 0L) != 0)
        give_up();
    syscall(SYS_lseek, 3, 0L, SEEK_SET);
    control = (int) syscall(SYS_fcntl, 3, F_DUPFD_CLOEXEC, 100L); /* programs find descriptor 3 free, as always */
    if (control < 0)
        give_up();
    syscall(SYS_close, 3);
    next_nondet = next_object = lines;
    if (csgtest_log_to) {
        csgtest_log_to(control);
        control = -1;
        logs = 1;
        return;
    }
    struct stat status;
    if (syscall(SYS_fstat, control, &status) != 0)
        give_up();
    control_device = status.st_dev;
    control_number = status.st_ino;
    speaker = syscall(SYS_getpid);
}

/* Does somebody hear what is said? */
static int is_heard(void)
{
    struct stat status;
    return control >= 0 && syscall(SYS_fstat, control, &status) == 0
           && status.st_dev == control_device && status.st_ino == control_number;
}

static int may_speak(void)
{
    return control >= 0 && speaker == syscall(SYS_getpid);
}

static void say(const char *text, size_t size)
{
    if (!may_speak())
        return;
    while (size > 0) {
        long put = syscall(SYS_write, control, text, size);
        if (put <= 0)
            return;
        text += put;
        size -= (size_t) put;
    }
}

static void say_hex(const void *data, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    const unsigned char *bytes = data;
    char text[1024];
    size_t used = 0;
    for (size_t i = 0; i < size; i++) {
        if (used == sizeof text) {
            say(text, used);
            used = 0;
        }
        text[used++] = digits[bytes[i] >> 4];
        text[used++] = digits[bytes[i] & 15];
    }
    say(text, used);
    say("\n", 1);
}

static void say_text(const char *text)
{
    say(text, strlen(text));
}

static void say_number(long number)
{
    unsigned long rest = number < 0 ? -(unsigned long) number : (unsigned long) number;
    char text[24], *start = text + sizeof text;
    do
        *--start = (char) ('0' + rest % 10);
    while (rest /= 10);
    if (number < 0)
        *--start = '-';
    say(start, (size_t) (text + sizeof text - start));
}

static unsigned nibble(char digit)
{
    return digit <= '9' ? (unsigned) (digit - '0') : (unsigned) (digit - 'a') + 10;
}

static size_t unhex(const char *text, unsigned char *data, size_t most)
{
    size_t size = 0;
    for (; size < most && text[0] > ' ' && text[1] > ' '; text += 2)
        data[size++] = (unsigned char) (nibble(text[0]) << 4 | nibble(text[1]));
    return size;
}

/* The kind and text of parameter or global `name`, or NULL. */
static char *find(const char *name)
{
    size_t length = strlen(name);
    for (char *line = lines; line && *line; line = next_line(line))
        if (line[0] == 'p' && strncmp(line + 2, name, length) == 0 && line[2 + length] == ' ')
            return line + 3 + length;
    return NULL;
}

static void store_floating(const char *text, void *value, size_t size)
{
    if (size == sizeof(float)) {
        float narrow = strtof(text, NULL);
        memcpy(value, &narrow, size);
    } else if (size == sizeof(double)) {
        double middle = strtod(text, NULL);
        memcpy(value, &middle, size);
    } else if (size == sizeof(long double)) {
        long double wide = strtold(text, NULL);
        memcpy(value, &wide, size);
    }
}

static void store_value(const char *kind, void *value, size_t size)
{
    if (kind[0] == 'i')
        unhex(kind + 2, value, size);
    else if (kind[0] == 'f')
        store_floating(kind + 2, value, size);
}

/* Set a scalar or an array object; it keeps its value when the test says nothing of it. */
void csgtest_set(const char *name, void *value, unsigned long size)
{
    char *kind = find(name);
    if (kind)
        store_value(kind, value, size);
}

#define MOST_OBJECTS 1024
#define LONGEST_TEXT 4096

enum state { ALIVE, FREED, REUSED }; /* REUSED: its memory is that of another object by now */

static struct object {
    const char *name;
    char *start;
    size_t size;
    enum state state;
} given[MOST_OBJECTS];
static int objects;

/* What the program frees is its own from then on, and must not be looked at. */
extern WEAK void __real_free(void *);
extern WEAK void *__real_malloc(size_t);
extern WEAK void *__real_calloc(size_t, size_t);
extern WEAK void *__real_realloc(void *, size_t);
extern WEAK void *__asan_region_is_poisoned(void *, size_t);
extern WEAK const char *__asan_locate_address(void *, char *, size_t, void **, size_t *);

static void note_state(const void *object, enum state state)
{
    for (int i = 0; object && i < objects; i++)
        if (given[i].start == object && given[i].state != REUSED)
            given[i].state = state;
}

static void *note_made(void *made, size_t size)
{
    for (int i = 0; made && i < objects; i++)
        if (given[i].state == FREED && given[i].start <= (char *) made + size
            && (char *) made <= given[i].start + given[i].size)
            given[i].state = REUSED;
    return made;
}

void __wrap_free(void *object)
{
    note_state(object, FREED);
    __real_free(object);
}

void *__wrap_malloc(size_t size)
{
    return note_made(__real_malloc(size), size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return note_made(__real_calloc(count, size), count * size);
}

void *__wrap_realloc(void *object, size_t size)
{
    note_state(object, FREED);
    void *moved = note_made(__real_realloc(object, size), size);
    if (!moved && size)
        note_state(object, ALIVE);
    return moved;
}

/* Has the program freed the object that it was given here? */
static int is_freed(const void *object)
{
    for (int i = objects; i-- > 0;)
        if (given[i].start == object && given[i].state == ALIVE)
            return __asan_region_is_poisoned && given[i].size
                   && __asan_region_is_poisoned((void *) object, 1); /* by the C library itself */
        else if (given[i].start == object)
            return 1;
    return 0;
}

/* ------------------------------------------------------------------ what may be read */

/* The object of the caller's that an address is in, or right behind. */
static struct object *object_at(const char *place)
{
    for (int i = 0; i < objects; i++)
        if (given[i].state != REUSED && place >= given[i].start
            && place <= given[i].start + given[i].size)
            return &given[i];
    return NULL;
}

/* Can nothing lie there? The lower 4 GB are empty unless the program is loaded there, the upper half
   is the system's. */
static int is_number(const void *target)
{
    uintptr_t number = (uintptr_t) target;
    if ((uintptr_t) &csgtest_anchor >> 32)
        return number >> 32 == 0 || number >> 63;
    return number < 65536 || number >> 63;
}

enum { HEADER = 8, BLOCK = 16, LEAST_BLOCK = 24 }; /* of glibc's malloc, in bytes */

/* How many bytes glibc's malloc keeps for an object. */
static size_t block_of(size_t size)
{
    size_t room = (size + HEADER + BLOCK - 1) / BLOCK * BLOCK - HEADER;
    return room < LEAST_BLOCK ? LEAST_BLOCK : room;
}

/* The object of the caller's that a pointer to what is no object was made from. */
static struct object *object_near(const char *place)
{
    void *start = NULL;
    size_t size = 0;
    char name[1];
    struct object *found = object_at(place);
    if (found || is_number(place)
        || (__asan_region_is_poisoned && !__asan_region_is_poisoned((void *) place, 1)))
        return found;
    if (__asan_region_is_poisoned && __asan_locate_address)
        __asan_locate_address((void *) place, name, sizeof name, &start, &size);
    for (int i = 0; i < objects; i++) {
        char *from = given[i].start;
        if (given[i].state != ALIVE || (__asan_region_is_poisoned && from != start))
            continue;
        if (__asan_region_is_poisoned
            || (place + HEADER >= from && place < from + block_of(given[i].size)))
            return &given[i];
    }
    return NULL;
}

/* Is there memory at all? Nothing that a sanitizer watches: it would speak of us. */
static int is_memory(const char *place)
{
    static int ends[2] = {-1, -1};
    char taken;
    if (ends[0] < 0 && syscall(SYS_pipe2, ends, 0) != 0)
        return 0;
    if (syscall(SYS_write, ends[1], place, 1) != 1)
        return 0;
    return syscall(SYS_read, ends[0], &taken, 1) == 1;
}

/* Is it on the stack below us, where calls that are over had their variables? */
static int is_left_behind(const char *place)
{
    const char *here = __builtin_frame_address(0);
    return place < here && here - place < 8 << 20;
}

/* How many of `most` bytes may be read, to the end of the object: that of the caller's own objects
   is known, that of others where a sanitizer is. */
static size_t readable(const char *place, size_t most)
{
    const struct object *object = object_at(place);
    if (!place || is_left_behind(place) || (object && object->state == FREED))
        return 0;
    if (object && most > (size_t) (object->start + object->size - place))
        most = (size_t) (object->start + object->size - place);
    if (is_number(place) || (!object && object_near(place)))
        return 0;
    if (__asan_region_is_poisoned && most) {
        const char *end = __asan_region_is_poisoned((void *) place, most);
        most = end ? (size_t) (end - place) : most;
    }
    for (size_t done = 0; !object && done < most; done += 4096 - (uintptr_t) (place + done) % 4096)
        if (!is_memory(place + done))
            return done;
    return most;
}

/* The object if all of it may be read, or NULL. */
const void *csgtest_readable(const void *object, unsigned long size)
{
    return readable(object, size) == size ? object : NULL;
}

/* ------------------------------------------------------------------ objects of the caller */

static void *known(const char *name, void *object, size_t size)
{
    if (object && objects < MOST_OBJECTS) {
        given[objects].name = name;
        given[objects].start = object;
        given[objects].state = ALIVE;
        given[objects++].size = size;
    }
    return object;
}

/* A fresh object of exactly the recorded bytes, so that a sanitizer sees its ends; *size is theirs,
 * 0 with a null pointer. Elements of floating type come as hexadecimal too. */
void *csgtest_array(const char *name, unsigned long *size)
{
    char *kind = find(name);
    *size = 0;
    if (!kind || kind[0] != 'i')
        return NULL;
    *size = strcspn(kind + 2, "\n") / 2;
    void *object = malloc(*size);
    if (!object)
        give_up();
    unhex(kind + 2, object, *size);
    return known(name, object, *size);
}

/* ------------------------------------------------------------------ objects with members */

/* An object of zeros, or as many as the test says, `most` if it does not; NULL if it says nothing of
 * them. */
void *csgtest_object(const char *name, unsigned long size, unsigned long most)
{
    char *kind = find(name);
    if (!kind || kind[0] != 'i')
        return NULL;
    uint32_t count = (uint32_t) most;
    if (most > 1)
        unhex(kind + 2, (unsigned char *) &count, sizeof count);
    size *= count < most ? count : most;
    void *object = calloc(1, most > 1 || size ? size : 1);
    if (!object)
        give_up();
    return known(name, object, size);
}

/* Does an object reach so far? One that is not the test's own does. */
static int reaches(const void *object, unsigned long end)
{
    for (int i = objects; object && i-- > 0;)
        if (given[i].start == object)
            return end <= given[i].size;
    return object != NULL;
}

/* One that is passed by value: zeros if the test says nothing of it. */
void *csgtest_value(const char *name, unsigned long size)
{
    void *object = csgtest_object(name, size, 1);
    if (!object && !(object = calloc(1, size ? size : 1)))
        give_up();
    return object;
}

/* A pointer that leads into the object of another one, or of the program; else `object`. */
void *csgtest_inside(const char *name, void *object)
{
    char *kind = find(name);
    if (kind && kind[0] == 'g')
        return at_place(strtol(kind + 2, NULL, 10));
    if (!kind || kind[0] != 'w')
        return object;
    size_t length = strcspn(kind + 2, " \n");
    long offset = strtol(kind + 2 + length, NULL, 10);
    for (int i = 0; i < objects; i++)
        if (strlen(given[i].name) == length && strncmp(given[i].name, kind + 2, length) == 0)
            return given[i].start + offset;
    return NULL;
}

void csgtest_link(void *owner, unsigned long offset, void *target)
{
    if (reaches(owner, offset + sizeof target))
        memcpy((char *) owner + offset, &target, sizeof target);
}

/* A pointer in an object may lead into another one, which is there by now. */
void csgtest_lead(const char *name, void *owner, unsigned long offset)
{
    void *target = csgtest_inside(name, NULL);
    if (target)
        csgtest_link(owner, offset, target);
}

void csgtest_member(const char *name, void *owner, unsigned long offset, unsigned long size)
{
    if (reaches(owner, offset + size))
        csgtest_set(name, (char *) owner + offset, size);
}

/* A bit-field's bits, one by one: it may lie across bytes. */
void csgtest_bits(const char *name, void *owner, unsigned long offset, unsigned up, unsigned width)
{
    unsigned long value = 0;
    if (!reaches(owner, offset + (up + width + 7) / 8))
        return;
    csgtest_set(name, &value, sizeof value);
    for (unsigned bit = 0; bit < width; bit++) {
        unsigned char *byte = (unsigned char *) owner + offset + (up + bit) / 8;
        unsigned char mask = (unsigned char) (1u << (up + bit) % 8);
        *byte = value >> bit & 1 ? *byte | mask : *byte & (unsigned char) ~mask;
    }
}

void csgtest_returned(const void *value, unsigned long size)
{
    say_text("returned ");
    say_hex(value, size);
}

void csgtest_returned_nothing(const char *what)
{
    say_text("returned ");
    say_text(what);
    say_text("\n");
}

#define LARGE 4096 /* bytes of one part; of more a hash (FNV-1a) tells whether they differ */

static void say_memory(const char *name, const void *data, size_t size)
{
    if (size > LARGE) {
        unsigned long hash = 14695981039346656037u;
        for (size_t i = 0; i < size; i++)
            hash = (hash ^ ((const unsigned char *) data)[i]) * 1099511628211u;
        say_text("large ");
        say_text(name);
        say_text(" ");
        say_number((long) size);
        say_text(" ");
        hash = __builtin_bswap64(hash);
        say_hex(&hash, sizeof hash);
        return;
    }
    say_text("memory ");
    say_text(name);
    say_text(" ");
    say_hex(data, size);
}

void csgtest_memory(const char *name, const void *data, unsigned long size)
{
    if (is_freed(data) || readable(data, size) < size) {
        say_text("freed ");
        say_text(name);
        say_text("\n");
        return;
    }
    say_memory(name, data, size);
}

void csgtest_object_left(const char *name, const void *object)
{
    if (object && is_freed(object))
        csgtest_memory(name, object, 0);
}

/* Is this part of an object still there? */
static int is_left(const void *owner, unsigned long offset, unsigned long size)
{
    const char *place = owner;
    return owner && reaches(owner, offset + size) && !is_freed(owner)
           && (size == 0 || csgtest_readable(place + offset, size));
}

void csgtest_member_left(const char *name, const void *owner, unsigned long offset,
                         unsigned long size)
{
    if (is_left(owner, offset, size))
        say_memory(name, (const char *) owner + offset, size);
}

void csgtest_bits_left(const char *name, const void *owner, unsigned long offset, unsigned up,
                       unsigned width)
{
    unsigned long value = 0;
    if (!is_left(owner, offset, (up + width + 7) / 8))
        return;
    for (unsigned bit = 0; bit < width; bit++) {
        const unsigned char *byte = (const unsigned char *) owner + offset + (up + bit) / 8;
        value |= (unsigned long) (*byte >> (up + bit) % 8 & 1) << bit;
    }
    say_memory(name, &value, sizeof value);
}

const void *csgtest_followed(const void *owner, unsigned long offset, unsigned long size)
{
    const void *target = NULL;
    if (csgtest_readable((const char *) owner + (owner ? offset : 0), sizeof target))
        memcpy(&target, (const char *) owner + offset, sizeof target);
    return csgtest_readable(target, size);
}

/* A text: its bytes before the first 0, at most LONGEST_TEXT, and whether its object ends before
   that. One of which no byte may be read is none. */
struct text {
    size_t length;
    int is_open, is_none;
};

static struct text text_at(const char *place)
{
    struct text text = {0, 0, 0};
    size_t most = readable(place, LONGEST_TEXT);
    while (text.length < most && ((const volatile char *) place)[text.length])
        text.length++;
    text.is_none = most == 0;
    text.is_open = text.length == most && most < LONGEST_TEXT;
    return text;
}

/* Say an object that the caller gave, and how far from its start. Returns 0 where there is none. */
static int say_object(const struct object *object, const char *target)
{
    if (!object)
        return 0;
    long distance = target - object->start;
    say_text(" ");
    say_text(object->name);
    say_text(" ");
    say_hex(&distance, sizeof distance);
    return 1;
}

/* Say the name of the function or object of a library at this address, or else how far the address
   is from this program's anchor. A pointer that leads nowhere is a number. */
static void say_elsewhere(const char *target)
{
    Dl_info info;
    if (is_number(target)) {
        say_text(" number ");
        say_number((long) target);
        say_text("\n");
        return;
    }
    if (dladdr && dladdr(target, &info) && info.dli_sname && info.dli_saddr == target) {
        unsigned long distance = 0;
        say_text(" ");
        say(info.dli_sname, strlen(info.dli_sname));
        say_text(" ");
        say_hex(&distance, sizeof distance);
        return;
    }
    say_text(" elsewhere ");
    say_number(target - &csgtest_anchor);
    say_text("\n");
}

/* Where a returned pointer leads. */
void csgtest_returned_pointer(const void *target)
{
    if (!target) {
        say_text("returned null\n");
        return;
    }
    say_text("returned pointer");
    if (!say_object(object_near(target), target))
        say_elsewhere(target);
}

/* A returned text, and where it lies in an object that the caller gave. */
void csgtest_returned_string(const char *target)
{
    struct text text = text_at(target);
    if (text.is_none) {
        csgtest_returned_pointer(target);
        return;
    }
    if (object_at(target)) {
        say_text("lies");
        say_object(object_at(target), target);
    }
    say_text(text.is_open ? "returned open " : "returned ");
    say_hex(target, text.length);
}

/* Where a pointer leads now: to nothing, into an object that the caller gave, or elsewhere; there
   only a text is looked at. */
void csgtest_link_left(const char *name, const void *owner, unsigned long offset, int text)
{
    char *target;
    if (!is_left(owner, offset, sizeof target))
        return;
    memcpy(&target, (const char *) owner + offset, sizeof target);
    say_text("link ");
    say_text(name);
    if (!target) {
        say_text(" null\n");
        return;
    }
    struct text found = text && !object_at(target) ? text_at(target) : (struct text) {0, 0, 1};
    if (!found.is_none) {
        say_text(" text ");
        say_hex(target, found.length);
    } else if (!say_object(object_near(target), target)) {
        say_elsewhere(target);
    }
}

/* ------------------------------------------------------------------ global and static objects */

#define MOST_WATCHED 1024

void csgtest_set_objects(void)
{
    for (char *line = lines; line && *line; line = next_line(line))
        if (line[0] == 's' && line[1] == ' ') {
            char *rest;
            long place = strtol(line + 2, &rest, 10);
            unsigned long size = strtoul(rest, &rest, 10);
            store_value(rest + 1, at_place(place), size);
        }
    for (char *line = lines; line && *line; line = next_line(line))
        if (line[0] == 'e' && line[1] == ' ')
            store_value(line + 2, &errno, sizeof errno);
    if (csgtest_log_from_here)
        csgtest_log_from_here();
}

static unsigned long number(char **rest)
{
    return strtoul(*rest, rest, 10);
}

void csgtest_objects_left(void)
{
    static const void *seen[MOST_WATCHED];
    unsigned count = 0;
    char name[256];
    for (char *line = lines; line && *line; line = next_line(line)) {
        if (line[0] != 'w' || line[1] != ' ' || count >= MOST_WATCHED)
            continue;
        char kind = line[2], *rest = line + 4;
        if (kind == 'o') {
            seen[count++] = at_place(strtol(rest, &rest, 10));
            continue;
        }
        if (kind == 'f') {
            unsigned long owner = number(&rest), offset = number(&rest), size = number(&rest);
            seen[count++] = csgtest_followed(seen[owner], offset, size);
            continue;
        }
        size_t length = strcspn(rest, " ");
        if (length >= sizeof name)
            continue;
        memcpy(name, rest, length);
        name[length] = '\0';
        rest += length;
        unsigned long owner = number(&rest), offset = number(&rest), size = number(&rest);
        if (kind == 'm')
            csgtest_member_left(name, seen[owner], offset, size);
        else if (kind == 'b')
            csgtest_bits_left(name, seen[owner], offset, (unsigned) size, (unsigned) number(&rest));
        else if (kind == 'l')
            csgtest_link_left(name, seen[owner], offset, size != 0);
    }
}

enum { UNHEARD = 64 }; /* the signal that ends us where the call, or its end, cannot be told of */

static __attribute__((noreturn)) void end_unheard(void)
{
    unsigned long none[4] = {0}, own = 1ul << (UNHEARD - 1);
    syscall(SYS_rt_sigaction, UNHEARD, none, NULL, sizeof own); /* as by default */
    syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &own, NULL, sizeof own);
    syscall(SYS_kill, syscall(SYS_getpid), UNHEARD);
    _exit(125);
}

/* The call begins now: nothing that ended the process before says anything of it. */
void csgtest_called(void)
{
    if (logs)
        return;
    if (!is_heard())
        end_unheard();
    say_text("called\n");
}

/* The call has returned, and that is all there is to see: what it left to be done when a process
   ends (atexit) would be done at the end of its caller's. */
void csgtest_finished(void)
{
    fflush(NULL);
    if (!logs && !is_heard())
        end_unheard();
    say_text("done\n");
    _exit(0);
}

/* ------------------------------------------------------------------ for recorded_inputs.c */

/* What stands behind the kind (n or o) of the next such line, or NULL. */
char *csgtest_recorded(char kind)
{
    char **next = kind == 'n' ? &next_nondet : &next_object;
    while (*next && **next && **next != kind)
        *next = next_line(*next);
    if (!*next || !**next)
        return NULL;
    char *found = *next + 2;
    *next = next_line(*next);
    return found;
}

void csgtest_store(const char *kind, void *value, unsigned long size)
{
    store_value(kind, value, size);
}

void csgtest_assume_failed(void)
{
    say_text("assume\n");
    _exit(0);
}
