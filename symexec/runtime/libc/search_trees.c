/* Balanced trees of <search.h>: POSIX tsearch, tfind, tdelete, twalk; glibc's twalk_r, tdestroy.
 *
 *     tsearch("b", &root, order)  ->  the node of an equal key, else a new one; *node is the key
 *
 * Red-black trees of the shape that glibc's have, since twalk shows it: on the way down to a new
 * leaf every node with two red children gives its colour to them; a removed node's black is made
 * up for from below. Keys are compared in glibc's order. */

typedef unsigned long size_t;
typedef int order(const void *a, const void *b);
typedef enum { PREORDER, POSTORDER, ENDORDER, LEAF } visit;

typedef struct node {
    const void *key; /* first: callers read it through the node's address */
    struct node *below[2];
    int red;
} node;

enum { DEEPEST = 128 };

extern void *malloc(size_t n);
extern void free(void *p);

/* ``*place`` goes down, its child on the other side takes its place: its colour, too. */
static void rotate(node **place, int side)
{
    node *top = *place, *up = top->below[!side];
    top->below[!side] = up->below[side];
    up->below[side] = top;
    *place = up;
    up->red = top->red;
    top->red = 1;
}

static int is_red(const node *n) { return n && n->red; }

/* The node at ``ways[last]`` is red: not below another red one. */
static void no_two_red(node ***ways, const char *sides, int last)
{
    if (last < 2 || !(*ways[last - 1])->red)
        return;
    if (sides[last - 1] != sides[last - 2])
        rotate(ways[last - 1], !sides[last - 1]);
    (*ways[last - 1])->red = 1;
    rotate(ways[last - 2], !sides[last - 2]);
}

void *tsearch(const void *key, void **root, order *compare)
{
    node **ways[DEEPEST]; /* places of the nodes from the root down */
    char sides[DEEPEST];  /* sides[i]: from ways[i] to ways[i + 1] */
    int last = 0;
    if (!root)
        return 0;
    ways[0] = (node **) root;
    if (*ways[0])
        (*ways[0])->red = 0;
    while (*ways[last]) {
        node *here = *ways[last];
        int difference = compare(key, here->key);
        if (!difference)
            return here;
        if (is_red(here->below[0]) && is_red(here->below[1])) {
            here->red = 1;
            here->below[0]->red = here->below[1]->red = 0;
            no_two_red(ways, sides, last);
            /* Turned round or not, the places above are not looked at again before two black
             * nodes have been passed. */
        }
        int side = difference > 0;
        sides[last] = (char) side;
        ways[++last] = &here->below[side];
    }
    node *made = malloc(sizeof *made);
    if (!made)
        return 0;
    made->key = key;
    made->below[0] = made->below[1] = 0;
    made->red = last > 0;
    *ways[last] = made;
    no_two_red(ways, sides, last);
    return made;
}

void *tfind(const void *key, void *const *root, order *compare)
{
    node *here = root ? *root : 0;
    while (here) {
        int difference = compare(key, here->key);
        if (!difference)
            break;
        here = here->below[difference > 0];
    }
    return here;
}

/* One black node too few below ``ways[last]``. */
static void make_up(node ***ways, const char *sides, int last)
{
    while (last > 0 && !is_red(*ways[last])) {
        node **place = ways[last - 1];
        int side = sides[last - 1];
        node *above = *place, *other = above->below[!side];
        if (other->red) {
            rotate(place, side);
            place = &(*place)->below[side];
            ways[last - 1] = place;
            other = above->below[!side];
            ways[last] = &above->below[side];
            /* above is red now, so this ends below */
        }
        if (!is_red(other->below[0]) && !is_red(other->below[1])) {
            other->red = 1;
            last--;
            continue;
        }
        if (!is_red(other->below[!side]))
            rotate(&above->below[!side], !side);
        rotate(place, side);
        (*place)->below[0]->red = (*place)->below[1]->red = 0;
        return;
    }
    if (*ways[last])
        (*ways[last])->red = 0;
}

/* The node above the removed one; of the root some pointer that is not null. */
void *tdelete(const void *key, void **root, order *compare)
{
    node **ways[DEEPEST];
    char sides[DEEPEST];
    int last = 0, difference;
    if (!root || !*root)
        return 0;
    ways[0] = (node **) root;
    while ((difference = compare(key, (*ways[last])->key)) != 0) {
        sides[last] = difference > 0;
        ways[last + 1] = &(*ways[last])->below[difference > 0];
        if (!*ways[++last])
            return 0;
    }
    node *found = *ways[last], *above = last ? *ways[last - 1] : found;
    node *gone = found;
    if (found->below[0] && found->below[1]) {
        sides[last] = 1;
        ways[last + 1] = &found->below[1];
        for (last++; (*ways[last])->below[0]; last++) {
            sides[last] = 0;
            ways[last + 1] = &(*ways[last])->below[0];
        }
        gone = *ways[last];
        found->key = gone->key;
    }
    *ways[last] = gone->below[0] ? gone->below[0] : gone->below[1];
    if (!gone->red)
        make_up(ways, sides, last);
    free(gone);
    return above;
}

static void walk(const node *n, void (*act)(const void *, visit, int), int level)
{
    if (!n->below[0] && !n->below[1]) {
        act(n, LEAF, level);
        return;
    }
    act(n, PREORDER, level);
    if (n->below[0])
        walk(n->below[0], act, level + 1);
    act(n, POSTORDER, level);
    if (n->below[1])
        walk(n->below[1], act, level + 1);
    act(n, ENDORDER, level);
}

void twalk(const void *root, void (*act)(const void *, visit, int))
{
    if (root && act)
        walk(root, act, 0);
}

static void walk_r(const node *n, void (*act)(const void *, visit, void *), void *closure)
{
    if (!n->below[0] && !n->below[1]) {
        act(n, LEAF, closure);
        return;
    }
    act(n, PREORDER, closure);
    if (n->below[0])
        walk_r(n->below[0], act, closure);
    act(n, POSTORDER, closure);
    if (n->below[1])
        walk_r(n->below[1], act, closure);
    act(n, ENDORDER, closure);
}

void twalk_r(const void *root, void (*act)(const void *, visit, void *), void *closure)
{
    if (root && act)
        walk_r(root, act, closure);
}

void tdestroy(void *root, void (*release)(void *))
{
    node *n = root;
    if (!n)
        return;
    tdestroy(n->below[0], release);
    tdestroy(n->below[1], release);
    release((void *) n->key);
    free(n);
}
