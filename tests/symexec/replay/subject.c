/* What a program can see of how it was started, and do to what started it; argv[1] chooses. */
#define _GNU_SOURCE
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define UNCHECKED __attribute__((no_sanitize("address"), noinline))
extern char **environ;

/* -------------------------------------------------------------------- before and behind main */

static const char *home;
static int counted;

__attribute__((constructor)) static void before(int count, char **words, char **variables)
{
    home = getenv("HOME");
    counted = count;
    if (words[count] || variables != environ)
        abort();
}

static void handler(void)
{
    puts("handler");
}

static int constructors(void)
{
    atexit(handler);
    printf("%s %d %s\n", home, counted, getenv("CSGTEST_MASK"));
    return 3;
}

__attribute__((destructor)) static void behind(void)
{
    if (counted < 0)
        puts("destructor");
}

static int destructors(void)
{
    counted = -1;
    return 0;
}

/* --------------------------------------------------------------------------------- addresses */

static int block(void)
{
    int here;
    for (char **each = environ; *each; each++)
        printf("%s %p %p\n", *each, *each, each);
    printf("%p %s %s %p\n", environ, program_invocation_name, program_invocation_short_name,
           program_invocation_name);
    printf("%p %p %p\n", &here, malloc(10), sbrk(0));
    for (unsigned long kind = 1; kind < 52; kind++)
        if (kind != AT_SYSINFO_EHDR)
            printf("%lu %lx\n", kind, getauxval(kind));
    printf("%s %s\n", (char *) getauxval(AT_PLATFORM), (char *) getauxval(AT_EXECFN));
    return 0;
}

/* Nothing but what is on every stack: no random bytes, nor what is made of them. */
UNCHECKED static int stack(void)
{
    unsigned long *top = (unsigned long *) 0x7ffffffff000, *text = (unsigned long *) environ;
    unsigned long *random = (unsigned long *) (getauxval(AT_RANDOM) & ~7ul);
    for (; text < top; text++)
        if (text < random || text > random + 2)
            printf("%lx ", *text);
    return 0;
}

/* Far below all that was called by now. */
UNCHECKED static int below(void)
{
    unsigned long *frame = __builtin_frame_address(0), sum = 0;
    for (int i = -14000; i < -4000; i++)
        sum |= frame[i];
    printf("%lx", sum);
    return 0;
}

/* Fuzzing an object of ours. */
static unsigned char object[64];

UNCHECKED static int beside(void)
{
    unsigned sum = 0;
    for (int i = -4096; i < 4096; i++)
        sum = 31 * sum + ((volatile unsigned char *) object)[i];
    printf("%u", sum);
    return 0;
}

static int uninitialised(void)
{
    unsigned char *heap = malloc(5000), sum = 0;
    for (int i = 0; i < 5000; i++)
        sum |= heap[i];
    printf("%d", sum);
    return 0;
}

static sigjmp_buf back;
static volatile int depth;

static void overflowed(int number)
{
    siglongjmp(back, number);
}

static int deeper(int level)
{
    volatile char room[1000];
    depth = level;
    room[level % 1000] = 1;
    return deeper(level + 1) + room[3];
}

static int stack_size(void)
{
    static char other[65536];
    stack_t alternative = {.ss_sp = other, .ss_size = sizeof other};
    struct sigaction action = {.sa_handler = overflowed, .sa_flags = SA_ONSTACK};
    sigaltstack(&alternative, NULL);
    sigaction(SIGSEGV, &action, NULL);
    if (!sigsetjmp(back, 1))
        deeper(1);
    printf("%d", depth);
    return 0;
}

static int overflow(void)
{
    return deeper(1);
}

/* ----------------------------------------------------------------------- what the kernel says */

static void show(const char *name)
{
    char text[65536];
    int file = open(name, O_RDONLY);
    ssize_t size = read(file, text, sizeof text);
    close(file);
    for (ssize_t i = 0; i < size; i++)
        putchar(text[i] ? text[i] : '|');
    putchar('\n');
}

