/* A name means what is declared from its declarator on, also where it is that of a type. */
#include <stdio.h>
#include <stdlib.h>

typedef struct list {
    int length;
    struct list *next;
} list;
typedef short number;

static list *made(int length)
{
    list *list = malloc(sizeof(*list));
    if (list == NULL)
        exit(1);
    list->length = length;
    list->next = NULL;
    return list;
}

int main(void)
{
    number n = (number) 70000, number = sizeof number + (n) + 1;
    list *first = made(3);
    {
        list list = {.length = 4, .next = &list}, *other = list.next;
        printf("%d %d\n", other->length, list.next == other);
    }
    for (list *list = first, **at = &list; *at; list = (list)->next)
        printf("%d\n", list->length);
    printf("%d %d %d\n", n, number, (int) sizeof(list) > 8);
    free(first);
    return 0;
}
