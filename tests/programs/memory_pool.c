/* A pool of cells with a free list inside of the cells, and an arena that only grows. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

union cell { union cell *next; char bytes[24]; long align; };
static union cell cells[6], *unused;
static union { char bytes[256]; long align; } arena;
static size_t used;

static void *cell_new(void)
{
    union cell *c = unused;
    if (c != NULL)
        unused = c->next;
    return c;
}

static void cell_free(void *p)
{
    union cell *c = p;
    c->next = unused;
    unused = c;
}

static void *arena_new(size_t size)
{
    void *p = arena.bytes + used;
    size = (size + 7) & ~(size_t) 7;
    if (size > sizeof arena.bytes - used)
        return NULL;
    used += size;
    return p;
}

int main(void)
{
    char *got[8];
    int i, misses = 0;
    for (i = 0; i < 6; i++)
        cell_free(&cells[i]);
    for (i = 0; i < 8; i++)
        if ((got[i] = cell_new()) != NULL)
            sprintf(got[i], "cell %d", i);
        else
            misses++;
    printf("%d %s %s\n", misses, got[0], got[5]);
    cell_free(got[2]);
    cell_free(got[4]);
    printf("%d ", cell_new() == got[4]);
    printf("%d\n", cell_new() == got[2]);
    {
        int *a = arena_new(3 * sizeof *a), total = 0;
        double *unused_cells = arena_new(1);
        char *s = arena_new(100);
        a[0] = 1; a[1] = 2; a[2] = 3;
        memset(s, 'x', 99);
        s[99] = '\0';
        total = a[0] + a[1] + a[2];
        printf("%d %zu %zu %td\n", total, used, strlen(s), (char *) unused_cells - (char *) a);
        printf("%d\n", arena_new(200) == NULL);
    }
    return 0;
}
