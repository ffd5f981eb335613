/* How many bytes of C are outside of block comments, not counting what opens and closes them. */
enum state { CODE, SLASH, COMMENT, STAR };

int strip(const char *text)
{
    enum state state = CODE;
    int outside = 0;

    for (; *text; text++) {
        switch (state) {
        case CODE:
            if (*text == '/')
                state = SLASH;
            else
                outside++;
            break;
        case SLASH:
            if (*text == '*') {
                state = COMMENT;
            } else if (*text == '/') {
                outside++;
            } else {
                outside += 2;
                state = CODE;
            }
            break;
        case COMMENT:
            if (*text == '*')
                state = STAR;
            break;
        case STAR:
            if (*text == '/')
                state = CODE;
            else if (*text != '*')
                state = COMMENT;
            break;
        }
    }
    if (state == SLASH)
        outside++;
    return outside;
}
