/* Broken-down time, C17 7.27.2 and 7.27.3, where the time zone is UTC (TZ=UTC, as tests are replayed).
 *
 *     gmtime(&(long){0})     ->   1970-01-01, a Thursday */

/* Effects of calls, as csg/ir/library_effects.py reads them:
 *     asctime gmtime: reads 0, writes *tm errno, returns *tm
 *     ctime localtime: reads 0 environ *environ, writes *tm errno, returns *tm
 *     difftime: nothing
 *     gmtime_r: reads 0, writes 1 errno, returns 1
 *     localtime_r: reads 0 environ *environ, writes 1 errno, returns 1
 *     timegm: reads 0, writes 0 errno
 *     mktime timelocal: reads 0 environ *environ, writes 0 errno */

typedef unsigned long size_t;

struct tm {
    int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
    long tm_gmtoff;
    const char *tm_zone;
};

struct timespec { long seconds, nanoseconds; };

extern int __csgtest_errno;
extern int snprintf(char *to, size_t room, const char *format, ...);
extern long time(long *at);
extern char *getenv(const char *name);
extern int strcmp(const char *a, const char *b);
extern void __csgtest_approximated(const char *what);

enum { OVERFLOW = 75, DAY = 86400, INVALID = 22 };

#define MOST_INT 2147483647L
#define LEAST_INT (-MOST_INT - 1)

/* The names that link editors know; a program may read them. */
char *tzname[2] = {(char *) "GMT", (char *) "GMT"}, *__tzname[2] = {(char *) "GMT", (char *) "GMT"};
int daylight, __daylight;
long timezone, __timezone;

static void name_zone(void) { tzname[0] = tzname[1] = __tzname[0] = __tzname[1] = (char *) "UTC"; }

/* Tests are replayed in UTC; a program may ask for another time zone. */
static void look_at_zone(void)
{
    const char *zone = getenv("TZ");
    if (!zone || strcmp(zone, "UTC"))
        __csgtest_approximated("the time zone that the program asks for is taken for UTC");
    name_zone();
}

void tzset(void) { look_at_zone(); }
void __tzset(void) { look_at_zone(); }

static const char *const days[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                   "Thursday", "Friday", "Saturday"};
static const char *const months[] = {"January", "February", "March",     "April",   "May",      "June",
                                     "July",    "August",   "September", "October", "November", "December"};

/* ---------------------------------------------------------------------- days and dates */

/* Rounded down, where C rounds to zero: no decision. */
static long quotient(long a, long b)
{
    long q = a / b;
    return q - (a % b < 0);
}

static long remainder_of(long a, long b)
{
    long r = a % b;
    return r + (b & (r >> 63));
}

static int is_leap(long year) { return ((year % 4 == 0) & (year % 100 != 0)) | (year % 400 == 0); }

/* Days from 1970-01-01 to a date. Years begin in March here, so that a leap day is their last. */
static long days_before(long year, long month, long day)
{
    year -= month < 2;
    month = month < 2 ? month + 10 : month - 2;
    long cycle = quotient(year, 400), in_cycle = year - 400 * cycle;
    long in_year = (153 * month + 2) / 5 + day - 1;
    return cycle * 146097 + in_cycle * 365 + in_cycle / 4 - in_cycle / 100 + in_year - 719468;
}

static struct tm *broken_down(long seconds, struct tm *to, const char *zone)
{
    long day = quotient(seconds, DAY), rest = seconds - day * DAY;
    long from = day + 719468; /* days from a first of March that begins 400 years */
    long cycle = quotient(from, 146097), in_cycle = from - cycle * 146097;
    long in_years = (in_cycle - in_cycle / 1460 + in_cycle / 36524 - in_cycle / 146096) / 365;
    long in_year = in_cycle - (365 * in_years + in_years / 4 - in_years / 100);
    long month = (5 * in_year + 2) / 153, year = in_years + cycle * 400 + (month > 9);
    to->tm_sec = (int) (rest % 60);
    to->tm_min = (int) (rest / 60 % 60);
    to->tm_hour = (int) (rest / 3600);
    to->tm_year = (int) (year - 1900);
    to->tm_wday = (int) remainder_of(day + 4, 7);
    to->tm_isdst = 0;
    to->tm_gmtoff = 0;
    to->tm_zone = zone;
    if (year - 1900 > MOST_INT || year - 1900 < LEAST_INT) { /* glibc leaves this much */
        __csgtest_errno = OVERFLOW;
        return 0;
    }
    to->tm_mday = (int) (in_year - (153 * month + 2) / 5 + 1);
    to->tm_mon = (int) (month > 9 ? month - 10 : month + 2);
    to->tm_yday = (int) (day - days_before(year, 0, 1));
    return to;
}

