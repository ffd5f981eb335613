/* Programs that were started once and fork a process for each job (fork_server.c).
 *
 * Such a process is our child, with the session, descriptors and limits of one that was executed. A
 * server belongs to one program, environment (but for the values of CSGTEST_*, which nothing reads
 * before the program does) and set of limits. A program that makes no server is remembered, and one
 * that damages its servers is given up. */
#include "runner.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fork_server.h"

enum { START_MS = 3000, MOST_LOST = 3 };

/* All that the start of a server depends on. */
static void write_key(struct writer *key, const struct job *job)
{
    write_bytes(key, job->program, strlen(job->program));
    write_bytes(key, job->arguments[0], strlen(job->arguments[0]));
    write_u32(key, job->processes);
    write_u32(key, job->flags & FLAG_PROVES);
    write_u64(key, job->address_space);
    write_u64(key, job->file_size);
    for (char **each = job->environment; *each; each++) {
        size_t size = strlen(*each);
        write_u32(key, (uint32_t) size);
        write_bytes(key, *each, strncmp(*each, "CSGTEST_", 8) ? size : strcspn(*each, "="));
    }
}

/* What it says within so many milliseconds, or NO_ANSWER. */
int answer_of(const struct server *server, int patience)
{
    struct pollfd ready = {server->socket, POLLIN, 0};
    int answer, came = 1;
    while (patience && (came = poll(&ready, 1, patience)) < 0 && errno == EINTR)
        ;
    ssize_t size = came == 1 ? recv(server->socket, &answer, sizeof answer, MSG_DONTWAIT) : -1;
    if (size == sizeof answer && answer >= 0)
        return answer;
    return size < 0 && (errno == EAGAIN || came == 0) ? NO_ANSWER : -1;
}

static void end_server(struct server *server)
{
    if (server->pid > 0) {
        kill(server->pid, SIGKILL);
        waitpid(server->pid, NULL, 0);
        close(server->socket);
    }
    server->pid = 0;
}

static void start_server(struct server *server, const struct job *job,
                         const struct sandbox *sandbox, const char *base)
{
    int ends[2];
    struct job first = *job;
    char *words[] = {job->arguments[0], FORK_SERVER, NULL};
    first.arguments = words;
    first.flags &= ~FLAG_CONTROL;
    first.processes += SERVERS;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        fail("socketpair");
    int ours = ends[0], theirs = ends[1];
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    int files[4] = {null, null, null, null};
    server->pid = fork();
    if (server->pid < 0)
        fail("fork");
    if (server->pid == 0)
        become_program(&first, sandbox, base, files, theirs, 1);
    close(theirs);
    close(null);
    server->socket = ours;
    if (answer_of(server, START_MS) != 0) {
        end_server(server);
        server->lost = MOST_LOST;
    }
}

/* The server for such jobs, started if there is none; NULL: the job is executed. */
struct server *server_for(struct servers *servers, const struct job *job,
                          const struct sandbox *sandbox, const char *base)
{
    struct server *found = NULL, *oldest = servers->each;
    servers->key.size = 0;
    if (!(job->flags & FLAG_FORK) || !(sandbox->present & LAYER_SECCOMP) || !job->arguments[0])
        return NULL;
    write_key(&servers->key, job);
    for (struct server *each = servers->each; each < servers->each + SERVERS && !found; each++) {
        if (each->key.size == servers->key.size
            && memcmp(each->key.data, servers->key.data, each->key.size) == 0)
            found = each;
        if (each->used < oldest->used)
            oldest = each;
    }
    if (!found) {
        end_server(oldest);
        struct writer freed = oldest->key;
        *oldest = (struct server){.key = servers->key};
        servers->key = freed;
        found = oldest;
    }
    found->used = ++servers->clock;
    if (found->pid == 0 && found->lost < MOST_LOST) {
        servers->started++;
        start_server(found, job, sandbox, base);
    }
    return found->pid > 0 ? found : NULL;
}

/* All have been killed, on account of this one's job. */
void lose_servers(struct servers *servers, struct server *guilty)
{
    for (struct server *each = servers->each; each < servers->each + SERVERS; each++) {
        if (each->pid > 0)
            close(each->socket);
        each->pid = 0;
    }
    if (guilty)
        guilty->lost++;
}

static char *put_text(char *to, const char *end, const char *text)
{
    size_t size = strlen(text) + 1;
    if (!to || size > (size_t) (end - to))
        return NULL;
    return (char *) memcpy(to, text, size) + size;
}

static char *put_texts(char *to, const char *end, char **texts, uint32_t *count)
{
    for (*count = 0; to && *texts; texts++, ++*count)
        to = put_text(to, end, *texts);
    return to;
}

/* Ask it for a process that runs the job, and that it will tell the number of; 0: too large. */
int fork_from(const struct server *server, const struct servers *servers, const struct job *job,
                const struct sandbox *sandbox, const char *work, const int files[4])
{
    static union {
        struct fork_job job;
        char bytes[FORK_JOB_MOST];
    } message;
    const char *end = message.bytes + sizeof message.bytes;
    struct job own = *job;
    for (const struct server *each = servers->each; each < servers->each + SERVERS; each++)
        own.processes += each->pid > 0; /* they count as well */
    struct limit limits[LIMITS];
    limits_of(&own, sandbox, limits);
    message.job.seconds = limits[LIMIT_CPU].value;
    message.job.processes = limits[LIMIT_NPROC].value;
    char *texts = put_text(message.job.texts, end, work);
    char *behind = put_texts(texts, end, job->arguments, &message.job.words);
    char *last = put_texts(behind, end, job->environment, &message.job.variables);
    if (!last)
        return 0;
    message.job.spoken = (uint32_t) (behind - texts);
    message.job.size = (uint32_t) (last - texts);
    char rights[CMSG_SPACE(4 * sizeof(int))] = {0};
    size_t bytes = sizeof(int) * (job->flags & FLAG_CONTROL ? 4 : 3);
    struct iovec whole = {message.bytes, (size_t) (last - message.bytes)};
    struct msghdr header = {.msg_iov = &whole, .msg_iovlen = 1, .msg_control = rights,
                            .msg_controllen = CMSG_SPACE(bytes)};
    struct cmsghdr *with = CMSG_FIRSTHDR(&header);
    with->cmsg_level = SOL_SOCKET;
    with->cmsg_type = SCM_RIGHTS;
    with->cmsg_len = CMSG_LEN(bytes);
    memcpy(CMSG_DATA(with), files, bytes);
    sendmsg(server->socket, &header, MSG_NOSIGNAL); /* if it is dead we shall see that */
    return 1;
}
