/* Brightness of a lamp in per cent, from a sensor and a gain. */
int brightness(int level, int gain)
{
    int percent, boosted;

    percent = level / 10;
    if (percent < 0)
        percent = 0;
    else if (percent > 100)
        percent = 100;

    boosted = percent + gain;
    if (boosted < 5) {
        boosted = 5;
    } else {
        if (boosted > 95)
            boosted = 95;
    }
    return boosted;
}
