/* A singly linked list: push, append, reverse, insert in order, remove through a pointer to pointer. */
#include <stdio.h>
#include <stdlib.h>

struct node { int value; struct node *next; };

static struct node *make(int value, struct node *next)
{
    struct node *n = malloc(sizeof *n);
    n->value = value;
    n->next = next;
    return n;
}

static void insert(struct node **at, int value)
{
    while (*at && (*at)->value < value)
        at = &(*at)->next;
    *at = make(value, *at);
}

static int remove_all(struct node **at, int value)
{
    int removed = 0;
    while (*at) {
        if ((*at)->value == value) {
            struct node *gone = *at;
            *at = gone->next;
            free(gone);
            removed++;
        } else {
            at = &(*at)->next;
        }
    }
    return removed;
}

static struct node *reverse(struct node *list)
{
    struct node *result = NULL;
    while (list) {
        struct node *next = list->next;
        list->next = result;
        result = list;
        list = next;
    }
    return result;
}

static void show(const struct node *list)
{
    for (; list; list = list->next)
        printf("%d ", list->value);
    printf("\n");
}

int main(void)
{
    struct node *list = NULL;
    int values[] = { 5, 3, 9, 3, 1, 7, 3 }, i;
    for (i = 0; i < 7; i++)
        insert(&list, values[i]);
    show(list);
    list = reverse(list);
    show(list);
    printf("%d %d\n", remove_all(&list, 3), remove_all(&list, 4));
    show(list);
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
    return list == NULL ? 0 : 1;
}
