/* The folder that a program may write to, the same for every run:
 *
 *     BASE/work   where it starts      BASE/home   $HOME      BASE/tmp   $TMPDIR
 *     BASE/report.PID   what a sanitizer has to say
 *
 * Nothing in it can be trusted after a run: no symbolic link is followed, no mode is believed. */
#include "runner.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { DEEPEST = 64 };

static int is_dot(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static DIR *open_folder(int parent, const char *name)
{
    int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0)
        return NULL;
    DIR *entries = fdopendir(folder);
    if (!entries)
        close(folder);
    return entries;
}

/* Make a folder readable whose owner closed it; a symbolic link stays what it is. */
static void open_up(int parent, const char *name)
{
    struct stat status;
    if (fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode)
        && (status.st_mode & 0700) != 0700 && fchmodat(parent, name, 0700, 0) != 0)
        return;
}

/* Remove `name` and all below it; 0 when that is done. */
static int remove_tree(int parent, const char *name, int depth)
{
    if (unlinkat(parent, name, 0) == 0 || errno == ENOENT)
        return 0;
    if (unlinkat(parent, name, AT_REMOVEDIR) == 0)
        return 0;
    if (depth == DEEPEST)
        return -1;
    open_up(parent, name);
    DIR *entries = open_folder(parent, name);
    if (!entries)
        return -1;
    int failed = 0;
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;)
        if (!is_dot(entry->d_name))
            failed |= remove_tree(dirfd(entries), entry->d_name, depth + 1);
    closedir(entries);
    return failed ? -1 : unlinkat(parent, name, AT_REMOVEDIR);
}

static int make_folder(int parent, const char *name, const struct sandbox *sandbox)
{
    if (mkdirat(parent, name, 0755) != 0)
        return -1;
    if (sandbox->change_user)
        return fchownat(parent, name, sandbox->user, sandbox->group, AT_SYMLINK_NOFOLLOW);
    return 0;
}

static int look(const char *base, struct stat folders[FOLDERS])
{
    static const char *const names[FOLDERS] = {"", "/work", "/home", "/tmp"};
    char path[4096];
    for (int i = 0; i < FOLDERS; i++)
        if (snprintf(path, sizeof path, "%s%s", base, names[i]) >= (int) sizeof path
            || lstat(path, &folders[i]) != 0)
            return -1;
    return 0;
}

/* Has nobody written to the folder since it was cleaned? In memory the size of a folder counts its
 * entries, so all is empty where it should be, whatever the grain of the clock is. */
int is_clean(const char *base, struct scratch *scratch)
{
    struct stat now[FOLDERS];
    scratch->clean = scratch->in_memory && look(base, now) == 0;
    if (!scratch->clean)
        return 0;
    for (int i = 0; i < FOLDERS; i++) {
        const struct stat *then = &scratch->folders[i];
        if (now[i].st_ino != then->st_ino || now[i].st_mode != then->st_mode
            || now[i].st_uid != then->st_uid || now[i].st_nlink != then->st_nlink
            || now[i].st_size != then->st_size || now[i].st_ctim.tv_sec != then->st_ctim.tv_sec
            || now[i].st_ctim.tv_nsec != then->st_ctim.tv_nsec)
            scratch->clean = 0;
    }
    return scratch->clean;
}

/* Give BASE its mode again, and take away the attributes that programs have added: those of an
 * ordinary user own it. */
static int restore_base(const char *base, struct scratch *scratch)
{
    char names[65536];
    struct stat status;
    if (lstat(base, &status) != 0)
        return -1;
    if (scratch->mode == 0)
        scratch->mode = status.st_mode & 07777;
    int failed = (status.st_mode & 07777) != scratch->mode && chmod(base, scratch->mode) != 0;
    ssize_t size = listxattr(base, names, sizeof names);
    for (char *name = names; name < names + size; name += strlen(name) + 1)
        if (strncmp(name, "user.", 5) == 0 || strncmp(name, "system.posix_acl", 16) == 0)
            failed |= removexattr(base, name) != 0;
    return failed ? -1 : 0;
}

