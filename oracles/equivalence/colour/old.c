/* The mean of two colours 0xRRGGBB, weighted by 0 to 4 quarters. */
unsigned blend(unsigned one, unsigned two, unsigned char quarters)
{
    unsigned red, green, blue, other;

    if (quarters > 4)
        quarters = 4;
    other = 4 - quarters;
    red = (one / 65536 % 256 * quarters + two / 65536 % 256 * other) / 4;
    green = (one / 256 % 256 * quarters + two / 256 % 256 * other) / 4;
    blue = (one % 256 * quarters + two % 256 * other) / 4;
    return red * 65536 + green * 256 + blue;
}
