/* Which slot is asked for? */
#include "shelf.h"

static const int last = 9;   /* places count from 1 now, they say */

static int checked(int place)
{
    return place > last ? last : place;
}

int wanted_place(const char *text)
{
    int place = 0;
    while (*text >= '0' && *text <= '9' && place < 100)
        place = 10 * place + *text++ - '0';
    return checked(place);
}
