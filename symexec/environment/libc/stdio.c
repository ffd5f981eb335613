/* The standard streams, and what of stdio is no matter of bytes: C17 7.21.
 *
 * Models in Python know a stream by the descriptor that its object starts with. The objects are as
 * large as glibc's. Files are opened by their models (symexec/environment/files.py). */

typedef union {
    int descriptor;
    char room[216];
} FILE;

extern int __csgtest_errno;
extern int fputs(const char *text, FILE *to);
extern int fputc(int c, FILE *to);
extern char *strerror(int number);

extern int open(const char *name, int flags, ...);
extern int close(int descriptor);
extern void *malloc(unsigned long n);
extern void *memset(void *to, int value, unsigned long n);
extern void clearerr(FILE *stream);
extern long __csgtest_seek(int descriptor, long offset, int whence);
extern long __csgtest_tell(int descriptor);

enum { INVALID = 22 };

static FILE standard_input = {0}, standard_output = {1}, standard_error = {2};

FILE *stdin = &standard_input;
FILE *stdout = &standard_output;
FILE *stderr = &standard_error;

int fflush(FILE *stream) { return (void) stream, 0; }
int fflush_unlocked(FILE *stream) { return (void) stream, 0; }
int fpurge(FILE *stream) { return (void) stream, 0; }
void __fpurge(FILE *stream) { (void) stream; }
void setbuf(FILE *stream, char *buffer) { (void) stream, (void) buffer; }
void setbuffer(FILE *stream, char *buffer, unsigned long n) { (void) stream, (void) buffer, (void) n; }
void setlinebuf(FILE *stream) { (void) stream; }

int setvbuf(FILE *stream, char *buffer, int mode, unsigned long n)
{
    (void) stream, (void) buffer, (void) n;
    return mode >= 0 && mode <= 2 ? 0 : -1;
}

void flockfile(FILE *stream) { (void) stream; }
void funlockfile(FILE *stream) { (void) stream; }
int ftrylockfile(FILE *stream) { return (void) stream, 0; }

enum { WRITE_ONLY = 1, READ_WRITE = 2, CREATE = 0100, EXCLUSIVE = 0200, EMPTY = 01000, APPEND = 02000 };

static int flags_of(const char *mode)
{
    int flags;
    if (*mode == 'r')
        flags = 0;
    else if (*mode == 'w')
        flags = WRITE_ONLY | CREATE | EMPTY;
    else if (*mode == 'a')
        flags = WRITE_ONLY | CREATE | APPEND;
    else
        return -1;
    while (*++mode)
        if (*mode == '+')
            flags = (flags & ~WRITE_ONLY) | READ_WRITE;
        else if (*mode == 'x')
            flags |= EXCLUSIVE;
    return flags;
}

FILE *fdopen(int descriptor, const char *mode)
{
    if (flags_of(mode) < 0) {
        __csgtest_errno = INVALID;
        return 0;
    }
    FILE *stream = malloc(sizeof *stream);
    if (stream) {
        memset(stream, 0, sizeof *stream);
        stream->descriptor = descriptor;
    }
    return stream;
}

FILE *fopen(const char *name, const char *mode)
{
    int flags = flags_of(mode);
    if (flags < 0) {
        __csgtest_errno = INVALID;
        return 0;
    }
    int descriptor = open(name, flags, 0666);
    return descriptor < 0 ? 0 : fdopen(descriptor, mode);
}

FILE *fopen64(const char *name, const char *mode) { return fopen(name, mode); }

FILE *freopen(const char *name, const char *mode, FILE *stream)
{
    if (!name)
        return stream;
    if (stream->descriptor > 2)
        close(stream->descriptor);
    int flags = flags_of(mode), descriptor = flags < 0 ? -1 : open(name, flags, 0666);
    if (descriptor < 0)
        return 0;
    stream->descriptor = descriptor;
    return stream;
}

FILE *freopen64(const char *name, const char *mode, FILE *stream)
{
    return freopen(name, mode, stream);
}

int fseek(FILE *stream, long offset, int whence)
{
    return __csgtest_seek(stream->descriptor, offset, whence) < 0 ? -1 : 0;
}

int fseeko(FILE *stream, long offset, int whence) { return fseek(stream, offset, whence); }
int fseeko64(FILE *stream, long offset, int whence) { return fseek(stream, offset, whence); }
long ftell(FILE *stream) { return __csgtest_tell(stream->descriptor); }
long ftello(FILE *stream) { return ftell(stream); }
long ftello64(FILE *stream) { return ftell(stream); }

void rewind(FILE *stream)
{
    fseek(stream, 0, 0);
    clearerr(stream);
}

/* Nothing is buffered. */
unsigned long __fpending(FILE *stream) { return (void) stream, 0; }
int __freading(FILE *stream) { return stream->descriptor != 1 && stream->descriptor != 2; }
int __fwriting(FILE *stream) { return !__freading(stream); }

int isatty(int descriptor)
{
    (void) descriptor;
    __csgtest_errno = 25; /* ENOTTY */
    return 0;
}

void perror(const char *text)
{
    int number = __csgtest_errno;
    if (text && *text) {
        fputs(text, stderr);
        fputs(": ", stderr);
    }
    fputs(strerror(number), stderr);
    fputc('\n', stderr);
}
