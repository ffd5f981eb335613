// stdin: first line\nsecond\n
/* Pipes within one process, duplicated descriptors, several stretches at once. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static char text[40];

static void got(long n)
{
    printf("%ld %.*s|\n", n, n > 0 ? (int) n : 0, text);
    fflush(stdout);
}

static void by_descriptor(void)
{
    int p[2], made = pipe(p);
    printf("%d %d %d\n", made, p[0], p[1]);
    got(write(p[1], "abcdef", 6));
    got(read(p[0], text, 4));
    int twin = dup(p[1]);
    close(p[1]);
    write(twin, "gh", 2);
    got(read(p[0], text, 40));
    printf("%ld ", (long) lseek(p[0], 0, SEEK_SET));
    printf("%d ", errno == ESPIPE);
    printf("%ld ", (long) write(p[0], "x", 1));
    printf("%d ", errno == EBADF);
    printf("%ld ", (long) read(twin, text, 1));
    printf("%d\n", errno == EBADF);
    close(twin);
    got(read(p[0], text, 40));
    close(p[0]);
    pipe2(p, O_NONBLOCK | O_CLOEXEC);
    got(read(p[0], text, 1));
    printf("%d %d\n", errno == EAGAIN, fcntl(p[1], F_GETFD));
    close(p[0]);
    close(p[1]);
    printf("%d ", pipe2(p, O_APPEND));
    printf("%d\n", errno == EINVAL);
}

static void by_stream(void)
{
    int p[2], c;
    pipe(p);
    FILE *in = fdopen(p[1], "w"), *out = fdopen(p[0], "r");
    fprintf(in, "%d and %s\n", 12, "more");
    fflush(in);
    printf("%s", fgets(text, sizeof text, out));
    fputs("rest", in);
    fclose(in);
    while ((c = getc(out)) != EOF)
        putchar(c);
    printf(" %d\n", feof(out) != 0);
    fclose(out);
}

static void redirected(void)
{
    int p[2], kept = dup(1);
    pipe(p);
    struct iovec parts[] = {{text, 2}, {text + 2, 30}};
    write(p[1], "ab", 2);
    got(readv(p[0], parts, 2));
    fflush(stdout);
    dup2(p[1], 1);
    printf("into the pipe");
    fflush(stdout);
    dup2(kept, 1);
    close(kept);
    close(p[1]);
    got(read(p[0], text, sizeof text));
    close(p[0]);
}

static void vectors(void)
{
    char a[4], b[8];
    struct iovec in[] = {{a, 3}, {b, 0}, {b, 8}}, out[] = {{"one ", 4}, {"", 0}, {"two\n", 4}};
    long n = readv(0, in, 3);
    printf("%ld %.3s,%.8s|\n", n, a, b);
    fflush(stdout);
    n = writev(1, out, 3);
    printf("%ld ", n);
    printf("%ld ", (long) writev(1, out, -1));
    printf("%d ", errno == EINVAL);
    printf("%ld\n", (long) writev(77, out, 0));
}

int main(void)
{
    setvbuf(stdout, NULL, _IOFBF, 0);
    by_descriptor();
    by_stream();
    redirected();
    vectors();
    return 0;
}
