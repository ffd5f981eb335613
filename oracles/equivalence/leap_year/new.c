/* Days of a year of the Gregorian calendar. */
#include <stdbool.h>

static bool is_leap(int year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

int days_in_year(int year)
{
    return 365 + is_leap(year);
}
