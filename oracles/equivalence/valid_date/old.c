/* Is this a date of the Gregorian calendar, in the years from 1583 to 2999? */
static const int lengths[] = { 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };

int valid_date(int year, int month, int day)
{
    int ok = 1;

    if (year < 1583 || year > 2999)
        ok = 0;
    if (ok && (month < 1 || month > 12))
        ok = 0;
    if (ok && (day < 1 || day > lengths[month - 1]))
        ok = 0;
    if (ok && month == 2 && day == 29) {
        if (year % 4 != 0)
            ok = 0;
        else if (year % 100 == 0 && year % 400 != 0)
            ok = 0;
    }
    return ok;
}
