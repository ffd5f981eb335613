/* Executes programs that nobody has vouched for, one after another, and says what each did.
 *
 *     runner SCRATCH LAYERS BUILDS VISIBLE...
 *
 * SCRATCH is a private folder, LAYERS those to try (7: all), BUILDS where the programs lie. They may
 * read what is in the folders VISIBLE, and what is of the system.
 * First it answers with the folder that programs may write to and the layers that hold. Then for
 * each request (wire.py has the layout): clean the scratch folder, place the files, run (as a fork
 * of a server where that can be), kill whatever the program left running, answer. It ends when its
 * standard input ends. */
#include "runner.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where programs run, and what stands around it. */
struct place {
    char base[4096], keep[256];
    struct sandbox sandbox;
    struct scratch scratch;
    struct servers servers;
};

void fail(const char *what)
{
    fprintf(stderr, "csgtest runner: %s: %s\n", what, strerror(errno));
    _exit(3);
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

static void write_captured(struct writer *frame, int file, size_t most)
{
    struct stat status = {0};
    size_t read = 64 << 20;
    if (file >= 0 && fstat(file, &status) != 0)
        fail("fstat");
    write_summary(frame, file, &status, most, &read);
}

static void read_job(struct reader *request, struct job *job)
{
    job->wall_ms = read_u32(request);
    job->flags = read_u32(request);
    job->capture = read_u32(request);
    job->processes = read_u32(request);
    job->address_space = read_u64(request);
    job->file_size = read_u64(request);
    job->memory = read_u64(request);
    job->program = read_bytes(request).data;
    job->environment = read_strings(request);
    job->arguments = read_strings(request);
    job->input = read_bytes(request);
    job->control = read_bytes(request);
}

static int place_files(struct reader *request, const char *base, const struct sandbox *sandbox)
{
    int failed = 0;
    for (uint32_t left = read_u32(request); left > 0; left--) {
        struct bytes name = read_bytes(request), content = read_bytes(request);
        failed |= place_file(base, name, content, read_u32(request), sandbox);
    }
    return failed;
}

/* In a clean scratch folder; nonzero when that is the result. */
static int attempt(struct reader *request, const struct job *job, struct place *place,
                   struct server *server, int files[4], struct result *result)
{
    struct bytes nothing = {NULL, 0};
    *result = (struct result){-1, 0, 0, 0, 0, 0};
    if (clean_scratch(place->base, place->keep, &place->sandbox, &place->scratch) != 0
        || place_files(request, place->base, &place->sandbox) != 0)
        result->flags |= BAD_SCRATCH;
    place->scratch.clean = 0; /* until somebody looks */
    files[0] = piped(job->input);
    if (place->sandbox.change_user && fchown(files[0], place->sandbox.user, place->sandbox.group) != 0)
        errno = 0; /* then /dev/stdin cannot be opened */
    files[1] = memory_file("stdout", nothing);
    files[2] = memory_file("stderr", nothing);
    files[3] = job->flags & FLAG_CONTROL ? memory_file("control", job->control) : -1;
    return (result->flags & BAD_SCRATCH)
           || run(job, &place->sandbox, place->base, files, &place->servers, server, result);
}

static void close_all(const int files[4])
{
    for (int i = 0; i < 4 && files[i] >= 0; i++)
        close(files[i]);
}

static void serve(struct reader *request, struct writer *answer, struct place *place)
{
    struct job job = {0};
    struct result result;
    int files[4];
    read_job(request, &job);
    size_t position = request->position;
    unsigned started = place->servers.started;
    struct server *server = server_for(&place->servers, &job, &place->sandbox, place->base);
    if (place->servers.started != started)
        place->scratch.clean = 0; /* what made no server may have done anything */
    while (!attempt(request, &job, place, server, files, &result)) {
        close_all(files);
        request->position = position;
        server = NULL;
    }
    write_u32(answer, (uint32_t) result.exit);
    write_u32(answer, (uint32_t) result.signal);
    write_u32(answer, (uint32_t) result.flags);
    write_u32(answer, (uint32_t) result.error);
    write_u64(answer, result.wall_us);
    write_u64(answer, result.cpu_us);
    for (int i = 1; i < 4; i++)
        write_captured(answer, files[i], job.capture);
    if (is_clean(place->base, &place->scratch)) {
        write_u32(answer, 0); /* no files, no reports */
        write_u32(answer, 0);
    } else {
        collect_files(answer, place->base, place->keep);
        collect_reports(answer, place->base);
    }
    write_frame(answer);
    close_all(files);
    free(job.arguments);
    free(job.environment);
}

/* The first folder of `builds` below /tmp stays when the scratch folder is cleaned. */
static void kept_name(char *keep, size_t size, const char *base, const char *builds)
{
    size_t length = strlen(base);
    keep[0] = '\0';
    if (strncmp(builds, base, length) == 0 && builds[length] == '/')
        snprintf(keep, size, "%.*s", (int) strcspn(builds + length + 1, "/"), builds + length + 1);
}

int main(int argc, char **argv)
{
    static struct place place;
    struct reader request = {0};
    struct writer answer = {0};
    sigset_t chld;
    if (argc < 4)
        return 2;
    signal(SIGPIPE, SIG_IGN);
    sigemptyset(&chld);
    sigaddset(&chld, SIGCHLD);
    sigaddset(&chld, SIGTERM); /* see guard() */
    sigprocmask(SIG_BLOCK, &chld, NULL);
    for (int file = 0; file < 10;) /* programs lose what lies below: nothing of ours does */
        if ((file = open("/dev/null", O_RDWR | O_CLOEXEC)) < 0)
            fail("/dev/null");
    ask_for_short_turns();
    make_sandbox(&place.sandbox, atoi(argv[2]), argv[1], argv + 3, place.base, sizeof place.base);
    kept_name(place.keep, sizeof place.keep, place.base, argv[3]);
    prepare_processes();
    write_bytes(&answer, place.base, strlen(place.base));
    write_u32(&answer, (uint32_t) place.sandbox.present);
    write_frame(&answer);
    while (read_frame(&request))
        serve(&request, &answer, &place);
    return 0;
}
