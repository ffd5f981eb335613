/* Days of a month, 0 for what is none. */
int days_in_month(int month, int leap)
{
    static const unsigned char days[12] = { 31, 28, 31, 30, 31, 30,
                                            31, 31, 30, 31, 30, 31 };

    if (month < 1 || month > 12)
        return 0;
    if (month == 2 && leap)
        return 29;
    return days[month - 1];
}
