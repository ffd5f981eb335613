/* The area that a square window covers of the screen and of a button on it. */
struct box {
    int left, top, right, bottom;
};

static struct box box_at(int x, int y, int width, int height)
{
    struct box made = { x, y, x + width, y + height };
    return made;
}

static struct box intersection(struct box one, struct box two)
{
    if (one.left < two.left)
        one.left = two.left;
    if (one.top < two.top)
        one.top = two.top;
    if (one.right > two.right)
        one.right = two.right;
    if (one.bottom > two.bottom)
        one.bottom = two.bottom;
    return one;
}

static int width(struct box box)
{
    return box.right > box.left ? box.right - box.left : 0;
}

int overlap(int x, int y, int size)
{
    struct box window = box_at(x, y, size, size);
    struct box button = box_at(300, 200, 100, 30);
    struct box common = intersection(window, button);

    if (common.bottom <= common.top)
        return 0;
    return width(common) * 1000 + (common.bottom - common.top);
}
