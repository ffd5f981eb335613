/* One run: the process that becomes the program, its limits, its end, and that of all that it left
 * running. */
#include "runner.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fork_server.h"

static volatile int *start_error; /* shared with the process that becomes the program */
static int children = -1;         /* the list of ours */
static int proof[2] = {-1, -1};   /* a pipe: programs that come to their start write to it */

/* A run is a handful of processes that wake one another, each for less than a millisecond: where
 * every processor has work each of them would wait for the turn of another to end, 3 ms or more.
 * With short turns (Linux 6.12; older ones ignore it) they go first, and get no more in sum. */
void ask_for_short_turns(void)
{
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t turn_ns, deadline_ns, period_ns;
    } wanted = {.size = sizeof wanted, .flags = SCHED_FLAG_KEEP_POLICY};
    wanted.nice = getpriority(PRIO_PROCESS, 0);
    wanted.turn_ns = 100000;
    syscall(SYS_sched_setattr, 0, &wanted, 0); /* programs inherit it */
}

void prepare_processes(void)
{
    start_error = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (start_error == MAP_FAILED)
        fail("mmap");
    children = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    if (pipe2(proof, O_CLOEXEC | O_NONBLOCK) != 0)
        fail("pipe2");
}

/* Has a program proved since the last call that it runs? */
static int proved(void)
{
    char bytes[4096];
    int found = 0;
    while (read(proof[0], bytes, sizeof bytes) > 0)
        found = 1;
    return found;
}

static uint64_t now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t) now.tv_sec * 1000000 + (uint64_t) now.tv_nsec / 1000;
}

/* What the hard limits allow of what is wanted. */
void limits_of(const struct job *job, const struct sandbox *sandbox, struct limit limits[LIMITS])
{
    const struct limit wanted[LIMITS] = {
        [LIMIT_CPU] = {RLIMIT_CPU, job->wall_ms / 1000 + 2},
        [LIMIT_NPROC] = {RLIMIT_NPROC, job->processes + (uint64_t) sandbox->process_limit},
        {RLIMIT_CORE, 0},
        {RLIMIT_FSIZE, job->file_size},
        {RLIMIT_NOFILE, 256},
        {RLIMIT_STACK, 8u << 20},
        {RLIMIT_MEMLOCK, 65536},
        {RLIMIT_AS, job->address_space ? job->address_space : RLIM_INFINITY},
    };
    for (int i = 0; i < LIMITS; i++) {
        struct rlimit present;
        limits[i] = wanted[i];
        if (getrlimit((__rlimit_resource_t) wanted[i].resource, &present) == 0
            && present.rlim_max < wanted[i].value)
            limits[i].value = present.rlim_max;
    }
}

static void set_limits(const struct job *job, const struct sandbox *sandbox, int serves)
{
    struct limit limits[LIMITS];
    limits_of(job, sandbox, limits);
    for (int i = 0; i < LIMITS; i++) {
        struct rlimit both = {limits[i].value, limits[i].value};
        if (!serves || i != LIMIT_CPU) /* a server's jobs have one of their own */
            setrlimit((__rlimit_resource_t) limits[i].resource, &both);
    }
}

