/* Labels that a block has to itself, as macros need them. */
#include <stdio.h>

#define FIND(array, wanted)                       \
    ({                                            \
        __label__ found;                          \
        int at = 0;                               \
        for (; at < 4; at++)                      \
            if ((array)[at] == (wanted))          \
                goto found;                       \
        at = -1;                                  \
    found:                                        \
        at;                                       \
    })

static int again_allowed(int n) { return n != 2; }

static int steps(int n)
{
    int count = 0, again = 1;
    {
        __label__ again, done;
        void *where[] = { &&again, &&done };
    again:
        count += n && again_allowed(n);
        goto *where[--n <= 0];
    done:;
    }
    if (n && again)
        goto again;
    return count;
again:
    return -count;
}

int main(void)
{
    int numbers[] = { 4, 8, 15, 16 };
    printf("%d %d %d\n", FIND(numbers, 15), FIND(numbers, 4), FIND(numbers, 5));
    printf("%d %d\n", steps(4), steps(-3));
    goto found;
found:
    for (int i = 0; i < 2; i++) {
        __label__ found;
        if (i)
            goto found;
        printf("first ");
    found:
        printf("%s\n", i ? "second" : "");
    }
    return 0;
}
