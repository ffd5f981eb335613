/* What the runner and the programs say to each other. Each program that is linked with fork_server.c
 * writes a byte to PROOF when nothing of the user's has run yet and everything else has: the runner
 * believes no run without it. What the runner sends to a fork server: one message, with the descriptors 0, 1, 2 and maybe 3. */
#ifndef CSGTEST_FORK_SERVER_H
#define CSGTEST_FORK_SERVER_H

#include <stdint.h>

#define FORK_SERVER "csgtest-fork-server" /* the argument that makes a program a server */
enum { PROOF = 8, FORK_SOCKET = 9, FORK_JOB_MOST = 65536 };
enum { NOT_READY = 126 }; /* exit code of a process that cannot make itself what it has to be */

struct fork_job {
    uint64_t seconds, processes; /* limits */
    uint32_t words, variables; /* how many texts of each follow, behind the working folder's */
    uint32_t size, spoken;     /* bytes of these texts, and of those that are arguments */
    char texts[];
};
/* The server answers with the number of the process, or the negated error; first of all with 0. */

#endif