/* Empty BASE (but for `keep`) and make its three folders; 0 when all is clean. */
int clean_scratch(const char *base, const char *keep, const struct sandbox *sandbox,
                  struct scratch *scratch)
{
    struct statfs system;
    if (scratch->clean)
        return 0;
    int failed = restore_base(base, scratch);
    DIR *entries = open_folder(AT_FDCWD, base);
    if (!entries)
        return -1;
    int here = dirfd(entries);
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;)
        if (!is_dot(entry->d_name) && strcmp(entry->d_name, keep) != 0)
            failed |= remove_tree(here, entry->d_name, 0);
    failed |= make_folder(here, "work", sandbox);
    failed |= make_folder(here, "home", sandbox);
    failed |= make_folder(here, "tmp", sandbox);
    scratch->in_memory = fstatfs(here, &system) == 0 && system.f_type == TMPFS_MAGIC;
    closedir(entries);
    return failed ? failed : look(base, scratch->folders);
}

/* `name` is relative and without "..": the sender has seen to it. Missing folders are made. */
int place_file(const char *base, struct bytes name, struct bytes content, uint32_t mode,
               const struct sandbox *sandbox)
{
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/work/%s", base, name.data);
    if (length < 0 || (size_t) length >= sizeof path)
        return -1;
    for (char *slash = path + strlen(base) + 6; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        if (mkdir(path, 0755) == 0 && sandbox->change_user
            && chown(path, sandbox->user, sandbox->group) != 0)
            return -1;
        *slash = '/';
    }
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0)
        return -1;
    int failed = write(file, content.data, content.size) != (ssize_t) content.size;
    if (sandbox->change_user)
        failed |= fchown(file, sandbox->user, sandbox->group);
    failed |= fchmod(file, mode & 0777);
    close(file);
    return failed ? -1 : 0;
}

/* So much of what a run leaves is looked at: bytes of one file and of all that are sent, bytes that
 * are read for sums, entries. */
enum { SENT = 64 << 10, SENT_IN_ALL = 4 << 20, READ_IN_ALL = 256 << 20, ENTRIES = 4096 };
struct left {
    struct writer *frame;
    size_t send, read, entries; /* what there is left */
    int in_memory;
    const char *keep; /* the entry of BASE that is ours; NULL while another folder is collected */
};

static void write_content(struct left *left, int file, struct stat *status)
{
    size_t most = left->send < SENT ? left->send : SENT;
    if (!left->in_memory) /* a disk is slow to say what it allocates */
        status->st_blocks = (status->st_size + 511) / 512;
    left->send -= write_summary(left->frame, file, status, most, &left->read);
}

static void write_entry(struct left *left, int folder, const char *name, const char *path,
                        const struct stat *status)
{
    struct stat nothing = {0}, opened;
    int file = -1;
    write_bytes(left->frame, path, strlen(path));
    write_u32(left->frame, status->st_mode);
    if (S_ISLNK(status->st_mode)) {
        char target[4096];
        ssize_t size = readlinkat(folder, name, target, sizeof target);
        write_u64(left->frame, size > 0 ? (uint64_t) size : 0);
        write_u64(left->frame, 0);
        write_u64(left->frame, 0);
        write_bytes(left->frame, target, size > 0 ? (size_t) size : 0);
        return;
    }
    if (S_ISREG(status->st_mode)
        && ((status->st_mode & S_IRUSR) || fchmodat(folder, name, 0600, 0) == 0))
        file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file >= 0 && fstat(file, &opened) == 0 && S_ISREG(opened.st_mode))
        write_content(left, file, &opened);
    else
        write_content(left, -1, &nothing);
    if (file >= 0)
        close(file);
}

static int no_dot(const struct dirent *entry)
{
    return !is_dot(entry->d_name);
}

static int by_bytes(const struct dirent **one, const struct dirent **other)
{
    return strcmp((*one)->d_name, (*other)->d_name);
}

