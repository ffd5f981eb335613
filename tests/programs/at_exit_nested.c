/* Handlers that register others, end the program themselves, or look at its status. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
static void late(void) { printf("late\n"); }
static void first(void) { printf("first\n"); }
static void second(void) { printf("second\n"); atexit(late); }
static void with(int status, void *what) { printf("with %d %s\n", status, (char *) what); }
static void ends(void) { printf("ends\n"); exit(7); }
int main(void)
{
    atexit(first);
    on_exit(with, "one");
    atexit(ends);
    atexit(second);
    on_exit(with, "two");
    return 3;
}
