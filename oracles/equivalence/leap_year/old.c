/* Days of a year of the Gregorian calendar. */
int days_in_year(int year)
{
    int days = 365;

    if (year % 4 == 0) {
        if (year % 100 == 0) {
            if (year % 400 == 0)
                days = 366;
        } else {
            days = 366;
        }
    }
    return days;
}
