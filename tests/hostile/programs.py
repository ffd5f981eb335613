"""Programs that do harm, or try to look harmless.

    for name, text in PROGRAMS:
        text % (NAME, 1), text % (NAME, 2)      two versions, whose exit status differs

Each act is done at each of several moments: before ``main``, in it, behind it, in a thread, in a
child that outlives its parent. NAME becomes the name of all processes of the program.
"""

from __future__ import annotations

from collections.abc import Iterator

KEY = 0x6873  # of System V objects
_HEAD = """\
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
static volatile long sink;
"""
_ACTS = {
    "signals to all": "kill(-1, SIGKILL);",
    "signals to its parent": "kill(getppid(), SIGKILL); kill(0, SIGTERM);",
    "signals to numbers": "for (int n = 1; n < 3000; n++) if (n != getpid()) kill(n, SIGKILL);",
    "stops itself": "raise(SIGSTOP);",
    "stops its parent": "kill(getppid(), SIGSTOP);",
    "does not end": "for (;;) sink++;",
    "sleeps": "for (;;) pause();",
    "naps": "for (;;) usleep(4000);",
    "forks without end": "for (;;) if (fork() < 0) break;",
    "leaves a daemon": "if (fork() == 0) { setsid(); if (fork() == 0) for (;;) pause();"
    " _exit(0); }",
    "leaves many": "for (int i = 0; i < 20; i++) if (fork() == 0) { setsid(); for (;;) pause(); }",
    "fills memory": "for (;;) { char *p = malloc(1 << 20); if (!p) break; memset(p, 1, 1 << 20); }",
    "fills files in memory": "static char b[1 << 20]; memset(b, 1, sizeof b); for (;;) { int f ="
    ' memfd_create("x", 0); if (f < 0) break; for (int i = 0; i < 7; i++) write(f, b, sizeof b); }',
    "fills sockets": "static char b[4096]; int s[2]; while (socketpair(AF_UNIX, SOCK_STREAM, 0, s)"
    " == 0) while (send(s[0], b, sizeof b, MSG_DONTWAIT) > 0) ;",
    "fills the folder": "static char b[1 << 16]; for (int i = 0; i < 20000; i++) { char n[20];"
    ' sprintf(n, "f%d", i); int f = open(n, O_WRONLY | O_CREAT, 0644); if (f < 0) break;'
    " if (i < 900) write(f, b, sizeof b); close(f); }",
    "makes deep folders": 'for (int i = 0; i < 5000; i++) if (mkdir("d", 0700) || chdir("d"))'
    " break;",
    "writes without end": 'for (;;) if (write(1, "xxxxxxxxxxxxxxx", 15) < 0) break;',
    "writes to a terminal": 'printf("\\033[2J\\033]0;x\\007\\033[?1049h\\xe2\\x80\\xae");'
    " fflush(stdout);",
    "writes to each descriptor": 'for (int i = 3; i < 1024; i++) write(i, "\\0\\1\\2\\3", 4);',
    "closes all": "for (int i = 0; i < 1024; i++) close(i);",
    "says it was proved": "for (int i = 3; i < 1024; i++) { int n = 1; write(i, &n, 4);"
    " write(i, &n, 4); shutdown(i, SHUT_RDWR); }",
    "changes files": 'const char *f[] = {"/etc/passwd", "/tmp/x", "../../x", "/dev/shm/x",'
    ' "/var/tmp/x", "/root/x", "/home/x"}; for (int i = 0; i < 7; i++) { int n = open(f[i],'
    ' O_RDWR | O_CREAT, 0666); if (n >= 0) write(n, "x", 1); unlink(f[i]); chmod(f[i], 0777); }',
    "removes files": 'DIR *d; const char *p[] = {"/tmp", "..", "/", "/root", "/home"};'
    " for (int i = 0; i < 5; i++) if ((d = opendir(p[i]))) for (struct dirent *e;"
    " (e = readdir(d));) unlinkat(dirfd(d), e->d_name, 0);",
    "uses the terminal": 'int t = open("/dev/tty", O_RDWR); struct termios s; for (int i = 0; i <'
    ' 40; i++) { char n[20]; if (t < 0) { sprintf(n, "/dev/pts/%d", i); t = open(n, O_RDWR); }'
    " if (t >= 0 && tcgetattr(t, &s) == 0) { s.c_lflag = 0; tcsetattr(t, 0, &s);"
    ' ioctl(t, TIOCSTI, "x"); } }',
    "traces": "for (int n = 1; n < 3000; n++) { ptrace(PTRACE_SEIZE, n, 0, 0); int p ="
    " syscall(434, n, 0); if (p >= 0) for (int i = 0; i < 20; i++) { int f = syscall(438, p, i,"
    ' 0); if (f >= 0) write(f, "x", 1); } }',
    "mounts": 'unshare(CLONE_NEWUSER | CLONE_NEWNS); mount("none", "/tmp", "tmpfs", 0, 0);'
    ' umount2("/tmp", MNT_DETACH); chroot("/"); setuid(0);',
    "connects": "struct sockaddr_un a = {AF_UNIX}; int s = socket(AF_UNIX, SOCK_STREAM, 0);"
    ' strcpy(a.sun_path, "/run/dbus/system_bus_socket"); connect(s, (void *) &a, sizeof a);'
    " s = socket(AF_INET, SOCK_STREAM, 0);",
    "leaves System V objects": "int m = shmget(0x6873, 4096, IPC_CREAT | 0666); shmat(m, 0, 0);"
    " semget(0x6873, 1, IPC_CREAT | 0666);",
    "leaves a queue": 'mq_open("/hostile", O_CREAT | O_RDWR, 0666, 0);',
    "raises its limits": "struct rlimit l = {RLIM_INFINITY, RLIM_INFINITY}; for (int i = 0; i <"
    " 16; i++) { setrlimit(i, &l); prlimit(getppid(), i, &l, 0); }"
    " setpriority(PRIO_PROCESS, 0, -20); nice(-20);",
    "executes": 'if (fork() == 0) { execl("/bin/sh", "sh", "-c", "exec sleep 1000 & exec sleep'
    ' 1000", (char *) 0); _exit(1); }',
    "overflows": "char b[8]; memset(b, 1, 1 << 20); sink = b[7];",
    "blocks signals": "sigset_t s; sigfillset(&s); sigprocmask(SIG_BLOCK, &s, 0); for (int i = 1;"
    " i < 65; i++) signal(i, SIG_IGN); prctl(PR_SET_PDEATHSIG, 0);",
}
_MOMENTS = {
    "in main": "int main(int argc, char **argv)\n{\n    act();\n    return argc > 1 ? %d : 0;\n}\n",
    "before main": "__attribute__ ((constructor)) static void begin(void) { act(); }\n"
    "int main(int argc, char **argv) { return argc > 1 ? %d : 0; }\n",
    "before everything": "static void begin(int n, char **v, char **e) { act(); }\n"
    '__attribute__ ((section (".preinit_array"), used)) static void (*first)(int, char **, char **)'
    " = begin;\nint main(int argc, char **argv) { return argc > 1 ? %d : 0; }\n",
    "behind main": "__attribute__ ((destructor)) static void end(void) { act(); }\n"
    "int main(int argc, char **argv) { return argc > 1 ? %d : 0; }\n",
    "in a thread": "static void *run(void *p) { act(); return p; }\n"
    "int main(int argc, char **argv)\n{\n    pthread_t t;\n    pthread_create(&t, 0, run, 0);\n"
    "    pthread_join(t, 0);\n    return argc > 1 ? %d : 0;\n}\n",
    "in a child": "int main(int argc, char **argv)\n{\n    if (fork() == 0) { act(); _exit(0); }\n"
    "    return argc > 1 ? %d : 0;\n}\n",
}


def programs() -> Iterator[tuple[str, str]]:
    """Texts with the place of a name, and of what the exit status is."""
    for moment, frame in _MOMENTS.items():
        for name, act in _ACTS.items():
            body = act.replace("%", "%%")
            text = f'static void act(void)\n{{\n    prctl(PR_SET_NAME, "%s");\n    {body}\n}}\n'
            yield f"{name} {moment}", f"{_HEAD}{text}{frame}"


PROGRAMS = [*programs()]
