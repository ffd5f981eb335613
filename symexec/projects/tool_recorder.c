/* Stands in a build for the compiler, the linker's driver and ar: notes its call, then becomes the
 * tool of that name.
 *
 *     /tmp/bin/cc -c x.c      /tmp/calls/000123-17   working folder NUL "cc" NUL "-c" NUL "x.c" NUL
 *
 * A call is in there before the tool runs; names of records are in the order of time. The real tool
 * is the next one of its name on the path. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void note(int count, char **words)
{
    char name[128], folder[4096];
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    snprintf(name, sizeof name, CALLS "/%010ld.%09ld-%ld", (long) now.tv_sec, now.tv_nsec,
             (long) getpid());
    FILE *record = fopen(name, "wxe");
    if (record == NULL || getcwd(folder, sizeof folder) == NULL)
        return;
    fwrite(folder, 1, strlen(folder) + 1, record);
    for (int i = 0; i < count; i++)
        fwrite(words[i], 1, strlen(words[i]) + 1, record);
    fclose(record);
}

int main(int count, char **words)
{
    char path[8192], found[8192];
    const char *name = strrchr(words[0], '/') ? strrchr(words[0], '/') + 1 : words[0];
    const char *paths = getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin";
    note(count, words);
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
