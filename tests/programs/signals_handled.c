/* Handlers of signals that the process sends itself: their order, masks, and what they leave. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static jmp_buf back;
static sigjmp_buf back_with_mask;
static int depth;

static void plain(int n) { printf("plain %d\n", n); }
static void nested(int n)
{
    printf("in %d, depth %d\n", n, depth);
    if (depth++ == 0) {
        raise(n); /* pending until this one returns */
        raise(SIGUSR2);
        printf("raised both\n");
    }
    printf("out %d\n", n);
}
static void detailed(int n, siginfo_t *info, void *context)
{
    (void) context;
    printf("detailed %d %d %d %d\n", n, info->si_signo, info->si_code == SI_TKILL || info->si_code == SI_USER, info->si_pid == getpid());
}
static void leaves(int n) { printf("leaves %d\n", n); longjmp(back, 1); }
static void leaves_restored(int n) { printf("leaves %d\n", n); siglongjmp(back_with_mask, 1); }
static int is_blocked(int n)
{
    sigset_t set;
    sigprocmask(SIG_BLOCK, 0, &set);
    return sigismember(&set, n);
}
static void aborted(int n) { printf("aborted %d\n", n); fflush(stdout); longjmp(back, 2); }

int main(void)
{
    struct sigaction action;
    signal(SIGUSR1, plain);
    raise(SIGUSR1);
    kill(getpid(), SIGUSR1);
    printf("%d\n", signal(SIGUSR1, SIG_IGN) == plain);
    raise(SIGUSR1);
    signal(SIGUSR1, nested);
    signal(SIGUSR2, plain);
    raise(SIGUSR1);
    memset(&action, 0, sizeof action);
    action.sa_sigaction = detailed;
    action.sa_flags = SA_SIGINFO | SA_RESETHAND;
    sigaction(SIGTERM, &action, 0);
    raise(SIGTERM);
    sigaction(SIGTERM, 0, &action);
    printf("%d\n", action.sa_handler == SIG_DFL);
    memset(&action, 0, sizeof action);
    action.sa_handler = nested;
    action.sa_flags = SA_NODEFER;
    sigaction(SIGUSR1, &action, 0);
    depth = 0;
    raise(SIGUSR1);
    memset(&action, 0, sizeof action);
    action.sa_handler = nested;
    sigaddset(&action.sa_mask, SIGUSR2);
    sigaction(SIGUSR1, &action, 0);
    depth = 0;
    raise(SIGUSR1);
    signal(SIGINT, leaves);
    if (!setjmp(back))
        raise(SIGINT);
    printf("blocked: %d\n", is_blocked(SIGINT));
    signal(SIGHUP, leaves_restored);
    if (!sigsetjmp(back_with_mask, 1))
        raise(SIGHUP);
    printf("blocked: %d\n", is_blocked(SIGHUP));
    signal(SIGABRT, aborted);
    if (!setjmp(back))
        abort();
    signal(SIGCHLD, SIG_DFL);
    raise(SIGCHLD);
    printf("end\n");
    return 0;
}
