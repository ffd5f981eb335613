/* The day of the week, 0 for a Sunday (Sakamoto). */
int weekday(int year, int month, int day)
{
    static const int shift[] = { 0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4 };

    if (month < 3)
        year = year - 1;
    return (year + year / 4 - year / 100 + year / 400 + shift[month - 1] + day) % 7;
}
