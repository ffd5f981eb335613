/* Messages about errors: GNU error and error_at_line, BSD err and warn.
 *
 *     error(2, ENOENT, "%s", name)   ->   "program: name: No such file or directory\n", exit(2) */

/* Effects of calls, as csg/ir/library_effects.py reads them:
 *     error: reads 0.., writes error_message_count errno, output
 *     errx warnx: reads 0.., writes errno, output
 *     err warn: reads 0.. errno, writes errno, output
 *     error_at_line verr verrx vwarn vwarnx: code, output */

typedef union {
    int descriptor;
    char room[216];
} FILE;

typedef __builtin_va_list va_list;

extern FILE *stdout, *stderr;
extern int __csgtest_errno;
extern int fflush(FILE *stream);
extern int fprintf(FILE *to, const char *format, ...);
extern int vfprintf(FILE *to, const char *format, va_list rest);
extern int fputs(const char *text, FILE *to);
extern int strcmp(const char *a, const char *b);
extern char *strerror(int number);
extern void exit(int status) __attribute__((noreturn));

/* Set where execution starts, from argv[0]. */
char *program_invocation_name = (char *) "";
char *program_invocation_short_name = (char *) "";
char *__progname = (char *) "", *__progname_full = (char *) "";

unsigned int error_message_count;
int error_one_per_line;
void (*error_print_progname)(void);

void __csgtest_name_program(char *name)
{
    char *last = name;
    for (char *c = name; *c; c++)
        if (*c == '/')
            last = c + 1;
    program_invocation_name = __progname_full = name;
    program_invocation_short_name = __progname = last;
}

static void finish(int status, int number, const char *format, va_list rest)
{
    vfprintf(stderr, format, rest);
    error_message_count++;
    if (number)
        fprintf(stderr, ": %s", strerror(number));
    fputs("\n", stderr);
    if (status)
        exit(status);
}

void error(int status, int number, const char *format, ...)
{
    va_list rest;
    fflush(stdout);
    if (error_print_progname)
        error_print_progname();
    else
        fprintf(stderr, "%s: ", program_invocation_name);
    __builtin_va_start(rest, format);
    finish(status, number, format, rest);
    __builtin_va_end(rest);
}

void error_at_line(int status, int number, const char *file, unsigned int line, const char *format,
                   ...)
{
    static const char *last_file;
    static unsigned int last_line;
    if (error_one_per_line) {
        if (last_line == line && (file == last_file || (file && last_file && !strcmp(file, last_file))))
            return;
        last_file = file;
        last_line = line;
    }
    va_list rest;
    fflush(stdout);
    if (error_print_progname)
        error_print_progname();
    else
        fprintf(stderr, "%s:", program_invocation_name);
    if (file)
        fprintf(stderr, "%s:%d: ", file, (int) line); /* as glibc does */
    else
        fputs(" ", stderr);
    __builtin_va_start(rest, format);
    finish(status, number, format, rest);
    __builtin_va_end(rest);
}

/* ---------------------------------------------------------------------- BSD */

void vwarnx(const char *format, va_list rest)
{
    fprintf(stderr, "%s: ", program_invocation_short_name);
    if (format)
        vfprintf(stderr, format, rest);
    fputs("\n", stderr);
}

void vwarn(const char *format, va_list rest)
{
    int number = __csgtest_errno;
    fprintf(stderr, "%s: ", program_invocation_short_name);
    if (format) {
        vfprintf(stderr, format, rest);
        fputs(": ", stderr);
    }
    fprintf(stderr, "%s\n", strerror(number));
}

void verr(int status, const char *format, va_list rest)
{
    vwarn(format, rest);
    exit(status);
}

void verrx(int status, const char *format, va_list rest)
{
    vwarnx(format, rest);
    exit(status);
}

void warn(const char *format, ...)
{
    va_list rest;
    __builtin_va_start(rest, format);
    vwarn(format, rest);
    __builtin_va_end(rest);
}

void warnx(const char *format, ...)
{
    va_list rest;
    __builtin_va_start(rest, format);
    vwarnx(format, rest);
    __builtin_va_end(rest);
}

void err(int status, const char *format, ...)
{
    va_list rest;
    __builtin_va_start(rest, format);
    verr(status, format, rest);
}

void errx(int status, const char *format, ...)
{
    va_list rest;
    __builtin_va_start(rest, format);
    verrx(status, format, rest);
}
