/* malloc, calloc, realloc, free: a growing array, blocks that keep their contents. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct vector { int *items; size_t count, room; };

static void push(struct vector *v, int item)
{
    if (v->count == v->room) {
        v->room = v->room ? v->room * 2 : 1;
        v->items = realloc(v->items, v->room * sizeof *v->items);
        if (v->items == NULL)
            exit(3);
    }
    v->items[v->count++] = item;
}

int main(void)
{
    struct vector v = { NULL, 0, 0 };
    char *text, *copy;
    int i, *zeros, sum = 0;
    for (i = 0; i < 100; i++)
        push(&v, i * i);
    for (i = 0; i < 100; i++)
        sum += v.items[i];
    printf("%d %zu %zu\n", sum, v.count, v.room);
    free(v.items);
    zeros = calloc(50, sizeof *zeros);
    for (i = sum = 0; i < 50; i++)
        sum |= zeros[i];
    printf("%d\n", sum);
    free(zeros);
    text = malloc(6);
    strcpy(text, "grown");
    copy = realloc(text, 100);
    strcat(copy, " up");
    printf("%s\n", copy);
    copy = realloc(copy, 3);
    printf("%.3s\n", copy);
    free(copy);
    free(NULL);
    return 0;
}
