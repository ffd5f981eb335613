/* Uninitialised memory may be copied, not used. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct flags {
    unsigned low : 3;
    unsigned high : 5;
    char tag;
    int number;
};

static int missing(int x)
{
    if (x > 1)
        return x;
}

// range: x=0..14
int f(int x)
{
    int row[8], other[8], *heap, maybe, sum = 0;
    struct flags set, copy;
    char text[16], line[16];
    memset(row, 0, 4 * sizeof(int));
    memcpy(other, row, sizeof row);
    set.low = 5;
    copy = set;
    if (copy.low != 5)
        return -1;
    if (x == 1)
        sum += missing(x);
    if (x == 2 && copy.high == 3)       // error: uninitialised
        sum++;
    if (x == 3)
        maybe = 7;
    if (x == 3 || x == 4)
        sum += maybe;
    if (x == 5)
        text[other[5] & 7] = 0;         // error: uninitialised
    if (x > 5 && x < 10 && other[x - 4] > 0)  // error: uninitialised
        sum++;
    if (x == 10)
        printf("%d", other[6]);         // error: uninitialised
    heap = realloc(malloc(sizeof(int)), (x + 1) * sizeof(int));
    if (x == 11)
        switch (heap[x]) {              // error: uninitialised
        case 3:
            sum = 9;
        }
    strcpy(text, "ab");
    memcpy(line, text, sizeof line);
    if (x == 12)
        sum += strlen(line);
    if (x == 13)
        sum += strlen(line + 3);        // error: uninitialised
    return sum;
}  // error: uninitialised
