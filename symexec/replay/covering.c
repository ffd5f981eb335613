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

static int begin_cover(const char *path)
{
    return mount("tmpfs", path, "tmpfs", FLAGS, "size=64k,mode=755");
}

static int mount_again(int file, const char *place)
{
    char from[64];
    snprintf(from, sizeof from, "/proc/self/fd/%d", file);
    return mount(from, place, NULL, MS_BIND | MS_REC, NULL);
}

/* Those of `shown` that lie below `path` are there again, and nothing can be added. */
static int end_cover(const char *path, const struct shown *shown, int count)
{
    size_t length = strlen(path);
    char place[4096];
    for (int i = 0; i < count; i++) {
        if (shown[i].folder < 0 || strncmp(shown[i].path, path, length) != 0
            || shown[i].path[length] != '/')
            continue;
        snprintf(place, sizeof place, "%s", shown[i].path);
        if (make_folders(place, length + 1) != 0 || mount_again(shown[i].folder, place) != 0)
            return -1;
    }
    return mount(NULL, path, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | FLAGS, NULL);
}

/* An empty folder over the one at `path`, with those of `shown` that lie below it. */
static int cover(const char *path, const struct shown *shown, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(shown[i].path, path) == 0)
            return 0;
    return begin_cover(path) != 0 ? -1 : end_cover(path, shown, count);
}

/* Mounts a device of the folder `from`, where it has one, below /dev. Every other mount may forbid
 * devices. */
static int add_device(int from, const char *name)
{
    char place[32];
    int device = openat(from, name, O_PATH | O_CLOEXEC);
    if (device < 0)
        return 0;
    snprintf(place, sizeof place, "/dev/%s", name);
    int file = open(place, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    int flags = MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NOEXEC;
    int failed = file < 0 || mount_again(device, place) != 0
                 || mount(NULL, place, NULL, flags, NULL) != 0;
    close(file);
    close(device);
    return failed ? -1 : 0;
}

static int cover_devices(const struct shown *shown, int count)
{
    const char *const devices[] = {"null", "zero", "full", "random", "urandom"};
    const char *const links[][2] = {{"/proc/self/fd", "/dev/fd"},
                                    {"/proc/self/fd/0", "/dev/stdin"},
                                    {"/proc/self/fd/1", "/dev/stdout"},
                                    {"/proc/self/fd/2", "/dev/stderr"}};
    int from = open("/dev", O_PATH | O_DIRECTORY | O_CLOEXEC);
    int failed = from < 0 || begin_cover("/dev") != 0 || mkdir("/dev/shm", 0755) != 0
                 || mount("tmpfs", "/dev/shm", "tmpfs", FLAGS, "size=64m,mode=1777") != 0;
    for (size_t i = 0; !failed && i < sizeof devices / sizeof *devices; i++)
        failed = add_device(from, devices[i]) != 0;
    for (size_t i = 0; !failed && i < sizeof links / sizeof *links; i++)
        failed = symlink(links[i][0], links[i][1]) != 0;
    close(from);
    return failed ? -1 : end_cover("/dev", shown, count);
}

/* Opens the folders `visible`. NULL where there is no memory. */
static struct shown *open_shown(char *const visible[], int *count)
{
    for (*count = 0; visible[*count];)
        ++*count;
    struct shown *shown = malloc((*count + 1) * sizeof *shown);
    for (int i = 0; shown && i < *count; i++)
        shown[i] = (struct shown){visible[i], open(visible[i], O_PATH | O_DIRECTORY | O_CLOEXEC)};
    return shown;
}

static void close_shown(struct shown *shown, int count)
{
    for (int i = 0; i < count; i++)
        if (shown[i].folder >= 0)
            close(shown[i].folder);
    free(shown);
}

static int hide_all_but(const struct shown *shown, int count)
{
    int failed = 0;
    DIR *top = opendir("/");
    for (struct dirent *entry; top && !failed && (entry = readdir(top)) != NULL;) {
        char path[300];
        struct stat status;
        snprintf(path, sizeof path, "/%s", entry->d_name);
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0
            || is_of_the_system(entry->d_name) || lstat(path, &status) != 0)
            continue;
        if (S_ISDIR(status.st_mode))
            failed = cover(path, shown, count);
        else if (S_ISREG(status.st_mode)) /* as a file for swapping */
            failed = hide_from_others(path);
    }
    if (!top)
        return -1;
    closedir(top);
    return failed;
}

int hide_others(char *const visible[])
{
    int count, failed;
    struct shown *shown = open_shown(visible, &count);
    if (!shown)
        return -1;
    failed = hide_all_but(shown, count);
    close_shown(shown, count);
    return failed;
}

int hide_devices(char *const visible[])
{
    char *const processors[] = {"/sys/devices/system", NULL};
    int count, failed;
    struct shown *shown = open_shown(visible, &count);
    if (!shown)
        return -1;
    failed = cover_devices(shown, count);
    close_shown(shown, count);
    shown = open_shown(processors, &count);
    if (!shown)
        return -1;
    if (!failed && access("/sys", F_OK) == 0)
        failed = cover("/sys", shown, count);
    close_shown(shown, count);
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

int hide_kernel_files(void)
{
    int failed = 0;
    DIR *top = opendir("/proc");
    for (struct dirent *entry; top && !failed && (entry = readdir(top)) != NULL;) {
        char path[300];
        struct stat status;
        snprintf(path, sizeof path, "/proc/%s", entry->d_name);
        if (geteuid() == 0 && lstat(path, &status) == 0 && S_ISREG(status.st_mode))
            failed = hide_from_others(path);
    }
    if (top)
        closedir(top);
    return failed;
}
