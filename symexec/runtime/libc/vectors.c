/* Several stretches of memory at once: POSIX readv, writev; Linux's preadv, pwritev.
 *
 *     writev(1, {{"ab", 2}, {"c", 1}}, 2)     ->   3, "abc" on standard output */

/* Effects of calls, as csg/ir/library_effects.py reads them:
 *     pwritev pwritev64 writev: code, output */

typedef unsigned long size_t;

struct iovec { void *base; size_t size; };

extern int __csgtest_errno;
extern long read(int d, void *to, size_t n);
extern long write(int d, const void *from, size_t n);
extern long pread(int d, void *to, size_t n, long offset);
extern long pwrite(int d, const void *from, size_t n, long offset);

extern void *malloc(size_t n);
extern void free(void *p);
extern void *memcpy(void *to, const void *from, size_t n);

enum { INVALID = 22, MOST = 1024 };

/* What all stretches hold; -1: not as many as there may be. */
static long sum(const struct iovec *parts, int count)
{
    size_t total = 0;
    int valid = count >= 0 && count <= MOST;
    for (int i = 0; valid && i < count; i++) {
        total += parts[i].size;
        valid = parts[i].size <= total && (long) total >= 0;
    }
    if (valid)
        return (long) total;
    __csgtest_errno = INVALID;
    return -1;
}

/* One read for all of them: none waits for more than is there. */
static long scatter(int d, const struct iovec *parts, int count, long offset, int at)
{
    long total = sum(parts, count);
    if (total < 0)
        return -1;
    char *whole = malloc((size_t) total), *from = whole;
    long done = at ? pread(d, whole, (size_t) total, offset) : read(d, whole, (size_t) total);
    for (long left = done; left > 0; parts++) {
        size_t n = parts->size < (size_t) left ? parts->size : (size_t) left;
        memcpy(parts->base, from, n);
        from += n;
        left -= (long) n;
    }
    free(whole);
    return done;
}

static long gather(int d, const struct iovec *parts, int count, long offset, int at)
{
    long total = sum(parts, count);
    if (total < 0)
        return -1;
    char *whole = malloc((size_t) total), *to = whole;
    for (int i = 0; i < count; i++) {
        memcpy(to, parts[i].base, parts[i].size);
        to += parts[i].size;
    }
    long done = at ? pwrite(d, whole, (size_t) total, offset) : write(d, whole, (size_t) total);
    free(whole);
    return done;
}

long readv(int d, const struct iovec *parts, int count) { return scatter(d, parts, count, 0, 0); }
long writev(int d, const struct iovec *parts, int count) { return gather(d, parts, count, 0, 0); }

long preadv(int d, const struct iovec *parts, int count, long offset)
{
    return scatter(d, parts, count, offset, 1);
}

long pwritev(int d, const struct iovec *parts, int count, long offset)
{
    return gather(d, parts, count, offset, 1);
}

long preadv64(int d, const struct iovec *parts, int count, long at) { return preadv(d, parts, count, at); }
long pwritev64(int d, const struct iovec *parts, int count, long at) { return pwritev(d, parts, count, at); }
