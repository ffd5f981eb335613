/* A ring buffer: fills, wraps, overwrites or refuses; one producer, one consumer in turns. */
#include <stdbool.h>
#include <stdio.h>

#define ROOM 8u
struct ring { int items[ROOM]; unsigned head, tail; };

static bool put(struct ring *r, int item)
{
    if (r->head - r->tail == ROOM)
        return false;
    r->items[r->head++ & (ROOM - 1)] = item;
    return true;
}

static bool take(struct ring *r, int *item)
{
    if (r->head == r->tail)
        return false;
    *item = r->items[r->tail++ % ROOM];
    return true;
}

int main(void)
{
    struct ring ring = { .head = -3u, .tail = -3u };
    int item, i, step, refused = 0, empty = 0;
    long sum = 0;
    for (step = 0; step < 30; step++) {
        for (i = 0; i < step % 5; i++)
            refused += !put(&ring, 10 * step + i);
        for (i = 0; i < (step * 7) % 4; i++)
            if (take(&ring, &item))
                sum = sum * 3 % 100003 + item;
            else
                empty++;
    }
    printf("%d %d %ld %u\n", refused, empty, sum, ring.head - ring.tail);
    while (take(&ring, &item))
        printf("%d ", item);
    printf("\n");
    return 0;
}