static int status(void)
{
    char line[500];
    const char *const wanted[] = {"Sig", "Shd", "Cap", "Sec", "NoNew", "Thr", "Uid", "Gid", "Gro",
                                  "Core", "Umask", "Cpus"};
    FILE *file = fopen("/proc/self/status", "r");
    while (fgets(line, sizeof line, file))
        for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
            if (!strncmp(line, wanted[i], strlen(wanted[i])))
                fputs(line, stdout);
    show("/proc/self/cmdline");
    show("/proc/self/environ");
    return 0;
}

/* Fields of /proc/self/stat: priorities, threads, addresses. */
static int numbers(void)
{
    char text[4096] = "", *rest;
    int field = 3, file = open("/proc/self/stat", O_RDONLY);
    read(file, text, sizeof text - 1);
    rest = strrchr(text, ')') + 1;
    for (char *word; (word = strtok_r(rest, " ", &rest)); field++)
        if ((field >= 18 && field <= 20) || (field >= 25 && field <= 28)
            || (field >= 31 && field <= 38) || field >= 45)
            printf("%d=%s ", field, word);
    return 0;
}

static int limits(void)
{
    for (int each = 0; each < RLIM_NLIMITS; each++) {
        struct rlimit both;
        getrlimit(each, &both);
        if (each != RLIMIT_NPROC) /* has room for the servers */
            printf("%d %lx %lx\n", each, both.rlim_cur, both.rlim_max);
    }
    return 0;
}

static int signals(void)
{
    stack_t other;
    for (int i = 1; i < NSIG; i++) {
        struct sigaction action;
        if (!sigaction(i, NULL, &action))
            printf("%d %x\n", action.sa_handler != SIG_DFL, action.sa_flags);
    }
    sigaltstack(NULL, &other);
    printf("%d %zu %p", other.ss_flags, other.ss_size, other.ss_sp);
    return 0;
}

static int session(void)
{
    char folder[4096];
    printf("%d %d %d %o %s\n", getppid() == 1, getsid(0) == getpid(), getpgrp() == getpid(),
           umask(0), getcwd(folder, sizeof folder));
    for (int i = 0; i < 300; i++)
        if (fcntl(i, F_GETFD) >= 0)
            printf("%d %x %x\n", i, fcntl(i, F_GETFD), fcntl(i, F_GETFL));
    return errno;
}

/* ------------------------------------------------------------------------------ input, output */

static int input(void)
{
    char text[100];
    size_t size = fread(text, 1, sizeof text, stdin);
    printf("%zu %.*s %d\n", size, (int) size, text, isatty(0));
    for (int i = 0; i < 3; i++) {
        struct stat about;
        fstat(i, &about);
        printf("%o %ld\n", about.st_mode, (long) about.st_size);
    }
    FILE *file = fopen("A", "r");
    if (file && fgets(text, sizeof text, file))
        puts(text);
    return 0;
}

static int control(void)
{
    char text[100];
    ssize_t size = pread(3, text, sizeof text, 0);
    printf("%zd %.*s", size, size > 0 ? (int) size : 0, text);
    return size > 0 && write(3, "back", 4) == 4;
}

static int files(void)
{
    FILE *file = fopen("new", "w");
    fputs("text", file);
    fclose(file);
    mkdir("folder", 0700);
    unlink("A");
    return symlink("x", "link");
}

static int damage(void)
{
    chdir("..");
    chmod("home", 0);
    umask(077);
    return rename("work", "other") == 0;
}

static int descriptors(void)
{
    for (int i = 3; i < 20; i++)
        printf("%zd %d\n", write(i, "x", 1), errno);
    fflush(stdout);
    close(0), close(1), close(2);
    int file = open("out", O_CREAT | O_RDWR, 0644);
    return write(file, "abc", 3) == 3 ? file : 9;
}

static int words(void)
{
    fprintf(stderr, "%s ", program_invocation_short_name);
    errno = ENOENT;
    perror("said");
    return errno;
}

/* ---------------------------------------------------------------------------------- processes */

static void *thread(void *number)
{
    printf("%d\n", *(int *) number);
    return NULL;
}