/* `socket`: -1, or a server's. `crowded`: there are servers. */
void become_program(const struct job *job, const struct sandbox *sandbox, const char *work,
                    const int files[4], int socket, int crowded)
{
    sigset_t none;
    for (int i = 1; i < NSIG; i++)
        signal(i, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setsid();
    umask(022);
    /* files[] are 10 and up: no descriptor is overwritten before it is copied. */
    int wanted = job->flags & FLAG_CONTROL ? 4 : 3;
    for (int i = 0; i < wanted; i++)
        if (dup2(files[i], i) < 0)
            _exit(NOT_READY);
    for (int i = wanted; i < 10; i++)
        close(i); /* the rest is close-on-exec */
    if ((socket >= 0 && dup2(socket, FORK_SOCKET) < 0) || chdir(work) != 0
        || ((job->flags & FLAG_PROVES) && dup2(proof[1], PROOF) < 0))
        _exit(NOT_READY);
    personality(job->flags & FLAG_ANYWHERE ? 0 : ADDR_NO_RANDOMIZE);
    set_limits(job, sandbox, socket >= 0);
    enter_sandbox(sandbox, crowded);
    execve(job->program, job->arguments, job->environment);
    *start_error = errno;
    _exit(127);
}

/* Children of what is killed become ours: the list is read until nobody is left. */
void end_children(void)
{
    enum { MOST_ROUNDS = 10000, PAUSE_NS = 1000000 };
    int list = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    for (int round = 0; round < MOST_ROUNDS; round++) {
        pid_t ended;
        while ((ended = waitpid(-1, NULL, WNOHANG)) > 0)
            ;
        if (ended < 0 && errno == ECHILD)
            break;
        char text[4096], *rest = text;
        ssize_t size = list >= 0 ? pread(list, text, sizeof text - 1, 0) : 0;
        text[size > 0 ? size : 0] = '\0';
        if (size == sizeof text - 1 && strrchr(text, ' ')) /* the last number may be cut off */
            *strrchr(text, ' ') = '\0';
        for (char *word; (word = strtok_r(rest, " \n", &rest)) != NULL;)
            kill((pid_t) atol(word), SIGKILL);
        struct timespec pause = {0, PAUSE_NS};
        nanosleep(&pause, NULL);
    }
    if (list >= 0)
        close(list);
}

/* Kill all that the program left behind, and all servers. As process 1 we see nobody else. */
static void kill_all(const struct sandbox *sandbox)
{
    if (sandbox->present & LAYER_NAMESPACES) {
        kill(-1, SIGKILL);
        while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
            ;
    } else {
        end_children();
    }
}

enum { STRAYS = 1, DEAD_SERVER = 2 };

static int living(const struct servers *servers)
{
    int count = 0;
    for (int i = 0; i < SERVERS; i++)
        count += servers->each[i].pid > 0;
    return count;
}

static int is_server(const struct servers *servers, pid_t process)
{
    for (int i = 0; i < SERVERS; i++)
        if (servers->each[i].pid == process)
            return 1;
    return 0;
}

/* May we signal this process and wait for it? A server runs code of the program, so it may name any
 * number: of a stranger, of another server, or one that kill() takes for all processes. */
static int is_child(const struct servers *servers, pid_t process)
{
    siginfo_t info;
    return process > 1 && !is_server(servers, process)
           && waitid(P_PID, (id_t) process, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

/* The processes other than living servers. What has ended is reaped. */
static int damage(const struct servers *servers)
{
    char text[4096];
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
    ssize_t size = children >= 0 ? pread(children, text, sizeof text - 1, 0) : -1;
    if (size < 0)
        return STRAYS;
    text[size] = '\0';
    int strays = 0, dead = living(servers);
    char *rest = text;
    for (char *word; (word = strtok_r(rest, " \n", &rest)) != NULL;) {
        int found = is_server(servers, (pid_t) atol(word));
        dead -= found;
        strays |= !found;
    }
    return (strays ? STRAYS : 0) | (dead ? DEAD_SERVER : 0);
}

/* What /proc says of a process, in `text`, which ends with a null character. */
static void read_about(pid_t process, const char *what, char *text, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", process, what);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t found = file >= 0 ? read(file, text, size - 1) : 0;
    if (file >= 0)
        close(file);
    text[found > 0 ? found : 0] = '\0';
}

/* Bytes that a process has filled, and those of the tables of its pages. */
static uint64_t resident(pid_t process)
{
    static const char *const lines[] = {"VmRSS:", "VmPTE:"};
    char text[4096];
    uint64_t sum = 0;
    read_about(process, "status", text, sizeof text);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const char *line = strstr(text, lines[i]);
        sum += line ? strtoull(line + strlen(lines[i]), NULL, 10) * 1024 : 0;
    }
    return sum;
}

/* Bytes that no page of a process shows: of files in memory that it has open and nobody else counts,
 * and what its sockets may hold. `seen` are files that were counted before. */
enum { MOST_SEEN = 1024, OF_SOCKET = 416 << 10 };
struct seen {
    unsigned count;
    ino_t files[MOST_SEEN];
};

static uint64_t held_open(pid_t process, struct seen *seen)
{
    char path[64];
    uint64_t sum = 0;
    snprintf(path, sizeof path, "/proc/%d/fd", process);
    DIR *open_files = opendir(path);
    for (struct dirent *entry; open_files && (entry = readdir(open_files)) != NULL;) {
        struct stat status;
        if (fstatat(dirfd(open_files), entry->d_name, &status, 0) != 0)
            continue;
        if (S_ISSOCK(status.st_mode))
            sum += OF_SOCKET;
        if (!S_ISREG(status.st_mode) || status.st_nlink > 0 || status.st_blocks == 0)
            continue;
        unsigned i = 0;
        while (i < seen->count && seen->files[i] != status.st_ino)
            i++;
        if (i == seen->count) {
            sum += (uint64_t) status.st_blocks * 512;
            if (i < MOST_SEEN)
                seen->files[seen->count++] = status.st_ino;
        }
    }
    if (open_files)
        closedir(open_files);
    return sum;
}

/* Bytes that all processes of a run have filled: those of the child, and as process 1 we see all. */
static uint64_t filled(pid_t child, const struct sandbox *sandbox, const struct servers *servers)
{
    int sees_all = sandbox->present & LAYER_NAMESPACES;
    DIR *all = sees_all ? opendir("/proc") : NULL;
    struct seen seen = {0};
    uint64_t sum = all ? shared_memory() : resident(child) + held_open(child, &seen);
    for (struct dirent *entry; all && (entry = readdir(all)) != NULL;) {
        pid_t number = (pid_t) atol(entry->d_name);
        if (number > 1 && !is_server(servers, number))
            sum += resident(number) + held_open(number, &seen);
    }
    if (all)
        closedir(all);
    return sum;
}

/* How often that is looked at, in microseconds; runs are mostly over before. */
enum { WATCH = 10000 };

enum { PATIENCE = 30 }; /* times its limit that a run may take where others have the processor */

/* The processor time that the child itself has had, in microseconds. */
static uint64_t cpu_of(pid_t child)
{
    clockid_t clock;
    struct timespec used;
    if (child <= 0 || clock_getcpuclockid(child, &clock) != 0 || clock_gettime(clock, &used) != 0)
        return 0;
    return (uint64_t) used.tv_sec * 1000000 + (uint64_t) used.tv_nsec / 1000;
}

/* How long a process was ready to run while others had the processors, in microseconds; 0 where the
 * kernel does not say. */
static uint64_t waited_of(pid_t process)
{
    char text[128];
    unsigned long long ran, waited;
    read_about(process, "schedstat", text, sizeof text);
    return sscanf(text, "%llu %llu", &ran, &waited) == 2 ? waited / 1000 : 0;
}

/* Wait for the child (not reaped: its group must stay known) or the limit; a server's child is known
 * (*child) when the server has told. Returns whether it has ended; -1: nobody knows the child. The
 * limit is one of time in which the child runs or waits for something: where others have the
 * processors, it goes on for as much longer. One that fills more memory than the job may is over at once
 * (*overdrawn). */
static int wait_for(pid_t *child, const struct server *server, const struct job *job,
                    const struct sandbox *sandbox, const struct servers *servers, uint64_t start,
                    int *overdrawn)
{
    uint64_t limit = (uint64_t) job->wall_ms * 1000;
    uint64_t deadline = start + limit;
    sigset_t chld;
    sigemptyset(&chld);
    sigaddset(&chld, SIGCHLD);
    for (;;) {
        siginfo_t info = {0};
        uint64_t now = now_us();
        if (*child == 0) {
            *child = answer_of(server, now < deadline ? 0 : FORK_MS);
            if (*child == NO_ANSWER ? now >= deadline : !is_child(servers, *child))
                return -1;
        }
        if (*child == NO_ANSWER)
            *child = 0;
        else if (waitid(P_PID, (id_t) *child, &info, WEXITED | WNOHANG | WNOWAIT) == 0
                 && info.si_pid == *child)
            return 1;
        if (now >= deadline) {
            uint64_t spent = now - start, waited = waited_of(*child);
            spent -= waited < spent ? waited : spent;
            if (spent >= limit || cpu_of(*child) >= limit || now - start >= PATIENCE * limit)
                return 0;
            deadline = now + (limit - spent < limit / 8 ? limit / 8 : limit - spent);
        }
        if (job->memory && *child > 0 && now - start >= WATCH
            && filled(*child, sandbox, servers) > job->memory) {
            *overdrawn = 1;
            return 0;
        }
        uint64_t left = deadline - now;
        if (job->memory && left > WATCH)
            left = WATCH;
        struct timespec wait = {(time_t) (left / 1000000), (long) (left % 1000000) * 1000};
        sigtimedwait(&chld, NULL, &wait);
    }
}

static void reap(pid_t child, struct result *result)
{
    int status;
    struct rusage usage;
    if (wait4(child, &status, 0, &usage) != child)
        fail("wait4");
    result->exit = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    result->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    result->cpu_us = (uint64_t) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000
                     + (uint64_t) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* Ends with no process but servers left. `server` may be NULL. 0: as a server was damaged, what was
 * seen may be due to there being one; none is left. */
int run(const struct job *job, struct sandbox *sandbox, const char *base, const int files[4],
         struct servers *servers, struct server *server, struct result *result)
{
    char work[4096];
    snprintf(work, sizeof work, "%s/work", base);
    uint64_t start = now_us();
    *start_error = 0;
    proved();
    int crowded = living(servers) > 0;
    int forks = server && fork_from(server, servers, job, sandbox, work, files);
    pid_t child = forks ? 0 : fork();
    if (child < 0)
        fail("fork");
    if (child == 0 && !forks)
        become_program(job, sandbox, work, files, -1, crowded);
    int overdrawn = 0;
    int ended = wait_for(&child, server, job, sandbox, servers, start, &overdrawn);
    if (ended >= 0) {
        result->flags |= (ended ? 0 : overdrawn ? OVERDRAWN : TIMED_OUT) | (forks ? FORKED : 0);
        kill(-child, SIGKILL); /* before it is reaped: the number is still its own */
        kill(child, SIGKILL);
        reap(child, result);
        /* The system's own limit lies above ours: who is slow to look finds it has struck. */
        int struck = result->signal == SIGXCPU || result->signal == SIGKILL;
        if (ended && struck && result->cpu_us >= (uint64_t) job->wall_ms * 1000)
            result->flags |= TIMED_OUT;
    }
    int found = damage(servers), runs = !(job->flags & FLAG_PROVES) || proved();
    if (!runs)
        result->flags |= UNPROVEN;
    if (ended < 0 || (forks && !runs) || (forks && result->exit == NOT_READY) || (crowded && result->signal == SIGSYS))
        found |= DEAD_SERVER; /* or in the way: see enter_sandbox */
    int used = used_ipc(sandbox);
    if (found || used) {
        kill_all(sandbox);
        lose_servers(servers, found ? server : NULL);
    }
    if (used)
        renew_ipc(sandbox);
    result->wall_us = now_us() - start;
    result->error = *start_error;
    if (result->error)
        result->flags |= NOT_STARTED;
    return !(found & DEAD_SERVER);
}
