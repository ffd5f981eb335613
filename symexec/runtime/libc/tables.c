/* Tables of search.h: lsearch and hsearch; its trees are in search_trees.c.
 *
 *     lsearch(&key, items, &n, size, compare)    ->   its equal, or a copy at the end */

/* Effects of calls, as csg/ir/library_effects.py reads them:
 *     lsearch: reads 0 1 2, writes 1 2, returns 1, calls 4 */

typedef unsigned long size_t;
typedef int compare(const void *, const void *);

extern int __csgtest_errno;
extern void *calloc(size_t count, size_t n);
extern void free(void *p);
extern void *memcpy(void *to, const void *from, size_t n);
extern int strcmp(const char *a, const char *b);

void *lsearch(const void *key, void *items, size_t *n, size_t size, compare *by)
{
    for (size_t i = 0; i < *n; i++)
        if (by(key, (char *) items + i * size) == 0)
            return (char *) items + i * size;
    return memcpy((char *) items + (*n)++ * size, key, size);
}

/* ---------------------------------------------------------------------- hsearch */

struct entry { char *key; void *data; };
struct hsearch_data { struct entry *table; unsigned size, filled; };
enum action { FIND, ENTER };
enum { NO_MEMORY = 12, NOT_FOUND = 3 };

static struct hsearch_data shared;

/* A table of the next odd number of places; what is in it is found from its start, in order. */
int hcreate_r(size_t wanted, struct hsearch_data *h)
{
    if (h->table)
        return 0;
    h->size = (unsigned) (wanted < 3 ? 3 : wanted | 1);
    for (unsigned divisor = 3; divisor * divisor <= h->size; divisor += 2)
        if (h->size % divisor == 0) {
            h->size += 2;
            divisor = 1;
        }
    h->filled = 0;
    h->table = calloc(h->size, sizeof *h->table);
    return h->table != 0;
}

void hdestroy_r(struct hsearch_data *h)
{
    free(h->table);
    h->table = 0;
}

int hsearch_r(struct entry item, enum action action, struct entry **found, struct hsearch_data *h)
{
    for (unsigned i = 0; i < h->filled; i++)
        if (!strcmp(h->table[i].key, item.key)) {
            *found = &h->table[i];
            return 1;
        }
    *found = 0;
    if (action == FIND || h->filled == h->size) {
        __csgtest_errno = action == FIND ? NOT_FOUND : NO_MEMORY;
        return 0;
    }
    h->table[h->filled] = item;
    *found = &h->table[h->filled++];
    return 1;
}

int hcreate(size_t wanted) { return hcreate_r(wanted, &shared); }
void hdestroy(void) { hdestroy_r(&shared); }

struct entry *hsearch(struct entry item, enum action action)
{
    struct entry *found;
    hsearch_r(item, action, &found, &shared);
    return found;
}
