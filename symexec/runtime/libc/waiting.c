/* Waiting for descriptors: poll.h, sys/select.h. What can be read or written at all is so at once,
 * and what cannot will never be.
 *
 *     poll(p, 1, 100)   with p[0] = {0, POLLIN}    1: standard input has bytes, or has ended
 *     poll(p, 1, 100)   of an empty pipe           0: time passes, nothing comes
 *     poll(p, 1, -1)    of an empty pipe           waits for ever: *unsupported* */

struct pollfd { int descriptor; short wanted, found; };
struct pair { long seconds, part; };

extern int __csgtest_errno;
extern int getdtablesize(void);
extern int __csgtest_ready(int d); /* POLLIN and the like */
extern void __csgtest_approximated(const char *what);
extern void __csgtest_unsupported(const char *what) __attribute__((noreturn));

enum { BAD_DESCRIPTOR = 9, BAD_ADDRESS = 14, INVALID = 22 };
enum { READABLE = 0x1, URGENT = 0x2, WRITABLE = 0x4, BROKEN = 0x8, ENDED = 0x10, NONE = 0x20 };

static int fails(int number)
{
    __csgtest_errno = number;
    return -1;
}

extern int nanosleep(const struct pair *asked, struct pair *left);

static void pass_time(int for_ever)
{
    if (for_ever)
        __csgtest_unsupported("waiting for what never comes");
}

int poll(struct pollfd *all, unsigned long n, int milliseconds)
{
    int count = 0;
    if (n > (unsigned long) getdtablesize())
        return fails(INVALID);
    if (n && !all)
        return fails(BAD_ADDRESS);
    for (unsigned long i = 0; i < n; i++) {
        int found = all[i].descriptor < 0 ? 0 : __csgtest_ready(all[i].descriptor);
        all[i].found = (short) (found & (all[i].wanted | BROKEN | ENDED | NONE));
        count += all[i].found != 0;
    }
    if (!count && milliseconds)
        pass_time(milliseconds < 0);
    if (!n && milliseconds > 0)
        nanosleep(&(struct pair) {milliseconds / 1000, milliseconds % 1000 * 1000000L}, 0);
    return count;
}

int ppoll(struct pollfd *all, unsigned long n, const struct pair *time, const void *signals)
{
    (void) signals;
    if (time && (time->seconds < 0 || (unsigned long) time->part > 999999999))
        return fails(INVALID);
    if (!n && time)
        return nanosleep(time, 0);
    return poll(all, n, time ? time->seconds || time->part : -1);
}

typedef unsigned long bits;

static int chosen(const bits *set, int d) { return set && set[d / 64] >> d % 64 & 1; }

static int selected(int n, bits **sets, int can_wait)
{
    static const int of_set[] = {READABLE | ENDED | BROKEN, WRITABLE | BROKEN, URGENT};
    int count = 0;
    if (n < 0)
        return fails(INVALID);
    if (n > getdtablesize())
        n = getdtablesize();
    for (int d = 0; d < n; d++)
        if (chosen(sets[0], d) | chosen(sets[1], d) | chosen(sets[2], d) && __csgtest_ready(d) == NONE)
            return fails(BAD_DESCRIPTOR);
    for (int d = 0; d < n; d++)
        for (int i = 0; i < 3; i++)
            count += chosen(sets[i], d) && __csgtest_ready(d) & of_set[i];
    if (!count)
        pass_time(can_wait);
    for (int d = 0; d < (n + 63) / 64 * 64; d++) /* words as a whole */
        for (int i = 0; i < 3; i++)
            if (chosen(sets[i], d) && (d >= n || !(__csgtest_ready(d) & of_set[i])))
                sets[i][d / 64] &= ~(1UL << d % 64);
    return count;
}

/* Linux says how much of the time is left. */
int select(int n, bits *to_read, bits *to_write, bits *urgent, struct pair *time)
{
    bits *sets[] = {to_read, to_write, urgent};
    if (time && (time->seconds < 0 || time->part < 0))
        return fails(INVALID);
    int count = selected(n, sets, !time);
    if (n == 0 && time)
        nanosleep(&(struct pair) {time->seconds + time->part / 1000000, time->part % 1000000 * 1000}, 0);
    if (time && count == 0)
        time->seconds = time->part = 0;
    else if (time && time->seconds | time->part)
        __csgtest_approximated("no time passes");
    return count;
}

int pselect(int n, bits *to_read, bits *to_write, bits *urgent, const struct pair *time, const void *signals)
{
    bits *sets[] = {to_read, to_write, urgent};
    (void) signals;
    if (time && (time->seconds < 0 || (unsigned long) time->part > 999999999))
        return fails(INVALID);
    int count = selected(n, sets, !time);
    if (n == 0 && time)
        nanosleep(time, 0);
    return count;
}

long __fdelt_chk(long d)
{
    if ((unsigned long) d > 1023)
        __csgtest_unsupported("a descriptor that no set for select has room for");
    return d / 64;
}
