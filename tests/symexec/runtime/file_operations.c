/* Does what the lines on standard input say with files, and tells what came of it:
 *
 *     popen a 66 420         open("a", O_RDWR | O_CREAT, 0644)            3
 *     punlink none           unlink("none")                               -1 2
 *
 * A text has no spaces; an empty one is "@". Descriptors are numbers, streams have four slots. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char script[1 << 16], *words[6];
static FILE *streams[4];
static int turned[4]; /* what a stream did last: 1 read, 2 wrote */

static int number(int place) { return words[place] ? atoi(words[place]) : 0; }

static const char *text(int place)
{
    return words[place] && strcmp(words[place], "@") ? words[place] : "";
}

static void told(long result)
{
    int error = errno;
    if (result < 0)
        printf(" %ld %d\n", result, error);
    else
        printf(" %ld\n", result);
}

static void show(const char *data, long size)
{
    for (long i = 0; i < size; i++)
        printf(data[i] > ' ' ? "%c" : "\\%d", data[i]);
    printf(" ");
}

static void told_status(int result, const struct stat *s)
{
    told(result);
    if (result == 0 && !S_ISFIFO(s->st_mode) && !(s->st_mode & S_ISVTX)) /* not /tmp */
        printf("  %o %d %d %d\n", s->st_mode, (int) s->st_nlink, s->st_size > 0 && !S_ISDIR(s->st_mode),
               S_ISDIR(s->st_mode) ? 0 : (int) s->st_size);
}

static int by_name(const void *a, const void *b) { return strcmp(*(char **) a, *(char **) b); }

static void list(const char *name)
{
    char *names[100];
    int count = 0;
    char *path = realpath(name, NULL);
    if (path && (!strcmp(path, "/") || !strcmp(path, "/tmp"))) /* there is more in it natively */
        return;
    DIR *folder = opendir(name);
    if (!folder) {
        told(-1);
        return;
    }
    for (struct dirent *entry; (entry = readdir(folder)) && count < 100;) {
        names[count] = malloc(strlen(entry->d_name) + 8);
        sprintf(names[count++], "%s:%d", entry->d_name, entry->d_type);
    }
    qsort(names, count, sizeof *names, by_name);
    for (int i = 0; i < count; i++)
        printf(" %s", names[i]);
    told(closedir(folder));
}

static void on_descriptor(const char *what)
{
    static char data[9000];
    struct stat status;
    long got;
    int d = number(1);
    if (!strcmp(what, "close"))
        told(close(d));
    else if (!strcmp(what, "read") || !strcmp(what, "pread")) {
        got = *what == 'r' ? read(d, data, number(2)) : pread(d, data, number(2), number(3));
        int error = errno;
        show(data, got);
        errno = error;
        told(got);
    } else if (!strcmp(what, "write"))
        told(write(d, text(2), strlen(text(2))));
    else if (!strcmp(what, "pwrite"))
        told(pwrite(d, text(2), strlen(text(2)), number(3)));
    else if (!strcmp(what, "fill")) {
        memset(data, text(2)[0], sizeof data);
        told(write(d, data, number(3)));
    } else if (!strcmp(what, "lseek"))
        told(lseek(d, number(2), number(3)));
    else if (!strcmp(what, "dup"))
        told(dup(d));
    else if (!strcmp(what, "dup2"))
        told(dup2(d, number(2)));
    else if (!strcmp(what, "fcntl"))
        told(fcntl(d, number(2), number(3)));
    else if (!strcmp(what, "isatty"))
        told(isatty(d));
    else if (!strcmp(what, "fchdir"))
        told(fchdir(d));
    else if (!strcmp(what, "fchmod"))
        told(fchmod(d, number(2)));
    else if (!strcmp(what, "ftruncate"))
        told(ftruncate(d, number(2)));
    else if (!strcmp(what, "fstat"))
        got = fstat(d, &status), told_status(got, &status);
    else if (!strcmp(what, "openat"))
        told(openat(d, text(2), number(3), number(4)));
    else if (!strcmp(what, "unlinkat"))
        told(unlinkat(d, text(2), number(3)));
    else if (!strcmp(what, "fstatat"))
        got = fstatat(d, text(2), &status, number(3)), told_status(got, &status);
}

