/* Sleeping takes no time: the clock goes on by as much, as it does in symexec/runtime/libc/system.c.
 *
 *     sleep(5); time(0)     returns at once; five seconds later than it is
 *
 * Where others act meanwhile it really sleeps: in a process that has children or a parent of the
 * program's, several threads, or an alarm set. Nothing here is weak, for what sanitizers have under these
 * names is; a program that defines one of them itself is linked without this file (build.py). */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SECOND = 1000000000 };
#define LONGEST (1L << 40) /* seconds; longer than that is for ever */

static struct timespec slept;

static pid_t first; /* process of the program */

__attribute__((constructor)) static void csgtest_begin_to_sleep(void) { first = getpid(); }

static int alone(void)
{
    struct itimerval timer = {0};
    siginfo_t info;
    if (getpid() != first || !__libc_single_threaded)
        return 0;
    int before = errno;
    int childless = waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 && errno == ECHILD;
    errno = before;
    return childless && getitimer(ITIMER_REAL, &timer) == 0 && !timer.it_value.tv_sec && !timer.it_value.tv_usec;
}

static struct timespec sum(struct timespec a, struct timespec b)
{
    struct timespec found = {a.tv_sec + b.tv_sec, a.tv_nsec + b.tv_nsec};
    if (found.tv_nsec >= SECOND) {
        found.tv_sec++;
        found.tv_nsec -= SECOND;
    }
    return found;
}

static int goes_on(clockid_t clock)
{
    return clock != CLOCK_PROCESS_CPUTIME_ID && clock != CLOCK_THREAD_CPUTIME_ID && clock >= 0;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    int failed = (int) syscall(SYS_clock_gettime, clock, now);
    if (!failed && goes_on(clock))
        *now = sum(*now, slept);
    return failed;
}

time_t time(time_t *at)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    if (at)
        *at = now.tv_sec;
    return now.tv_sec;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone)
{
    struct timespec now;
    if (zone)
        *(struct timezone *) zone = (struct timezone) {0};
    clock_gettime(CLOCK_REALTIME, &now);
    at->tv_sec = now.tv_sec;
    at->tv_usec = now.tv_nsec / 1000;
    return 0;
}

int timespec_get(struct timespec *now, int base)
{
    return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, now) == 0 ? base : 0;
}

/* The error, as clock_nanosleep returns it. */
int clock_nanosleep(clockid_t clock, int flags, const struct timespec *asked, struct timespec *left)
{
    struct timespec now, until = *asked;
    int valid = until.tv_sec >= 0 && until.tv_nsec >= 0 && until.tv_nsec < SECOND;
    if (valid && goes_on(clock) && alone() && (flags == 0 || flags == TIMER_ABSTIME)) {
        if (flags == TIMER_ABSTIME && clock_gettime(clock, &now) == 0) {
            until.tv_sec -= now.tv_sec;
            until.tv_nsec -= now.tv_nsec;
            if (until.tv_nsec < 0) {
                until.tv_sec--;
                until.tv_nsec += SECOND;
            }
        }
        if (until.tv_sec < 0)
            return 0;
        if (until.tv_sec <= LONGEST) {
            slept = sum(slept, until);
            return 0;
        }
    }
    int before = errno, failed = syscall(SYS_clock_nanosleep, clock, flags, asked, left) != 0 ? errno : 0;
    errno = before;
    return failed;
}

int nanosleep(const struct timespec *asked, struct timespec *left)
{
    int error = clock_nanosleep(CLOCK_REALTIME, 0, asked, left);
    if (error)
        errno = error;
    return error ? -1 : 0;
}

unsigned sleep(unsigned seconds)
{
    struct timespec asked = {seconds, 0};
    return nanosleep(&asked, &asked) == 0 ? 0 : (unsigned) asked.tv_sec + (asked.tv_nsec >= SECOND / 2);
}

int usleep(useconds_t n)
{
    struct timespec asked = {n / 1000000, n % 1000000 * 1000L};
    return nanosleep(&asked, 0);
}
