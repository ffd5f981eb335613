/* The slots themselves. */
#include "shelf.h"

static char slots[9];
static int last = -1;

static int checked(int place)
{
    return place > 8 ? 8 : place;
}

int put(int place)
{
    place = checked(place);
    slots[place]++;
    last = place;
    return last;
}