static int threads(void)
{
    pthread_t other;
    pthread_attr_t about;
    void *from;
    size_t size;
    int number = 5;
    pthread_create(&other, NULL, thread, &number);
    pthread_join(other, NULL);
    pthread_getattr_np(pthread_self(), &about);
    pthread_attr_getstack(&about, &from, &size);
    printf("%lx", (uintptr_t) from + size);
    return 0;
}

static int child(void)
{
    int status, process = fork();
    if (process == 0)
        _exit(3);
    waitpid(process, &status, 0);
    printf("%d\n", WEXITSTATUS(status));
    fflush(stdout);
    if (fork() == 0)
        _exit(0); /* nobody waits for it */
    return system("echo shell");
}

static int again(void)
{
    char *const other[] = {"program", "words", NULL};
    return execv("/proc/self/exe", other);
}

static int daemon_left(void)
{
    if (fork() == 0) {
        setsid();
        for (;;)
            pause();
    }
    return 5;
}

static int kill_parent(void)
{
    printf("%d %d", kill(getppid(), SIGKILL), errno);
    return 2;
}

static int kill_all(void)
{
    int result = kill(-1, SIGKILL);
    printf("%d %d", result, errno);
    return 2;
}

static int stop_all(void)
{
    int result = kill(-1, SIGSTOP);
    printf("%d %d", result, errno);
    return 2;
}

static int kill_group(void)
{
    return kill(0, SIGTERM);
}

static int bomb(void)
{
    for (;;)
        fork();
}

static int many(void)
{
    int made = 0;
    for (int i = 0; i < 200; i++) {
        int process = fork();
        if (process == 0)
            for (;;)
                pause();
        made += process > 0;
    }
    printf("%d", made);
    return 0;
}

static int limits_of_others(void)
{
    struct rlimit little = {4096, 4096};
    for (int process = 2; process < 100; process++)
        if (process != getpid())
            prlimit(process, RLIMIT_DATA, &little, NULL);
    return 0;
}

/* ------------------------------------------------------------------------------------- errors */

static int memory(void)
{
    int megabytes = 0;
    while (megabytes < 3000 && malloc(1 << 20))
        megabytes++;
    printf("%d", megabytes);
    return 4;
}

static int endless(void)
{
    write(1, "a", 1);
    for (;;)
        ;
}

static int bounds(void)
{
    volatile char *text = malloc(3);
    text[counted] = 1;
    printf("%d", text[counted]);
    return 0;
}

static int null(void)
{
    int *volatile nowhere = NULL;
    return *nowhere;
}

static int assertion(void)
{
    assert(counted > 100);
    return 0;
}

static int division(void)
{
    return 10 / (counted - counted);
}

static int lost(void)
{
    void *volatile text = malloc(33);
    text = NULL;
    return text != NULL;
}

static int nothing(void)
{
    return 0;
}

#define NAMED(name) {#name, name}
static const struct {
    const char *name;
    int (*act)(void);
} behaviours[] = {
    NAMED(constructors), NAMED(destructors), NAMED(block), NAMED(stack), NAMED(below),
    NAMED(beside), NAMED(uninitialised), NAMED(stack_size), NAMED(overflow), NAMED(status), NAMED(numbers),
    NAMED(limits), NAMED(signals), NAMED(session), NAMED(input), NAMED(control), NAMED(files),
    NAMED(damage), NAMED(descriptors), NAMED(words), NAMED(threads), NAMED(child), NAMED(again),
    NAMED(daemon_left), NAMED(kill_parent), NAMED(kill_all), NAMED(stop_all), NAMED(kill_group),
    NAMED(bomb), NAMED(many), NAMED(limits_of_others), NAMED(memory), NAMED(endless),
    NAMED(bounds), NAMED(null), NAMED(assertion), NAMED(division), NAMED(lost), NAMED(nothing),
};

int main(int count, char **words)
{
    for (size_t i = 0; count > 1 && i < sizeof behaviours / sizeof *behaviours; i++)
        if (!strcmp(behaviours[i].name, words[1]))
            return behaviours[i].act();
    return 77;
}
