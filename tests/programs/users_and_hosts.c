/* What a program learns of users, groups, the machine and the library. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <gnu/libc-version.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

static void users(void)
{
    struct passwd *root = getpwuid(0), *nobody, one, *found;
    char room[200];
    printf("%s %d %d %s\n", root->pw_name, root->pw_uid, root->pw_gid, root->pw_dir);
    nobody = getpwnam("nobody");
    printf("%s %u\n", nobody->pw_name, nobody->pw_uid);
    errno = 0;
    printf("%d %d\n", getpwnam("no such user") == NULL, getpwuid(123456) == NULL);
    printf("%d ", getpwnam_r("root", &one, room, sizeof room, &found));
    printf("%s %d\n", one.pw_name, found == &one);
    printf("%d ", getpwuid_r(0, &one, room, 9, &found) == ERANGE);
    printf("%d\n", found == NULL);
    printf("%d %d\n", getpwuid_r(123456, &one, room, sizeof room, &found), found == NULL);
    setpwent();
    printf("%s\n", getpwent()->pw_name);
    endpwent();
}

static void groups(void)
{
    struct group *root = getgrnam("root"), one, *found;
    char room[200];
    printf("%s %d %d\n", root->gr_name, root->gr_gid, root->gr_mem[0] == NULL);
    printf("%d\n", getgrgid(123456) == NULL);
    printf("%d ", getgrgid_r(0, &one, room, sizeof room, &found));
    printf("%s %d\n", one.gr_name, found == &one);
    printf("%d %d\n", getgrnam_r("root", &one, room, 3, &found) == ERANGE, found == NULL);
}

static void host(void)
{
    struct utsname u;
    char name[65] = "";
    printf("%d %s %s\n", uname(&u), u.sysname, u.machine);
    printf("%d ", gethostname(name, sizeof name));
    printf("%d ", strcmp(name, u.nodename));
    printf("%d ", gethostname(name, 1));
    printf("%d\n", errno == ENAMETOOLONG);
    printf("%s %s\n", gnu_get_libc_version(), gnu_get_libc_release());
}

static void sorted(void)
{
    struct dirent **list;
    char folder[] = "/tmp/csgtest-XXXXXX";
    const char *const names[] = {"v10", "v9", "v1"};
    if (!mkdtemp(folder) || chdir(folder) != 0)
        return;
    for (int i = 0; i < 3; i++)
        mkdir(names[i], 0700);
    int n = scandir(".", &list, NULL, versionsort);
    for (int i = 0; i < n; i++)
        printf("%s\n", list[i]->d_name);
    for (int i = 0; i < 3; i++)
        rmdir(names[i]);
    chdir("/");
    rmdir(folder);
}

int main(void)
{
    users();
    groups();
    host();
    sorted();
    return 0;
}