static void on_path(const char *what)
{
    static char data[PATH_MAX];
    struct stat status;
    long got;
    const char *path = text(1);
    if (!strcmp(what, "open"))
        told(open(path, number(2), number(3)));
    else if (!strcmp(what, "creat"))
        told(creat(path, number(2)));
    else if (!strcmp(what, "stat"))
        got = stat(path, &status), told_status(got, &status);
    else if (!strcmp(what, "lstat"))
        got = lstat(path, &status), told_status(got, &status);
    else if (!strcmp(what, "access"))
        told(access(path, number(2)));
    else if (!strcmp(what, "unlink"))
        told(unlink(path));
    else if (!strcmp(what, "remove"))
        told(remove(path));
    else if (!strcmp(what, "rmdir"))
        told(rmdir(path));
    else if (!strcmp(what, "mkdir"))
        told(mkdir(path, number(2)));
    else if (!strcmp(what, "rename"))
        told(rename(path, text(2)));
    else if (!strcmp(what, "link"))
        told(link(path, text(2)));
    else if (!strcmp(what, "symlink"))
        told(symlink(path, text(2)));
    else if (!strcmp(what, "chmod"))
        told(chmod(path, number(2)));
    else if (!strcmp(what, "chdir"))
        told(chdir(path));
    else if (!strcmp(what, "truncate"))
        told(truncate(path, number(2)));
    else if (!strcmp(what, "umask"))
        told(umask(number(1)));
    else if (!strcmp(what, "list"))
        list(path);
    else if (!strcmp(what, "readlink")) {
        got = readlink(path, data, number(2));
        int error = errno;
        show(data, got);
        errno = error;
        told(got);
    } else if (!strcmp(what, "realpath")) {
        char *found = realpath(path, data);
        int error = errno;
        printf(" %s", found ? found : "none");
        errno = error;
        told(found ? 0 : -1);
    } else if (!strcmp(what, "getcwd")) {
        char *found = getcwd(data, number(1));
        int error = errno;
        printf(" %s", found ? found : "none");
        errno = error;
        told(found ? 0 : -1);
    }
}

/* Between reading and writing a stream has to be placed (C17 7.21.5.3p7). */
static FILE *turn(int slot, int way)
{
    if (turned[slot] && turned[slot] != way)
        fseek(streams[slot], 0, SEEK_CUR);
    turned[slot] = way;
    return streams[slot];
}

static void on_stream(const char *what)
{
    static char data[9000];
    int slot = number(1) & 3;
    FILE *f = streams[slot];
    if (!strcmp(what, "fopen")) {
        if (f)
            fclose(f);
        streams[slot] = fopen(text(2), text(3));
        turned[slot] = 0;
        told(streams[slot] ? fileno(streams[slot]) : -1);
    } else if (!strcmp(what, "fdopen")) {
        if (f)
            return;
        streams[slot] = fdopen(number(2), text(3));
        turned[slot] = 0;
        told(streams[slot] ? fileno(streams[slot]) : -1);
    } else if (!f)
        printf(" closed\n");
    else if (!strcmp(what, "fclose")) {
        told(fclose(f));
        streams[slot] = 0;
    } else if (!strcmp(what, "freopen")) {
        streams[slot] = freopen(text(2), text(3), f);
        turned[slot] = 0;
        told(streams[slot] ? fileno(streams[slot]) : -1);
    } else if (!strcmp(what, "fputs"))
        told(fputs(text(2), turn(slot, 2)) < 0 ? -1 : 0);
    else if (!strcmp(what, "ffill")) {
        memset(data, text(2)[0], sizeof data);
        told(fwrite(data, 1, number(3), turn(slot, 2)));
    } else if (!strcmp(what, "fprintf"))
        told(fprintf(turn(slot, 2), "<%s %d>", text(2), number(3)));
    else if (!strcmp(what, "fgets")) {
        char *line = fgets(data, number(2) + 2, turn(slot, 1));
        if (line)
            show(line, strlen(line));
        told(line ? 0 : -1);
    } else if (!strcmp(what, "fread")) {
        long got = fread(data, 1, number(2), turn(slot, 1));
        show(data, got);
        told(got);
    } else if (!strcmp(what, "getc"))
        printf(" %d\n", getc(turn(slot, 1)));
    else if (!strcmp(what, "ungetc"))
        printf(" %d\n", ungetc(number(2), turn(slot, 1)));
    else if (!strcmp(what, "fseek")) {
        turned[slot] = 0;
        told(fseek(f, number(2), number(3)));
    } else if (!strcmp(what, "ftell"))
        told(ftell(f));
    else if (!strcmp(what, "fflush")) {
        turned[slot] = 0;
        told(fflush(f));
    } else if (!strcmp(what, "flushall"))
        told(fflush(NULL));
    else if (!strcmp(what, "rewind")) {
        turned[slot] = 0;
        rewind(f);
    } else if (!strcmp(what, "clearerr"))
        clearerr(f);
    printf("  %d %d\n", streams[slot] ? !!feof(streams[slot]) : -1,
           streams[slot] ? !!ferror(streams[slot]) : -1);
}

int main(void)
{
    read(0, script, sizeof script - 1);
    for (char *line = script, *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = 0;
        int count = 0;
        for (char *word = strtok(line, " "); word && count < 5; word = strtok(0, " "))
            words[count++] = word;
        while (count < 6)
            words[count++] = 0;
        if (!words[0])
            continue;
        printf("%s %s", words[0] + 1, words[1] ? words[1] : "");
        errno = 0;
        if (*words[0] == 'd')
            on_descriptor(words[0] + 1);
        else if (*words[0] == 'p')
            on_path(words[0] + 1);
        else
            on_stream(words[0] + 1);
    }
    return 0;
}
