/* atexit runs in reverse order, after main returned; its output comes last. */
#include <stdio.h>
#include <stdlib.h>

static int count;
static void first(void) { printf("first %d\n", ++count); }
static void second(void) { printf("second %d\n", ++count); }

int main(void)
{
    atexit(first);
    atexit(second);
    atexit(first);
    printf("main %d\n", count);
    return 5;
}
