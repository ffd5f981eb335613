/* A parser of lists such as "1-3,5,7-" over six unknown bytes: 2,028 paths.

   Returns how many positions the list names (an open range counts 100), or what is wrong. */
void klee_make_symbolic(void *address, unsigned long size, const char *name);

#define LENGTH 6

enum { NO_NUMBER = -1, GOES_DOWN = -2, ZERO = -3, REST = -4 };

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int parse(const char *s)
{
    int total = 0, zeros = 0;

    for (;;) {
        int low = 0, high, digits = 0;
        while (is_digit(*s)) {
            low = 10 * low + (*s++ - '0');
            digits++;
        }
        high = low;
        if (*s == '-') {
            s++;
            if (digits == 0)
                low = 1;
            if (is_digit(*s)) {
                high = 0;
                while (is_digit(*s))
                    high = 10 * high + (*s++ - '0');
            } else if (digits == 0) {
                return NO_NUMBER;
            } else {
                high = low + 99;
            }
        } else if (digits == 0) {
            return NO_NUMBER;
        }
        if (low == 0)
            zeros++;
        if (high < low)
            return GOES_DOWN;
        total += high - low + 1;
        if (*s == '\0')
            return zeros ? ZERO : total;
        if (*s != ',' && *s != ' ')
            return REST;
        s++;
    }
}

int main(void)
{
    char text[LENGTH + 1];

    klee_make_symbolic(text, sizeof text, "text");
    text[LENGTH] = '\0';
    return parse(text) < 0;
}
