/* qsort and bsearch, C17 7.22.5: glibc's merge sort and its order of comparisons, so that a
 * comparison that prints or counts does so alike. */

/* Effects of calls, as csg/ir/library_effects.py reads them:
 *     bsearch: reads 0 1, returns 1, calls 4
 *     lfind: reads 0 1 2, writes 1 2, returns 1, calls 4
 *     qsort qsort_r: reads 0, writes 0 errno, calls 3 */

typedef unsigned long size_t;
typedef int compare(const void *, const void *);
typedef int compare_with(const void *, const void *, void *);

extern void *memcpy(void *to, const void *from, size_t n);
extern void *malloc(size_t n);
extern void free(void *p);

struct order {
    size_t size;
    compare *plain;
    compare_with *with;
    void *extra;
    char *room;
};

static int ordered(const struct order *by, const void *a, const void *b)
{
    return by->plain ? by->plain(a, b) : by->with(a, b, by->extra);
}

static void sort(const struct order *by, char *items, size_t n)
{
    if (n <= 1)
        return;
    size_t size = by->size, left = n / 2, right = n - left;
    char *a = items, *b = items + left * size, *to = by->room;
    sort(by, a, left);
    sort(by, b, right);
    while (left && right) {
        if (ordered(by, a, b) <= 0) {
            memcpy(to, a, size);
            a += size;
            left--;
        } else {
            memcpy(to, b, size);
            b += size;
            right--;
        }
        to += size;
    }
    if (left)
        memcpy(to, a, left * size);
    memcpy(items, by->room, (n - right) * size);
}

static void sort_all(struct order *by, void *items, size_t n)
{
    if (n <= 1 || !by->size)
        return;
    by->room = malloc(n * by->size);
    sort(by, items, n);
    free(by->room);
}

void qsort(void *items, size_t n, size_t size, compare *plain)
{
    struct order by = {size, plain, 0, 0, 0};
    sort_all(&by, items, n);
}

void qsort_r(void *items, size_t n, size_t size, compare_with *with, void *extra)
{
    struct order by = {size, 0, with, extra, 0};
    sort_all(&by, items, n);
}

void *bsearch(const void *key, const void *items, size_t n, size_t size, compare *by)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const void *item = (const char *) items + middle * size;
        int order = by(key, item);
        if (order == 0)
            return (void *) item;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return 0;
}

void *lfind(const void *key, const void *items, const size_t *n, size_t size, compare *by)
{
    for (size_t i = 0; i < *n; i++)
        if (by(key, (const char *) items + i * size) == 0)
            return (char *) items + i * size;
    return 0;
}
