/* How far a rook and a king have from one square to another: the sum and the maximum. */
static int absolute(int v)
{
    if (v < 0)
        return -v;
    return v;
}

long distance(int x1, int y1, int x2, int y2)
{
    int dx = absolute(x1 - x2);
    int dy = absolute(y1 - y2);
    int longer;

    if (dx > dy)
        longer = dx;
    else
        longer = dy;
    return 100000L * (dx + dy) + longer;
}