static struct tm shared;

struct tm *gmtime_r(const long *at, struct tm *to)
{
    name_zone();
    return broken_down(*at, to, "GMT");
}


struct tm *localtime_r(const long *at, struct tm *to)
{
    look_at_zone();
    return broken_down(*at, to, "UTC");
}

struct tm *gmtime(const long *at) { return gmtime_r(at, &shared); }
struct tm *localtime(const long *at) { return localtime_r(at, &shared); }
struct tm *__gmtime_r(const long *at, struct tm *to) { return gmtime_r(at, to); }
struct tm *__localtime_r(const long *at, struct tm *to) { return localtime_r(at, to); }

/* UTC has no summer time; where a program says that it is, glibc takes it to be an hour ahead. */
static long seconds_of(struct tm *t, const char *zone, int summer)
{
    long month = remainder_of(t->tm_mon, 12), year = t->tm_year + 1900L + quotient(t->tm_mon, 12);
    long day = days_before(year, month, 1) + t->tm_mday - 1L;
    long seconds = day * DAY + (t->tm_hour - (summer && t->tm_isdst > 0)) * 3600L + t->tm_min * 60L + t->tm_sec;
    struct tm found;
    if (!broken_down(seconds, &found, zone))
        return -1;
    *t = found;
    return seconds;
}

long mktime(struct tm *t)
{
    look_at_zone();
    return seconds_of(t, "UTC", 1);
}

long timelocal(struct tm *t) { return mktime(t); }
long timegm(struct tm *t)
{
    name_zone();
    return seconds_of(t, "GMT", 0);
}

int dysize(int year) { return 365 + is_leap(year); }
double difftime(long a, long b) { return a >= b ? (double) ((unsigned long) a - b) : -(double) ((unsigned long) b - a); }

int timespec_get(struct timespec *now, int base)
{
    if (base != 1)
        return 0;
    now->seconds = time(0);
    now->nanoseconds = 0;
    return 1;
}

int timespec_getres(struct timespec *resolution, int base)
{
    if (base != 1)
        return 0;
    resolution->seconds = 0;
    resolution->nanoseconds = 1;
    return 1;
}

int clock_getres(int clock, struct timespec *resolution)
{
    if (clock < 0 || clock > 11) {
        __csgtest_errno = INVALID;
        return -1;
    }
    if (resolution) {
        resolution->seconds = 0;
        resolution->nanoseconds = 1;
    }
    return 0;
}

/* ---------------------------------------------------------------------- text of one form */

char *asctime_r(const struct tm *t, char *to)
{
    const char *day = (unsigned) t->tm_wday < 7 ? days[t->tm_wday] : "???";
    const char *month = (unsigned) t->tm_mon < 12 ? months[t->tm_mon] : "???";
    if (t->tm_year > MOST_INT - 1900) {
        __csgtest_errno = OVERFLOW;
        return 0;
    }
    snprintf(to, 64, "%.3s %.3s%3d %.2d:%.2d:%.2d %d\n", day, month, t->tm_mday, t->tm_hour, t->tm_min,
             t->tm_sec, t->tm_year + 1900);
    return to;
}

char *asctime(const struct tm *t)
{
    static char text[128];
    return asctime_r(t, text);
}

char *ctime(const long *at)
{
    struct tm *t = localtime(at);
    return t ? asctime(t) : 0;
}

char *ctime_r(const long *at, char *to)
{
    struct tm t;
    return localtime_r(at, &t) ? asctime_r(&t, to) : 0;
}
