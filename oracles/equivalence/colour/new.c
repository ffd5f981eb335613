/* The mean of two colours 0xRRGGBB, weighted by 0 to 4 quarters. */
unsigned blend(unsigned one, unsigned two, unsigned char quarters)
{
    unsigned weight = quarters < 4 ? quarters : 4, other = 4 - weight;
    unsigned outer = (one & 0xff00ff) * weight + (two & 0xff00ff) * other;
    unsigned inner = (one & 0x00ff00) * weight + (two & 0x00ff00) * other;

    return ((outer >> 2) & 0xff00ff) | ((inner >> 2) & 0x00ff00);
}
