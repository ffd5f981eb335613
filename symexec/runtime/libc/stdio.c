/* Streams, as far as they are objects in memory: C17 7.21.
 *
 * Models in Python (symexec/runtime/stdio/streams.py, opening.py) know a stream by the number that its
 * object starts with. The objects are as large as glibc's. */

/* Effects of calls, as csg/ir/library_effects.py reads them:
 *     fclose fseek fseeko rewind: reads 0.., writes 0.. errno
 *     setvbuf: reads 0.., writes 0..
 *     fdopen fopen: reads 0.., writes errno, fresh
 *     freopen: reads 0 1 2, writes 2 errno, returns 2
 *     fflush: reads 0, writes 0 errno
 *     ftell ftello: reads 0, writes errno
 *     perror: reads 0 errno, writes errno, output */

typedef union {
    int number;
    struct {
        long head;
        char *buffer; /* the caller's, which a stream may be the only one to know of */
        void *memory; /* of a stream into memory (memory_streams.c) */
        int locks; /* by flockfile */
    } kept;
    char room[216];
} FILE;

extern int __csgtest_errno;
extern int fputs(const char *text, FILE *to);
extern int fputc(int c, FILE *to);
extern char *strerror(int number);
extern int fileno(FILE *stream);
extern int dprintf(int descriptor, const char *format, ...);

extern int open(const char *name, int flags, ...);
extern int close(int descriptor);
extern void *__csgtest_stream_room(unsigned long n);
extern void free(void *p);
extern void *memset(void *to, int value, unsigned long n);
extern void clearerr(FILE *stream);
extern int __csgtest_attach(int descriptor, int flags);
extern int __csgtest_reopen(FILE *stream, const char *name, int flags);
extern int __csgtest_close(FILE *stream);
extern int __csgtest_flush(FILE *stream);
extern int __csgtest_flush_all(void);
extern int __csgtest_buffering(FILE *stream, int mode, unsigned long size); /* 0: as it comes */
extern void __csgtest_approximated(const char *what);
extern unsigned long __csgtest_pending(FILE *stream);
extern int __csgtest_begun(FILE *stream); /* was anything written? */
extern int __csgtest_purge(FILE *stream);
extern int __csgtest_access(FILE *stream);
extern int __csgtest_seek(FILE *stream, long offset, int whence);
extern long __csgtest_tell(FILE *stream);

enum { INVALID = 22 };

static FILE standard_input = {0}, standard_output = {1}, standard_error = {2};

FILE *stdin = &standard_input;
FILE *stdout = &standard_output;
FILE *stderr = &standard_error;

/* Brings the memory of a stream (null: of all) up to date; null as long as there is none. */
void (*__csgtest_settle)(FILE *stream, int closing);

int fflush(FILE *stream)
{
    int result = stream ? __csgtest_flush(stream) : __csgtest_flush_all();
    if (__csgtest_settle && (!stream || stream->kept.memory))
        __csgtest_settle(stream, 0);
    return result;
}

int fflush_unlocked(FILE *stream) { return fflush(stream); }
int fpurge(FILE *stream) { return __csgtest_purge(stream); }
void __fpurge(FILE *stream) { __csgtest_purge(stream); }

int setvbuf(FILE *stream, char *buffer, int mode, unsigned long n)
{
    if (mode < 0 || mode > 2)
        return -1;
    if (buffer && mode < 2 && !n) {
        if (mode == 1)
            __csgtest_approximated("a stream with a buffer of 0 bytes for lines");
        mode = 2;
    }
    if (buffer || mode == 2)
        stream->kept.buffer = buffer;
    return __csgtest_buffering(stream, mode, buffer && mode < 2 ? n : 0);
}

void setbuffer(FILE *stream, char *buffer, unsigned long n) { setvbuf(stream, buffer, buffer ? 0 : 2, n); }
void setbuf(FILE *stream, char *buffer) { setbuffer(stream, buffer, 8192 /* BUFSIZ */); }
void setlinebuf(FILE *stream) { __csgtest_buffering(stream, 1, 0); }

/* There is one thread; the caller may have others. */
void flockfile(FILE *stream) { stream->kept.locks++; }
void funlockfile(FILE *stream) { stream->kept.locks--; }
int ftrylockfile(FILE *stream) { return stream->kept.locks++, 0; }

