/* Is this a date of the Gregorian calendar, in the years from 1583 to 2999? */
static int last_of_february(int year)
{
    if (year % 400 == 0)
        return 29;
    return year % 4 == 0 && year % 100 != 0 ? 29 : 28;
}

int valid_date(int year, int month, int day)
{
    int last = 31;

    if (year < 1583 || year > 2999 || month < 1 || month > 12 || day < 1)
        return 0;
    if (month == 2)
        last = last_of_february(year);
    else if (month == 4 || month == 6 || month == 9 || month == 11)
        last = 30;
    return day <= last;
}
