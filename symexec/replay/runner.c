/* Executes programs that nobody has vouched for, one after another, and says what each did.
 *
 *     runner BOX BUILDS WALLS
 *
 * BOX is a private folder, BUILDS where the programs lie, WALLS the set of walls to try (7: all).
 * First it answers with the folder that programs may write to and the walls that hold. Then for
 * each request (wire.py has the layout): clean the box, place the files, run, kill whatever the
 * program left running, answer. It ends when its standard input ends. */
#include "runner.h"

#include <errno.h>
#include <fcntl.h>
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

enum { FLAG_CONTROL = 1 };                           /* request: descriptor 3 is wanted */
enum { TIMED_OUT = 1, NOT_STARTED = 2, BAD_BOX = 4 }; /* answer */

struct job {
    uint32_t wall_ms, flags, capture, processes;
    uint64_t address_space, file_size;
    char *program;
    char **arguments, **environment;
    struct bytes input, control;
};

struct result {
    int exit, signal, flags, error;
    uint64_t wall_us, cpu_us;
};

static volatile int *start_error; /* shared with the process that becomes the program */

void fail(const char *what)
{
    fprintf(stderr, "csgtest runner: %s: %s\n", what, strerror(errno));
    _exit(3);
}

static uint64_t now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t) now.tv_sec * 1000000 + (uint64_t) now.tv_nsec / 1000;
}

static int memory_file(const char *name, struct bytes content)
{
    int file = memfd_create(name, MFD_CLOEXEC);
    if (file < 0)
        fail("memfd_create");
    if (content.size > 0 && write(file, content.data, content.size) != (ssize_t) content.size)
        fail("memfd write");
    lseek(file, 0, SEEK_SET);
    return file;
}

/* Standard input as a shell's pipe gives it: all is written, the other end is closed. What no pipe
 * holds comes from a file. */
static int piped(struct bytes content)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        fail("pipe2");
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    if (content.size > 65536)
        fcntl(ends[1], F_SETPIPE_SZ, (int) content.size);
    int whole = content.size == 0
                || write(ends[1], content.data, content.size) == (ssize_t) content.size;
    close(ends[1]);
    if (whole)
        return ends[0];
    close(ends[0]);
    return memory_file("stdin", content);
}

static void limit(int resource, rlim_t value)
{
    struct rlimit both = {value, value};
    if (setrlimit((__rlimit_resource_t) resource, &both) == 0)
        return;
    struct rlimit present; /* the hard limit is lower already: as far as it goes */
    if (getrlimit((__rlimit_resource_t) resource, &present) == 0 && present.rlim_max < value)
        value = present.rlim_max;
    both.rlim_cur = both.rlim_max = value;
    setrlimit((__rlimit_resource_t) resource, &both);
}

static void set_limits(const struct job *job, const struct walls *walls)
{
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, job->wall_ms / 1000 + 2);
    limit(RLIMIT_FSIZE, job->file_size);
    limit(RLIMIT_NOFILE, 256);
    limit(RLIMIT_STACK, 8u << 20);
    limit(RLIMIT_MEMLOCK, 65536);
    limit(RLIMIT_NPROC, job->processes + (rlim_t) walls->process_limit);
    if (job->address_space)
        limit(RLIMIT_AS, job->address_space);
}

static void become_program(const struct job *job, const struct walls *walls, const char *work,
                           const int files[4])
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
            _exit(126);
    for (int i = wanted; i < 10; i++)
        close(i); /* the rest is close-on-exec */
    if (chdir(work) != 0)
        _exit(126);
    personality(ADDR_NO_RANDOMIZE);
    set_limits(job, walls);
    enter_walls(walls);
    execve(job->program, job->arguments, job->environment);
    *start_error = errno;
    _exit(127);
}

/* Kill all that the program left behind. As process 1 we see nobody else. */
static void kill_all(const struct walls *walls)
{
    if (walls->present & WALL_NAMESPACES) {
        kill(-1, SIGKILL);
    } else {
        for (int round = 0; round < 1000; round++) { /* strays become our children */
            char path[64], text[4096];
            snprintf(path, sizeof path, "/proc/self/task/%d/children", getpid());
            int list = open(path, O_RDONLY | O_CLOEXEC);
            ssize_t size = list >= 0 ? read(list, text, sizeof text - 1) : 0;
            if (list >= 0)
                close(list);
            if (size <= 0)
                break;
            text[size] = '\0';
            char *rest = text;
            for (char *word; (word = strtok_r(rest, " \n", &rest)) != NULL;)
                kill((pid_t) atol(word), SIGKILL);
            if (waitpid(-1, NULL, 0) < 0)
                break;
        }
    }
    while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
        ;
}

