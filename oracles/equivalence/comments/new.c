/* How many bytes of C are outside of block comments, not counting what opens and closes them. */
enum state { CODE, SLASH, COMMENT, STAR, STATES };
enum class { OTHER, SOLIDUS, ASTERISK, CLASSES };

static const struct {
    unsigned char next, counted;
} steps[STATES][CLASSES] = {
    [CODE] = { { CODE, 1 }, { SLASH, 0 }, { CODE, 1 } },
    [SLASH] = { { CODE, 2 }, { SLASH, 1 }, { COMMENT, 0 } },
    [COMMENT] = { { COMMENT, 0 }, { COMMENT, 0 }, { STAR, 0 } },
    [STAR] = { { COMMENT, 0 }, { CODE, 0 }, { STAR, 0 } },
};

int strip(const char *text)
{
    int state = CODE, outside = 0;

    while (*text) {
        enum class class = *text == '/' ? SOLIDUS : *text == '*' ? ASTERISK : OTHER;

        outside += steps[state][class].counted;
        state = steps[state][class].next;
        text++;
    }
    return outside + (state == SLASH);
}
