/* Runs the build of a program, or a compiler on a text, that nobody has vouched for.
 *
 *     enclosure [-v VISIBLE]... FOLDER PLACE WORKING COMMAND...
 *
 * Own user, mount, network, process, IPC and host name spaces: FOLDER stands at PLACE, every other
 * mount is read-only and has no devices, there is no network device. At the top there is nothing
 * but the system, /tmp, PLACE and the folders VISIBLE, so no home; what only root may read below
 * /etc is empty. /dev and /dev/shm are new ones. The command has no capabilities and gains none,
 * and it makes no user name spaces. Root is still the owner of root's files, so nothing but the
 * mounts keeps it from /proc/sys. WORKING is the working folder. All processes end with the
 * command, or with whoever started this. Exit status: the command's; 125 where the machine allows
 * no such name spaces, with the reason on standard error. */
#define _GNU_SOURCE
#include "covering.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif

enum { REFUSED = 125, READ_ONLY = 0x1, NO_SETUID = 0x2, NO_DEVICES = 0x4, RECURSIVE = 0x8000 };
enum { PROC = MS_NOSUID | MS_NODEV | MS_NOEXEC, NEW_SESSION_KEYS = 1 };

static const rlim_t written = (rlim_t) 4 << 30; /* bytes that a file may have */

static void refuse(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    exit(REFUSED);
}

static void write_text(const char *path, const char *text)
{
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0 || write(file, text, strlen(text)) < 0)
        refuse(path);
    close(file);
}

static void change_mounts(const char *path, unsigned flags, uint64_t set, uint64_t clear)
{
    struct {
        uint64_t set, clear, propagation, user_namespace;
    } attributes = {set, clear, 0, 0};
    if (syscall(SYS_mount_setattr, AT_FDCWD, path, flags, &attributes, sizeof attributes) != 0)
        refuse("mount_setattr");
}

/* In this name space, of which the processes have no other. Where /proc/sys is read-only they make
 * user name spaces, in which they cannot change our mounts. */
static void forbid_user_spaces(void)
{
    int file = open("/proc/sys/user/max_user_namespaces", O_WRONLY | O_CLOEXEC);
    if (file >= 0) {
        if (write(file, "0", 1) < 0)
            errno = 0;
        close(file);
    }
}

static void enter(const char *folder, const char *place, char *const visible[])
{
    char map[64];
    uid_t user = geteuid();
    gid_t group = getegid();
    int spaces = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWPID | CLONE_NEWIPC
                 | CLONE_NEWUTS;
    if (unshare(spaces) != 0)
        refuse("unshare");
    write_text("/proc/self/setgroups", "deny");
    snprintf(map, sizeof map, "%u %u 1\n", user, user);
    write_text("/proc/self/uid_map", map);
    snprintf(map, sizeof map, "%u %u 1\n", group, group);
    write_text("/proc/self/gid_map", map);
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0
        || mount(folder, place, NULL, MS_BIND, NULL) != 0)
        refuse("mount");
    forbid_user_spaces();
    change_mounts("/", RECURSIVE, READ_ONLY | NO_SETUID | NO_DEVICES, 0);
    change_mounts(place, 0, 0, READ_ONLY);
    if (hide_devices(visible) != 0 || hide_others(visible) != 0 || hide_from_others("/etc") != 0)
        refuse("mount");
    if (chdir("/") != 0) /* /proc/1/cwd would lead below what is hidden */
        refuse("/");
}

/* Root's number would get all capabilities again by execve, if these were not bounded. */
static void drop_rights(void)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};
    for (int right = 0; prctl(PR_CAPBSET_READ, right) >= 0; right++)
        if (prctl(PR_CAPBSET_DROP, right) != 0)
            refuse("PR_CAPBSET_DROP");
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || syscall(SYS_capset, &header, none) != 0)
        refuse("capset");
    syscall(SYS_keyctl, NEW_SESSION_KEYS, NULL); /* or there are no keys */
    prctl(PR_SET_DUMPABLE, 0); /* /proc/1/exe is this program, on a mount that can be written to */
}

static void limit_files(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0)
        refuse("getrlimit");
    if (limit.rlim_max > written)
        limit.rlim_max = written;
    if (limit.rlim_cur > limit.rlim_max)
        limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
        refuse("setrlimit");
}

/* The first process of its name space: reaps what others leave; when it ends, all end. */
static int serve(const char *working, char **command)
{
    int status = 0;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    mount("proc", "/proc", "proc", PROC | MS_RDONLY, NULL); /* or the old one, read-only too */
    if (hide_kernel_files() != 0)
        refuse("mount");
    drop_rights();
    limit_files();
    pid_t child = fork();
    if (child < 0)
        refuse("fork");
    if (child == 0) {
        if (chdir(working) != 0)
            refuse(working);
        execvp(command[0], command);
        fprintf(stderr, "%s: %s\n", command[0], strerror(errno));
        _exit(127);
    }
    for (pid_t ended; (ended = wait(&status)) != child;)
        if (ended < 0 && errno != EINTR)
            return REFUSED;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int count, char **words)
{
    int status, shown = 0, option;
    char **visible = calloc(count + 1, sizeof *visible);
    while ((option = getopt(count, words, "+v:")) == 'v')
        visible[shown++] = optarg;
    words += optind;
    if (option != -1 || count - optind < 4) {
        fputs("usage: enclosure [-v VISIBLE]... FOLDER PLACE WORKING COMMAND...\n", stderr);
        return REFUSED;
    }
    visible[shown] = words[1];
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    enter(words[0], words[1], visible);
    pid_t first = fork();
    if (first < 0)
        refuse("fork");
    if (first == 0)
        _exit(serve(words[2], words + 3));
    drop_rights();
    while (waitpid(first, &status, 0) < 0)
        if (errno != EINTR)
            refuse("waitpid");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
