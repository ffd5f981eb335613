/* Stands in a build for the compiler, the linker's driver and ar: notes its call, then becomes the
 * tool of that name.
 *
 *     /tmp/bin/cc -c x.c      /tmp/calls/000123-17   working folder NUL "cc" NUL "-c" NUL "x.c" NUL
 *
 * A call is in there before the tool runs; names of records are in the order of time. The real tool
 * is the next one of its name on the path. What it warns of is no error: an older version is built
 * by a newer compiler. So are objects that several files define tentatively (C17 6.9.2p2; J.5.11):
 * gcc made one of them before its version 10, and does so with -fcommon. Only where the build tries
 * what the compiler can do is it left to say. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* What was written before has an earlier time in the file system than the record of the call. */
static void await_next_time(void)
{
    struct timespec began, now;
    clock_gettime(CLOCK_REALTIME_COARSE, &began);
    do {
        nanosleep(&(struct timespec){0, 500000}, NULL);
        clock_gettime(CLOCK_REALTIME_COARSE, &now);
    } while (now.tv_sec == began.tv_sec && now.tv_nsec == began.tv_nsec);
}

static void note(int count, char **words)
{
    char name[128], folder[4096];
    struct timespec now;
    if (getcwd(folder, sizeof folder) == NULL)
        return;
    await_next_time();
    clock_gettime(CLOCK_MONOTONIC, &now);
    snprintf(name, sizeof name, CALLS "/%010ld.%09ld-%ld", (long) now.tv_sec, now.tv_nsec,
             (long) getpid());
    FILE *record = fopen(name, "wxe");
    if (record == NULL)
        return;
    fwrite(folder, 1, strlen(folder) + 1, record);
    for (int i = 0; i < count; i++)
        fwrite(words[i], 1, strlen(words[i]) + 1, record);
    fclose(record);
}

static int tries(int count, char **words)
{
    static const char *const names[] = {"conftest", "meson-private", "CMakeTmp", "CMakeScratch"};
    char folder[4096];
    const char *here = getcwd(folder, sizeof folder);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        if (here != NULL && strstr(here, names[k]) != NULL)
            return 1;
        for (int i = 1; i < count; i++)
            if (strstr(words[i], names[k]) != NULL)
                return 1;
    }
    return 0;
}

static void tolerate_warnings(int count, char **words)
{
    int kept = 1;
    for (int i = 1; i < count; i++)
        if (strncmp(words[i], "-Werror", 7) != 0)
            words[kept++] = words[i];
    words[kept] = NULL;
}

/* The words with -fcommon before all others, so that a build that says -fno-common has its way. */
static char **as_before_version_10(const char *name, int count, char **words)
{
    const char *kind = strrchr(name, '-') ? strrchr(name, '-') + 1 : name;
    char **more = calloc(count + 2, sizeof *more);
    if (more == NULL || strcmp(kind, "ar") == 0 || strcmp(kind, "ld") == 0)
        return words;
    more[0] = words[0];
    more[1] = "-fcommon";
    for (int i = 1; i < count && words[i] != NULL; i++)
        more[i + 1] = words[i];
    return more;
}

int main(int count, char **words)
{
    char path[8192], found[8192];
    const char *name = strrchr(words[0], '/') ? strrchr(words[0], '/') + 1 : words[0];
    const char *paths = getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin";
    note(count, words);
    if (!tries(count, words)) {
        tolerate_warnings(count, words);
        words = as_before_version_10(name, count, words);
    }
    snprintf(path, sizeof path, "%s", paths);
    for (char *rest = path, *folder; (folder = strsep(&rest, ":")) != NULL;) {
        if (strcmp(folder, TOOLS) == 0)
            continue;
        int length = snprintf(found, sizeof found, "%s/%s", folder, name);
        if (length > 0 && (size_t) length < sizeof found && access(found, X_OK) == 0) {
            words[0] = found;
            execv(found, words);
        }
    }
    fprintf(stderr, "%s: not found\n", name);
    return 127;
}
