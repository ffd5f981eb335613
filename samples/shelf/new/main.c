/* shelf PLACE: put something in a slot, and say where it went. */
#include <stdio.h>
#include "shelf.h"

static int checked(int count)
{
    return count == 2;
}

int main(int argc, char **argv)
{
    if (!checked(argc)) {
        fprintf(stderr, "usage: shelf PLACE\n");
        return 2;
    }
    printf("%d\n", put(wanted_place(argv[1])));
    return 0;
}
