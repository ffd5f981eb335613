/* A binary search tree: insert, walk, depth, delete with two children, free. */
#include <stdio.h>
#include <stdlib.h>

struct tree { int key; struct tree *child[2]; };

static void insert(struct tree **t, int key)
{
    while (*t && (*t)->key != key)
        t = &(*t)->child[key > (*t)->key];
    if (*t == NULL) {
        *t = calloc(1, sizeof **t);
        (*t)->key = key;
    }
}

static int delete(struct tree **t, int key)
{
    struct tree *gone;
    while (*t && (*t)->key != key)
        t = &(*t)->child[key > (*t)->key];
    if ((gone = *t) == NULL)
        return 0;
    if (gone->child[0] && gone->child[1]) {
        struct tree **least = &gone->child[1];
        while ((*least)->child[0])
            least = &(*least)->child[0];
        gone->key = (*least)->key;
        t = least;
        gone = *t;
    }
    *t = gone->child[gone->child[0] == NULL];
    free(gone);
    return 1;
}

static void walk(const struct tree *t)
{
    if (t == NULL)
        return;
    walk(t->child[0]);
    printf("%d ", t->key);
    walk(t->child[1]);
}

static int depth(const struct tree *t)
{
    int l, r;
    if (!t)
        return 0;
    l = depth(t->child[0]);
    r = depth(t->child[1]);
    return 1 + (l > r ? l : r);
}

int main(void)
{
    int keys[] = { 50, 30, 70, 20, 40, 60, 80, 30, 65, 10, 45 }, i;
    struct tree *root = NULL;
    for (i = 0; i < 11; i++)
        insert(&root, keys[i]);
    walk(root);
    printf("/ %d\n", depth(root));
    printf("%d ", delete(&root, 50));
    printf("%d ", delete(&root, 99));
    printf("%d\n", delete(&root, 10));
    walk(root);
    printf("/ %d %d\n", root->key, depth(root));
    while (root)
        delete(&root, root->key);
    return root != NULL;
}
