/* Hides what is no part of the system: see covering.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "covering.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FLAGS = MS_NOSUID | MS_NODEV, OPEN_FOLDERS = 16 };

const char *const system_folders[] = {"bin", "etc", "gnu", "lib",  "lib32", "lib64", "libx32",
                                      "nix", "opt", "proc", "sbin", "sys",   "usr",   NULL};

int make_folders(char *path, size_t from)
{
    for (char *slash = path + from; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        if (mkdir(path, 0755) != 0 && errno != EEXIST)
            return -1;
        *slash = '/';
    }
    return mkdir(path, 0755) != 0 && errno != EEXIST ? -1 : 0;
}

/* A folder that stays visible, and a descriptor of it from before anything was hidden. */
struct shown {
    const char *path;
    int folder; /* -1: there is none */
};

static int is_of_the_system(const char *name)
{
    for (int i = 0; system_folders[i]; i++)
        if (strcmp(name, system_folders[i]) == 0)
            return 1;
    return strcmp(name, "dev") == 0 || strcmp(name, "tmp") == 0;
}

/* An empty folder over the one at `path`, with those of `shown` that lie below it. */
static int cover(const char *path, const struct shown *shown, int count)
{
    size_t length = strlen(path);
    char place[4096], from[64];
    for (int i = 0; i < count; i++)
        if (strcmp(shown[i].path, path) == 0)
            return 0;
    if (mount("tmpfs", path, "tmpfs", FLAGS, "size=64k,mode=755") != 0)
        return -1;
    for (int i = 0; i < count; i++) {
        if (shown[i].folder < 0 || strncmp(shown[i].path, path, length) != 0
            || shown[i].path[length] != '/')
            continue;
        snprintf(place, sizeof place, "%s", shown[i].path);
        snprintf(from, sizeof from, "/proc/self/fd/%d", shown[i].folder);
        if (make_folders(place, length + 1) != 0
            || mount(from, place, NULL, MS_BIND | MS_REC, NULL) != 0)
            return -1;
    }
    return mount(NULL, path, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | FLAGS, NULL);
}

static int hide_all_but(const struct shown *shown, int count)
{
    int failed = 0;
    DIR *top = opendir("/");
    for (struct dirent *entry; top && !failed && (entry = readdir(top)) != NULL;) {
        char path[300];
        struct stat status;
        snprintf(path, sizeof path, "/%s", entry->d_name);
        if (entry->d_name[0] != '.' && !is_of_the_system(entry->d_name) && lstat(path, &status) == 0
            && S_ISDIR(status.st_mode))
            failed = cover(path, shown, count);
    }
    if (!top)
        return -1;
    closedir(top);
    return failed;
}

int hide_others(char *const visible[])
{
    int count = 0, failed;
    while (visible[count])
        count++;
    struct shown *shown = malloc((count + 1) * sizeof *shown);
    if (!shown)
        return -1;
    for (int i = 0; i < count; i++)
        shown[i] = (struct shown){visible[i], open(visible[i], O_PATH | O_DIRECTORY | O_CLOEXEC)};
    failed = hide_all_but(shown, count);
    for (int i = 0; i < count; i++)
        if (shown[i].folder >= 0)
            close(shown[i].folder);
    free(shown);
    return failed;
}

static int hide_entry(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void) where;
    if (kind == FTW_D && !(status->st_mode & S_IXOTH))
        return mount("tmpfs", path, "tmpfs", FLAGS | MS_RDONLY, "size=4k,mode=755") == 0
                   ? FTW_SKIP_SUBTREE
                   : FTW_STOP;
    if (kind == FTW_F && S_ISREG(status->st_mode) && !(status->st_mode & S_IROTH))
        return mount("/dev/null", path, NULL, MS_BIND, NULL) == 0 ? FTW_CONTINUE : FTW_STOP;
    return FTW_CONTINUE;
}

int hide_from_others(const char *folder)
{
    if (geteuid() != 0)
        return 0;
    return nftw(folder, hide_entry, OPEN_FOLDERS, FTW_PHYS | FTW_ACTIONRETVAL) == FTW_STOP ? -1 : 0;
}
