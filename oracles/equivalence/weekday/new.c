/* The day of the week, 0 for a Sunday (Zeller: the year begins in March, 0 is a Saturday). */
int weekday(int year, int month, int day)
{
    int from_saturday, leaps;

    if (month <= 2) {
        month += 12;
        year--;
    }
    leaps = year / 4 - year / 100 + year / 400;
    from_saturday = (day + 26 * (month + 1) / 10 + year + leaps) % 7;
    return (from_saturday + 6) % 7;
}
