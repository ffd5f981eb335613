/* How far a rook and a king have from one square to another: the sum and the maximum. */
static inline int absolute(int v)
{
    int sign = v >> 31;

    return (v ^ sign) - sign;
}

long distance(int x1, int y1, int x2, int y2)
{
    int dx = absolute(x2 - x1), dy = absolute(y2 - y1);
    int longer = dx - ((dx - dy) & -(dx < dy));

    return (dx + dy) * 100000L + longer;
}
