/* Streams into memory: POSIX open_memstream and fmemopen.
 *
 *     FILE *f = open_memstream(&text, &size); fputs("ab", f); fclose(f);   ->   text "ab", size 2
 *
 * Such a stream stands on a file that has no name and no number; fflush and fclose bring the
 * program's memory up to date. What a buffer of fmemopen holds is read when it is opened. */

typedef unsigned long size_t;

struct memory;

typedef union {
    int number;
    struct {
        long head;
        char *buffer;
        struct memory *memory;
    } kept;
    char room[216];
} FILE;

/* ``text`` and ``size`` are open_memstream's; ``to``, ``room`` and ``begun`` (the bytes at first)
 * fmemopen's. */
struct memory {
    int descriptor;
    char **text;
    size_t *size;
    char *to;
    size_t room, begun;
    int update, own;
    FILE *stream;
    struct memory *next;
};

extern int __csgtest_errno;
extern void (*__csgtest_settle)(FILE *stream, int closing);
extern int __csgtest_memory_file(void);
extern int __csgtest_flush(FILE *stream);
extern long __csgtest_tell(FILE *stream);
extern FILE *fdopen(int descriptor, const char *mode);
extern void __csgtest_unsupported(const char *what) __attribute__((noreturn));
extern void *calloc(size_t count, size_t n);
extern void *realloc(void *p, size_t n);
extern void free(void *p);
extern size_t strnlen(const char *s, size_t n);
extern long lseek(int d, long offset, int whence);
extern long write(int d, const void *from, size_t n);
extern long pread(int d, void *to, size_t n, long offset);
extern int close(int d);

static struct memory *all;

/* The size of the file; where it stands stays. */
static size_t length(int d)
{
    long here = lseek(d, 0, 1), end = lseek(d, 0, 2);
    lseek(d, here, 0);
    return (size_t) end;
}

/* glibc ends the text where a stream that is closed stands. */
static void settle_grown(struct memory *m, int closing)
{
    size_t end = length(m->descriptor), here = (size_t) __csgtest_tell(m->stream);
    char *text = realloc(m->to, end + 1);
    if (!text)
        return;
    pread(m->descriptor, text, end, 0);
    text[closing && here < end ? here : end] = 0;
    *m->text = m->to = text;
    *m->size = here < end ? here : end;
}

static void settle_given(struct memory *m)
{
    size_t end = length(m->descriptor);
    if (end > m->room || (end == m->room && end > m->begun))
        __csgtest_unsupported("a stream of fmemopen that is written to its end");
    if (m->update || end > m->begun)
        pread(m->descriptor, m->to, end, 0);
    if (end > m->begun && m->to[end - 1])
        m->to[end] = 0;
}

static void settle_one(struct memory *m, int closing)
{
    __csgtest_flush(m->stream);
    if (m->text)
        settle_grown(m, closing);
    else
        settle_given(m);
}

static void settle(FILE *stream, int closing)
{
    struct memory **place = &all;
    for (struct memory *m = all; m; m = m->next)
        if (stream ? m->stream == stream : !m->text) /* as glibc's fflush(0) */
            settle_one(m, closing);
    if (!closing)
        return;
    while ((*place)->stream != stream)
        place = &(*place)->next;
    struct memory *gone = *place;
    *place = gone->next;
    if (gone->own)
        free(gone->to);
    free(gone);
}

static FILE *opened(struct memory *m, const char *mode)
{
    FILE *stream = fdopen(m->descriptor, mode);
    if (!stream) {
        close(m->descriptor);
        free(m);
        return 0;
    }
    __csgtest_settle = settle;
    m->stream = stream;
    m->next = all;
    all = m;
    stream->kept.memory = m;
    return stream;
}

FILE *open_memstream(char **text, size_t *size)
{
    struct memory *m = calloc(1, sizeof *m);
    if (!m)
        return 0;
    m->descriptor = __csgtest_memory_file();
    m->text = text;
    m->size = size;
    FILE *stream = opened(m, "w");
    if (stream)
        settle_grown(m, 0);
    return stream;
}

FILE *fmemopen(void *buffer, size_t room, const char *mode)
{
    struct memory *m = calloc(1, sizeof *m);
    if (!m)
        return 0;
    m->descriptor = __csgtest_memory_file();
    m->own = !buffer;
    m->to = buffer ? buffer : calloc(1, room);
    m->room = room;
    m->update = *mode == 'r' && (mode[1] == '+' || (mode[1] && mode[2] == '+'));
    if (*mode == 'w' && mode[1] == '+' && room)
        *m->to = 0;
    m->begun = *mode == 'r' ? room : *mode == 'a' ? strnlen(m->to, room) : 0;
    write(m->descriptor, m->to, m->begun);
    lseek(m->descriptor, 0, 0);
    return opened(m, mode);
}
