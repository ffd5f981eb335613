/* The area that a square window covers of the screen and of a button on it. */
struct box {
    int left, top, right, bottom;
};

static const struct box button = { 300, 200, 400, 230 };

static void intersect(const struct box *one, const struct box *two, struct box *common)
{
    common->left = one->left > two->left ? one->left : two->left;
    common->top = one->top > two->top ? one->top : two->top;
    common->right = one->right < two->right ? one->right : two->right;
    common->bottom = one->bottom < two->bottom ? one->bottom : two->bottom;
}

int overlap(int x, int y, int size)
{
    struct box window = { .left = x, .top = y, .right = x + size, .bottom = y + size };
    struct box common;
    int width, height;

    intersect(&window, &button, &common);
    width = common.right - common.left;
    height = common.bottom - common.top;
    if (height <= 0)
        return 0;
    if (width < 0)
        width = 0;
    return width * 1000 + height;
}
