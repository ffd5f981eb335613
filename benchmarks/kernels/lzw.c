/* LZW over unknown bytes: a large hash table is probed, read and written at unknown places. */
#include <string.h>

void klee_make_symbolic(void *address, unsigned long size, const char *name);

#define SIZE 69001

static long pairs[SIZE];
static unsigned short codes[SIZE];

int main(void)
{
    unsigned char text[6];
    int next = 257, sum = 0, entry;

    klee_make_symbolic(text, sizeof text, "text");
    memset(pairs, -1, sizeof pairs);
    entry = text[0];
    for (int at = 1; at < 6; at++) {
        long pair = ((long)text[at] << 16) + entry;
        int place = ((text[at] << 8) ^ entry) % SIZE;

        while (pairs[place] >= 0 && pairs[place] != pair)
            place = place ? place - 1 : SIZE - 1;
        if (pairs[place] == pair) {
            entry = codes[place];
            continue;
        }
        sum += entry;
        pairs[place] = pair;
        codes[place] = next++;
        entry = text[at];
    }
    return sum & 1;
}
