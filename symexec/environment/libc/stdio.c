/* The standard streams, and what of stdio is no matter of bytes: C17 7.21.
 *
 * Models in Python know a stream by the descriptor that its object starts with. The objects are as
 * large as glibc's. There are no files yet: opening one fails. */

typedef union {
    int descriptor;
    char room[216];
} FILE;

extern int __csgtest_errno;
extern int fputs(const char *text, FILE *to);
extern int fputc(int c, FILE *to);
extern char *strerror(int number);

enum { NO_SUCH_FILE = 2 };

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

FILE *fopen(const char *name, const char *mode)
{
    (void) name, (void) mode;
    __csgtest_errno = NO_SUCH_FILE;
    return 0;
}

FILE *fopen64(const char *name, const char *mode) { return fopen(name, mode); }

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
