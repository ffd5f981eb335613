// stdin: pear apple fig plum apple date kiwi fig lime pear nut\n
/* Words counted in a tree of search.h. */
#define _GNU_SOURCE
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct word { int times; char text[12]; };

static int by_text(const void *a, const void *b)
{
    return strcmp(((const struct word *) a)->text, ((const struct word *) b)->text);
}

static void show(const void *node, VISIT visit, int depth)
{
    const struct word *w = *(const struct word *const *) node;
    if (visit == postorder || visit == leaf)
        printf("%*s%s %d\n", depth, "", w->text, w->times);
}

static void release(void *w)
{
    printf("%s ", ((struct word *) w)->text);
    free(w);
}

int main(void)
{
    void *root = NULL;
    struct word *w = malloc(sizeof *w);
    while (w->times = 1, scanf("%11s", w->text) == 1) {
        struct word **found = tsearch(w, &root, by_text);
        if (*found != w)
            (*found)->times++;
        else
            w = malloc(sizeof *w);
    }
    twalk(root, show);
    strcpy(w->text, "kiwi");
    struct word *kiwi = *(struct word **) tfind(w, &root, by_text);
    printf("%d %d\n", tdelete(w, &root, by_text) != NULL, tdelete(w, &root, by_text) != NULL);
    free(kiwi);
    twalk(root, show);
    tdestroy(root, release);
    free(w);
    return 0;
}