/* Wait for `child` (not reaped: its group must stay known) or the limit; nonzero when it ended. */
static int wait_for(pid_t child, uint64_t deadline)
{
    sigset_t chld;
    sigemptyset(&chld);
    sigaddset(&chld, SIGCHLD);
    for (;;) {
        siginfo_t info = {0};
        if (waitid(P_PID, (id_t) child, &info, WEXITED | WNOHANG | WNOWAIT) == 0
            && info.si_pid == child)
            return 1;
        uint64_t now = now_us();
        if (now >= deadline)
            return 0;
        uint64_t left = deadline - now;
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

static void run(const struct job *job, const struct walls *walls, const char *base,
                const int files[4], struct result *result)
{
    char work[4096];
    snprintf(work, sizeof work, "%s/work", base);
    uint64_t start = now_us();
    *start_error = 0;
    pid_t child = fork();
    if (child < 0)
        fail("fork");
    if (child == 0)
        become_program(job, walls, work, files);
    if (!wait_for(child, start + (uint64_t) job->wall_ms * 1000)) {
        result->flags |= TIMED_OUT;
    }
    kill(-child, SIGKILL); /* before it is reaped: the number is still its own */
    kill(child, SIGKILL);
    reap(child, result);
    kill_all(walls);
    result->wall_us = now_us() - start;
    result->error = *start_error;
    if (result->error)
        result->flags |= NOT_STARTED;
}

static void write_captured(struct writer *frame, int file, size_t most)
{
    struct stat status;
    if (fstat(file, &status) != 0)
        fail("fstat");
    size_t size = (size_t) status.st_size < most ? (size_t) status.st_size : most;
    char *data = size ? mmap(NULL, size, PROT_READ, MAP_SHARED, file, 0) : NULL;
    if (data == MAP_FAILED)
        fail("mmap");
    write_u64(frame, (uint64_t) status.st_size);
    write_bytes(frame, data, size);
    if (size)
        munmap(data, size);
}

static void read_job(struct reader *request, struct job *job)
{
    job->wall_ms = read_u32(request);
    job->flags = read_u32(request);
    job->capture = read_u32(request);
    job->processes = read_u32(request);
    job->address_space = read_u64(request);
    job->file_size = read_u64(request);
    job->program = read_bytes(request).data;
    job->arguments = read_strings(request);
    job->environment = read_strings(request);
    job->input = read_bytes(request);
    job->control = read_bytes(request);
}

static int place_files(struct reader *request, const char *base, const struct walls *walls)
{
    int failed = 0;
    for (uint32_t left = read_u32(request); left > 0; left--) {
        struct bytes name = read_bytes(request), content = read_bytes(request);
        failed |= place_file(base, name, content, read_u32(request), walls);
    }
    return failed;
}

static int above_ten(int file)
{
    int moved = fcntl(file, F_DUPFD_CLOEXEC, 10);
    if (moved < 0)
        fail("fcntl");
    close(file);
    return moved;
}

static void serve(struct reader *request, struct writer *answer, const struct walls *walls,
                  const char *base, const char *keep)
{
    struct job job = {0};
    struct result result = {-1, 0, 0, 0, 0, 0};
    struct bytes nothing = {NULL, 0};
    read_job(request, &job);
    if (clean_box(base, keep, walls) != 0 || place_files(request, base, walls) != 0)
        result.flags |= BAD_BOX;
    int files[4] = {above_ten(piped(job.input)),
                    above_ten(memory_file("stdout", nothing)),
                    above_ten(memory_file("stderr", nothing)),
                    above_ten(memory_file("control", job.control))};
    if (!(result.flags & BAD_BOX))
        run(&job, walls, base, files, &result);
    write_u32(answer, (uint32_t) result.exit);
    write_u32(answer, (uint32_t) result.signal);
    write_u32(answer, (uint32_t) result.flags);
    write_u32(answer, (uint32_t) result.error);
    write_u64(answer, result.wall_us);
    write_u64(answer, result.cpu_us);
    for (int i = 1; i < 4; i++)
        write_captured(answer, files[i], job.capture);
    collect_files(answer, base, job.capture);
    collect_reports(answer, base);
    write_frame(answer);
    for (int i = 0; i < 4; i++)
        close(files[i]);
    free(job.arguments);
    free(job.environment);
}

/* The first folder of `builds` below /tmp stays when the box is cleaned. */
static void kept_name(char *keep, size_t size, const char *base, const char *builds)
{
    size_t length = strlen(base);
    keep[0] = '\0';
    if (strncmp(builds, base, length) == 0 && builds[length] == '/')
        snprintf(keep, size, "%.*s", (int) strcspn(builds + length + 1, "/"), builds + length + 1);
}

int main(int argc, char **argv)
{
    char base[4096], keep[256];
    struct walls walls = {0};
    struct reader request = {0};
    struct writer answer = {0};
    sigset_t chld;
    if (argc != 4)
        return 2;
    signal(SIGPIPE, SIG_IGN);
    sigemptyset(&chld);
    sigaddset(&chld, SIGCHLD);
    sigprocmask(SIG_BLOCK, &chld, NULL);
    raise_walls(&walls, atoi(argv[3]), argv[1], argv[2], base, sizeof base);
    kept_name(keep, sizeof keep, base, argv[2]);
    start_error = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (start_error == MAP_FAILED)
        fail("mmap");
    write_bytes(&answer, base, strlen(base));
    write_u32(&answer, (uint32_t) walls.present);
    write_frame(&answer);
    while (read_frame(&request))
        serve(&request, &answer, &walls, base, keep);
    return 0;
}