enum {
    WRITE_ONLY = 1,
    READ_WRITE = 2,
    CREATE = 0100,
    EXCLUSIVE = 0200,
    EMPTY = 01000,
    APPEND = 02000,
    CLOSE_ON_EXEC = 02000000,
};

static int flags_of(const char *mode)
{
    int flags;
    if (*mode == 'r')
        flags = 0;
    else if (*mode == 'w')
        flags = WRITE_ONLY | CREATE | EMPTY;
    else if (*mode == 'a')
        flags = WRITE_ONLY | CREATE | APPEND;
    else {
        __csgtest_errno = INVALID;
        return -1;
    }
    for (int i = 1; i < 7 && *++mode; i++)
        if (*mode == '+')
            flags = (flags & ~WRITE_ONLY) | READ_WRITE;
        else if (*mode == 'x')
            flags |= EXCLUSIVE;
        else if (*mode == 'e')
            flags |= CLOSE_ON_EXEC;
    return flags;
}

static FILE *stream_for(int descriptor, int flags)
{
    int number = __csgtest_attach(descriptor, flags);
    if (number < 0)
        return 0;
    FILE *stream = __csgtest_stream_room(sizeof *stream);
    if (stream) {
        memset(stream, 0, sizeof *stream);
        stream->number = number;
    }
    return stream;
}

FILE *fdopen(int descriptor, const char *mode)
{
    int flags = flags_of(mode);
    return flags < 0 ? 0 : stream_for(descriptor, flags);
}

FILE *fopen(const char *name, const char *mode)
{
    int flags = flags_of(mode);
    if (flags < 0)
        return 0;
    int descriptor = open(name, flags, 0666);
    return descriptor < 0 ? 0 : stream_for(descriptor, flags);
}

FILE *fopen64(const char *name, const char *mode) { return fopen(name, mode); }

FILE *freopen(const char *name, const char *mode, FILE *stream)
{
    int flags = flags_of(mode);
    return flags < 0 || __csgtest_reopen(stream, name, flags) < 0 ? 0 : stream;
}

FILE *freopen64(const char *name, const char *mode, FILE *stream)
{
    return freopen(name, mode, stream);
}

int fclose(FILE *stream)
{
    if (stream->kept.memory)
        __csgtest_settle(stream, 1);
    int result = __csgtest_close(stream);
    if (stream != &standard_input && stream != &standard_output && stream != &standard_error)
        free(stream);
    return result;
}

int fseek(FILE *stream, long offset, int whence)
{
    return __csgtest_seek(stream, offset, whence) < 0 ? -1 : 0;
}

int fseeko(FILE *stream, long offset, int whence) { return fseek(stream, offset, whence); }
int fseeko64(FILE *stream, long offset, int whence) { return fseek(stream, offset, whence); }
long ftell(FILE *stream) { return __csgtest_tell(stream); }
long ftello(FILE *stream) { return ftell(stream); }
long ftello64(FILE *stream) { return ftell(stream); }

typedef struct {
    long position, unused;
} fpos_t;

int fgetpos(FILE *stream, fpos_t *position)
{
    position->position = ftell(stream);
    return position->position < 0 ? -1 : 0;
}

int fsetpos(FILE *stream, const fpos_t *position) { return fseek(stream, position->position, 0); }

void rewind(FILE *stream)
{
    fseek(stream, 0, 0);
    clearerr(stream);
}

unsigned long __fpending(FILE *stream) { return __csgtest_pending(stream); }
int __freading(FILE *stream) { return __csgtest_access(stream) == 0; }
int __fwriting(FILE *stream)
{
    return __csgtest_access(stream) == 1 || (__csgtest_access(stream) == 2 && __csgtest_pending(stream));
}
int __freadable(FILE *stream) { return __csgtest_access(stream) != 1; }
int __fwritable(FILE *stream) { return __csgtest_access(stream) != 0; }

void perror(const char *text)
{
    int number = __csgtest_errno;
    if (!__csgtest_begun(stderr) && fileno(stderr) >= 0) { /* glibc leaves its buffer alone */
        int told = text && *text;
        dprintf(fileno(stderr), "%s%s%s\n", told ? text : "", told ? ": " : "", strerror(number));
        return;
    }
    if (text && *text) {
        fputs(text, stderr);
        fputs(": ", stderr);
    }
    fputs(strerror(number), stderr);
    fputc('\n', stderr);
}