/* Does a program know nothing of this entry of BASE, or is it one of the three folders? */
static int is_ours(const char *name, const char *keep)
{
    return strcmp(name, keep) == 0 || strncmp(name, "report.", 7) == 0 || strcmp(name, "work") == 0
           || strcmp(name, "home") == 0 || strcmp(name, "tmp") == 0;
}

/* In the order of names: where there is too much, the same is left out each time. */
static void collect_below(struct left *left, int parent, const char *folder, const char *prefix,
                          int depth)
{
    struct dirent **names = NULL;
    DIR *entries = depth < DEEPEST ? open_folder(parent, folder) : NULL;
    int count = entries ? scandirat(dirfd(entries), ".", &names, no_dot, by_bytes) : 0;
    for (int i = 0; i < count; i++) {
        struct stat status;
        char path[4096];
        const char *name = names[i]->d_name;
        int ours = depth == 0 && left->keep && is_ours(name, left->keep);
        if (!ours && left->entries > 0
            && fstatat(dirfd(entries), name, &status, AT_SYMLINK_NOFOLLOW) == 0
            && snprintf(path, sizeof path, "%s%s", prefix, name) < (int) sizeof path - 1) {
            left->entries--;
            write_u32(left->frame, 1);
            write_entry(left, dirfd(entries), name, path, &status);
            if (S_ISDIR(status.st_mode)) {
                open_up(dirfd(entries), name);
                strcat(path, "/");
                collect_below(left, dirfd(entries), name, path, depth + 1);
            }
        }
        free(names[i]);
    }
    free(names);
    if (entries)
        closedir(entries);
}

/* One of the three folders, whose content has names that begin with `prefix`. Where no folder is
 * there any more, an entry says so: what took its place, or mode 0. */
static void collect_folder(struct left *left, int base, const char *name, const char *prefix)
{
    struct stat status = {0};
    char path[64];
    if (fstatat(base, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode)) {
        open_up(base, name);
        collect_below(left, base, name, prefix, 0);
        return;
    }
    snprintf(path, sizeof path, "/tmp/%s", name);
    write_u32(left->frame, 1);
    write_entry(left, base, name, path, &status);
}

/* Everything that lies in BASE now: each 1, path, mode, and a summary, of a link that of its target;
 * then 0. Paths are relative in BASE/work, and begin with /tmp/ elsewhere. */
void collect_files(struct writer *frame, const char *base, const char *keep)
{
    struct left left = {frame, SENT_IN_ALL, READ_IN_ALL, ENTRIES, 0, NULL};
    struct statfs system;
    DIR *here = open_folder(AT_FDCWD, base);
    if (here) {
        left.in_memory = fstatfs(dirfd(here), &system) == 0 && system.f_type == TMPFS_MAGIC;
        collect_folder(&left, dirfd(here), "work", "");
        collect_folder(&left, dirfd(here), "home", "/tmp/home/");
        collect_folder(&left, dirfd(here), "tmp", "/tmp/tmp/");
        left.keep = keep;
        collect_below(&left, AT_FDCWD, base, "/tmp/", 0);
        closedir(here);
    }
    write_u32(frame, 0);
}

/* What sanitizers wrote: each 1, text; then 0. 64 KiB of each process. */
void collect_reports(struct writer *frame, const char *base)
{
    static char text[65536];
    DIR *entries = open_folder(AT_FDCWD, base);
    for (struct dirent *entry; entries && (entry = readdir(entries)) != NULL;) {
        if (strncmp(entry->d_name, "report.", 7) != 0)
            continue;
        int file = openat(dirfd(entries), entry->d_name,
                          O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        ssize_t size = file >= 0 ? read(file, text, sizeof text) : 0;
        write_u32(frame, 1);
        write_bytes(frame, text, size > 0 ? (size_t) size : 0);
        if (file >= 0)
            close(file);
    }
    if (entries)
        closedir(entries);
    write_u32(frame, 0);
}
