/* Makes a tree of files in a fresh folder, walks it, and removes it again. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

static void make(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    fputs(text, file);
    fclose(file);
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static void walk(char **names, int options)
{
    FTS *tree = fts_open(names, options, by_name);
    for (FTSENT *entry; (entry = fts_read(tree));) {
        int sized = entry->fts_info == FTS_F;
        printf("%d %d %s %s %ld %d\n", entry->fts_level, entry->fts_info, entry->fts_path,
               entry->fts_name, sized ? (long) entry->fts_statp->st_size : 0L, entry->fts_errno);
        if (entry->fts_info == FTS_D && !strcmp(entry->fts_name, "skipped"))
            fts_set(tree, entry, FTS_SKIP);
        else if (entry->fts_info == FTS_D)
            for (FTSENT *child = fts_children(tree, 0); child; child = child->fts_link)
                printf("  %s %d\n", child->fts_name, child->fts_info);
    }
    printf("done %d %d\n", errno, fts_close(tree));
}

static int visible(const struct dirent *entry) { return entry->d_name[0] != '.'; }

static void clear(const char *name)
{
    struct dirent **entries;
    int count = scandir(name, &entries, visible, alphasort);
    for (int i = 0; i < count; i++) {
        char path[300];
        struct stat status;
        sprintf(path, "%s/%s", name, entries[i]->d_name);
        lstat(path, &status);
        if (S_ISDIR(status.st_mode))
            clear(path);
        else
            printf("unlink %s %d\n", path, unlink(path));
        free(entries[i]);
    }
    free(entries);
    printf("rmdir %s %d\n", name, rmdir(name));
}

int main(void)
{
    char folder[] = "/tmp/walkXXXXXX";
    if (!mkdtemp(folder) || chdir(folder))
        return 1;
    mkdir("d", 0755);
    mkdir("d/e", 0755);
    mkdir("d/skipped", 0755);
    mkdir("empty", 0755);
    make("d/a", "1234");
    make("d/e/b", "");
    make("d/skipped/c", "x");
    make("z", "zz");
    symlink("..", "d/e/up");
    symlink("none", "d/dangling");
    symlink("z", "link");
    char *names[] = {"d/", "empty", "link", "missing", "z", NULL}, *one[] = {"./d/e", NULL};
    walk(names, FTS_PHYSICAL | FTS_NOCHDIR);
    walk(names, FTS_LOGICAL | FTS_NOCHDIR);
    walk(one, FTS_PHYSICAL | FTS_SEEDOT);
    walk(names, FTS_PHYSICAL | FTS_COMFOLLOW);
    struct statfs system;
    int there = statfs("d", &system);
    printf("%d %ld", there, (long) system.f_namelen);
    printf(" %ld %ld\n", pathconf("d", _PC_NAME_MAX), pathconf("d", _PC_PATH_MAX));
    clear("d");
    clear("empty");
    printf("%d %d\n", unlink("z"), unlink("link"));
    chdir("/");
    return rmdir(folder) ? 2 : 0;
}
