/* Brightness of a lamp in per cent, from a sensor and a gain. */
static int clamp(int value, int low, int high)
{
    return value < low ? low : value > high ? high : value;
}

int brightness(int level, int gain)
{
    int percent = clamp(level / 10, 0, 100);

    return clamp(percent + gain, 5, 95);
}
