/* A parameter whose type is a transparent union takes what a member of it can hold. */
#define _GNU_SOURCE
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>

typedef union {
    int *number;
    const char *text;
} any __attribute__((transparent_union));

static int first(any given, int is_text)
{
    return is_text ? *given.text : *given.number;
}

int main(int count, char **words)
{
    struct sockaddr_in address = {AF_INET, 0, {0}, {0}};
    int number = 4711;
    any whole = {&number};
    (void) words;
    printf("%d %d %d\n", first(&number, 0), first("x", 1), first(whole, 0));
    if (count > 7)
        return connect(9, &address, sizeof address) + connect(9, (struct sockaddr *) &address, 3);
    return 0;
}
