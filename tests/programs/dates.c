/* Dates: leap years, day numbers both ways, weekdays, differences, months that end early. */
#include <stdio.h>

struct date { int year, month, day; };

static int leap(int y) { return y % 4 == 0 && (y % 100 != 0 || y % 400 == 0); }
static int days_in(int y, int m)
{
    static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    return days[m - 1] + (m == 2 && leap(y));
}

static long number(struct date d)
{
    long y = d.year - (d.month <= 2), era = (y >= 0 ? y : y - 399) / 400;
    unsigned of_era = (unsigned) (y - era * 400);
    unsigned of_year = (153 * (d.month + (d.month > 2 ? -3 : 9)) + 2) / 5 + d.day - 1;
    return era * 146097 + (long) (of_era * 365 + of_era / 4 - of_era / 100 + of_year) - 719468;
}

static struct date after(struct date d, int days)
{
    d.day += days;
    while (d.day > days_in(d.year, d.month)) {
        d.day -= days_in(d.year, d.month);
        if (++d.month > 12) {
            d.month = 1;
            d.year++;
        }
    }
    return d;
}

static const char *weekday(struct date d)
{
    static const char *const names[] = { "Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed" };
    long n = number(d) % 7;
    return names[n < 0 ? n + 7 : n];
}

int main(void)
{
    struct date dates[] = { { 1970, 1, 1 }, { 2000, 2, 29 }, { 1900, 3, 1 }, { 2024, 12, 31 },
                            { 1, 1, 1 } };
    int i;
    for (i = 0; i < 5; i++) {
        struct date d = after(dates[i], 60);
        printf("%ld %s %d-%02d-%02d %s\n", number(dates[i]), weekday(dates[i]), d.year, d.month,
               d.day, weekday(d));
    }
    printf("%ld\n", number(dates[1]) - number(dates[2]));
    printf("%d %d %d %d\n", leap(1900), leap(2000), leap(2023), leap(2024));
    return 0;
}
