/* Stands in the place of the program while a test suite runs: notes how it is called, then becomes
   the program. One record for each call, in RECORDS/000001, 000002, ..:

       count argv[0] argv[1] ..  known stdin  count (argument offset content) ..

   Numbers are 32 bits, little-endian; texts are counted. The third part holds the regular files that
   arguments name, whole, behind `=`, or behind an option's letter. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "texts.h"

enum { MOST = 1 << 20 }; /* bytes of one input that are noted */

static FILE *record;
static char content[MOST];

static void put_number(size_t value)
{
    for (int at = 0; at < 4; at++)
        putc(value >> 8 * at & 255, record);
}

static void put_text(const char *text, size_t size)
{
    put_number(size);
    fwrite(text, 1, size, record);
}

static int open_record(void)
{
    char name[4096];
    int count = open(RECORDS "/calls", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (count < 0 || flock(count, LOCK_EX) || write(count, ".", 1) != 1)
        return 0;
    snprintf(name, sizeof name, "%s/%06ld", RECORDS, (long)lseek(count, 0, SEEK_END));
    close(count);
    record = fopen(name, "we");
    return record != NULL;
}

/* All of a file from where its descriptor stands; -1 when it is too large. */
static long whole(int descriptor, off_t from)
{
    size_t size = 0;
    for (;;) {
        char extra;
        ssize_t got = size < MOST ? pread(descriptor, content + size, MOST - size, from + size)
                                  : pread(descriptor, &extra, 1, from + size);
        if (got <= 0)
            return size;
        if (size == MOST)
            return -1;
        size += got;
    }
}

/* A pipe can be read once: what it held goes into a file that the program reads instead. */
static void keep_pipe(void)
{
    char block[65536];
    ssize_t got;
    int kept = memfd_create("stdin", 0);
    if (kept < 0)
        return;
    while ((got = read(0, block, sizeof block)) > 0)
        if (write(kept, block, got) != got)
            break;
    lseek(kept, 0, SEEK_SET);
    dup2(kept, 0);
    close(kept);
}

static void put_stdin(void)
{
    struct stat about;
    long size = 0;
    if (!fstat(0, &about)) {
        if (S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode))
            keep_pipe();
        off_t from = lseek(0, 0, SEEK_CUR);
        if (from >= 0 && !S_ISCHR(about.st_mode))
            size = whole(0, from);
    }
    put_number(size >= 0);
    put_text(content, size < 0 ? 0 : size);
}

static int put_file(int argument, size_t offset, const char *name)
{
    struct stat about;
    int descriptor;
    long size;
    if (!*name || stat(name, &about) || !S_ISREG(about.st_mode))
        return 0;
    descriptor = open(name, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return 0;
    size = whole(descriptor, 0);
    close(descriptor);
    if (size < 0)
        return 0;
    put_number(argument);
    put_number(offset);
    put_text(content, size);
    return 1;
}

static void put_files(int count, char **words)
{
    long place = ftell(record), end;
    int found = 0;
    put_number(0);
    for (int at = 1; at < count; at++) {
        const char *word = words[at], *sign = strchr(word, '=');
        if (put_file(at, 0, word))
            found++;
        else if (sign && put_file(at, sign + 1 - word, sign + 1))
            found++;
        else if (word[0] == '-' && word[1] && word[1] != '-' && put_file(at, 2, word + 2))
            found++;
    }
    end = ftell(record);
    fseek(record, place, SEEK_SET);
    put_number(found);
    fseek(record, end, SEEK_SET);
}

int main(int count, char **words)
{
    if (open_record()) {
        put_number(count);
        for (int at = 0; at < count; at++)
            put_text(words[at], strlen(words[at]));
        put_stdin();
        put_files(count, words);
        fclose(record);
    }
    execv(PROGRAM, words);
    perror(PROGRAM);
    return 127;
}
