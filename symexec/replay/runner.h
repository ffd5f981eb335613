/* What the parts of the runner share. The runner executes untrusted programs, one after another,
 * each in the same clean place in the same sandbox (see runner.c). */
#ifndef CSGTEST_RUNNER_H
#define CSGTEST_RUNNER_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

struct bytes {
    char *data;
    size_t size;
};

/* wire.c: frames of little-endian numbers and counted bytes on descriptors 0 and 1 */
struct reader {
    char *data;
    size_t size, position;
};
struct writer {
    char *data;
    size_t size, capacity;
};
int read_frame(struct reader *frame); /* 0: the other side is gone */
uint32_t read_u32(struct reader *frame);
uint64_t read_u64(struct reader *frame);
struct bytes read_bytes(struct reader *frame); /* points into the frame; a NUL follows */
char **read_strings(struct reader *frame);     /* ends with NULL; the caller frees the array */
void write_u32(struct writer *frame, uint32_t value);
void write_u64(struct writer *frame, uint64_t value);
void write_bytes(struct writer *frame, const char *data, size_t size);
size_t write_summary(struct writer *frame, int file, const struct stat *status, size_t most,
                     size_t *read);
void write_frame(struct writer *frame); /* sends it, sooner or later, and empties it */

/* sandbox.c */
enum { LAYER_NAMESPACES = 1, LAYER_LANDLOCK = 2, LAYER_SECCOMP = 4 };
struct sandbox {
    int present;        /* which of the above hold */
    int landlock;       /* descriptor of the ruleset, or -1 */
    uid_t user;         /* who runs the programs */
    gid_t group;
    int change_user;    /* we are root: programs must not be */
    long process_limit; /* processes that exist already and count against RLIMIT_NPROC */
    int queues;         /* the folder of message queues, or -1 */
    struct stat unused; /* that folder, when there was none */
};
/* Returns in a process that runs in the sandbox, with *base the folder that programs may write
 * to. `allowed` is a set of LAYER_*; `scratch` a private folder; `visible`, which ends with NULL,
 * the folder of the programs, and others that they may read. */
void make_sandbox(struct sandbox *sandbox, int allowed, const char *scratch, char *const visible[],
                 char *base, size_t base_size);
void prepare_landlock(struct sandbox *sandbox, const char *base, char *const visible[]);
/* Has anybody made a message queue, a semaphore or shared memory? These outlive who made them. */
int used_ipc(const struct sandbox *sandbox);
void renew_ipc(struct sandbox *sandbox); /* all are gone, when the last process that saw them is */
uint64_t shared_memory(void); /* bytes that are filled */
/* In the process that becomes the program; `crowded`: there are servers. */
void enter_sandbox(const struct sandbox *sandbox, int crowded);

/* runner.c */
/* request: descriptor 3 is wanted; servers may be used; the program proves that it runs; the system
 * chooses addresses anew */
enum { FLAG_CONTROL = 1, FLAG_FORK = 2, FLAG_PROVES = 4, FLAG_ANYWHERE = 8 };
enum { TIMED_OUT = 1, NOT_STARTED = 2, BAD_SCRATCH = 4, FORKED = 8, UNPROVEN = 16,
       OVERDRAWN = 32 }; /* answer */
struct job {
    uint32_t wall_ms, flags, capture, processes;
    uint64_t address_space, file_size, memory; /* memory: of all processes together */
    char *program;
    char **arguments, **environment;
    struct bytes input, control;
};
struct result {
    int exit, signal, flags, error;
    uint64_t wall_us, cpu_us;
};

/* servers.c: programs that fork a process for each job */
enum { SERVERS = 16 };
struct server {
    struct writer key; /* what it can run */
    pid_t pid;         /* 0: it is not there */
    int socket;
    unsigned used, lost; /* when it was last; how many were lost */
};
struct servers {
    struct server each[SERVERS];
    struct writer key;
    unsigned clock, started;
};
struct server *server_for(struct servers *servers, const struct job *job,
                          const struct sandbox *sandbox, const char *base);
enum { FORK_MS = 2000, NO_ANSWER = -2 };
int answer_of(const struct server *server, int patience);
int fork_from(const struct server *server, const struct servers *servers, const struct job *job,
              const struct sandbox *sandbox, const char *work, const int files[4]);
void lose_servers(struct servers *servers, struct server *guilty);

/* process.c: one run */
enum { LIMIT_CPU, LIMIT_NPROC, LIMITS = 8 };
struct limit {
    int resource;
    uint64_t value;
};
void ask_for_short_turns(void);
void end_children(void); /* kills all that are left, and those that become ours */
void prepare_processes(void);
void limits_of(const struct job *job, const struct sandbox *sandbox, struct limit limits[LIMITS]);
void become_program(const struct job *job, const struct sandbox *sandbox, const char *work,
                    const int files[4], int socket, int crowded) __attribute__((noreturn));
int run(const struct job *job, struct sandbox *sandbox, const char *base, const int files[4],
       struct servers *servers, struct server *server, struct result *result);

/* scratch.c: the folder that a program may write to */
enum { FOLDERS = 4 };
struct scratch {
    int in_memory, clean; /* clean: as it was when somebody last looked */
    mode_t mode;          /* of BASE; 0: not known yet */
    struct stat folders[FOLDERS]; /* when it had been cleaned */
};
int clean_scratch(const char *base, const char *keep, const struct sandbox *sandbox,
                  struct scratch *scratch);
int is_clean(const char *base, struct scratch *scratch); /* is it still? */
int place_file(const char *base, struct bytes name, struct bytes content, uint32_t mode,
               const struct sandbox *sandbox);
void collect_files(struct writer *frame, const char *base, const char *keep);
void collect_reports(struct writer *frame, const char *base);

void fail(const char *what); /* says why on stderr and ends the runner */

#endif
