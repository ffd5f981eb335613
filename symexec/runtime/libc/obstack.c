/* Object stacks of obstack.h: the functions behind its macros. Objects grow at the end of a chunk;
 * one that does not fit moves to a new chunk.
 *
 *     obstack_grow(&o, "ab", 2)    ->   _obstack_newchunk(&o, 2) when fewer than 2 bytes are left */

typedef unsigned long size_t;
typedef __builtin_va_list va_list;

typedef union {
    int descriptor;
    char room[216];
} FILE;

struct chunk {
    char *limit;
    struct chunk *before;
    char contents[4];
};

struct obstack {
    long chunk_size;
    struct chunk *chunk;
    char *object_base, *next_free, *chunk_limit;
    union { long number; void *pointer; } temporary;
    int alignment_mask;
    struct chunk *(*allocate)(void *, long);
    void (*release)(void *, struct chunk *);
    void *extra;
    unsigned use_extra : 1, maybe_empty_object : 1, failed : 1;
};

typedef struct chunk *plain_allocate(long);
typedef void plain_release(struct chunk *);

extern FILE *stderr;
extern int fprintf(FILE *to, const char *format, ...);
extern int vasprintf(char **result, const char *format, va_list rest);
extern void *memcpy(void *to, const void *from, size_t n);
extern void free(void *p);
extern void exit(int status) __attribute__((noreturn));
extern void abort(void) __attribute__((noreturn));

int obstack_exit_failure = 1;

static void complain(void)
{
    fprintf(stderr, "memory exhausted\n");
    exit(obstack_exit_failure);
}

void (*obstack_alloc_failed_handler)(void) = complain;

static char *aligned(const struct obstack *h, char *at)
{
    return (char *) (((unsigned long) at + h->alignment_mask) & ~(unsigned long) h->alignment_mask);
}

static struct chunk *new_chunk(struct obstack *h, long size)
{
    struct chunk *chunk =
        h->use_extra ? h->allocate(h->extra, size) : ((plain_allocate *) h->allocate)(size);
    if (!chunk)
        obstack_alloc_failed_handler();
    chunk->limit = (char *) chunk + size;
    return chunk;
}

static void drop_chunk(struct obstack *h, struct chunk *chunk)
{
    if (h->use_extra)
        h->release(h->extra, chunk);
    else
        ((plain_release *) h->release)(chunk);
}

static int begin(struct obstack *h, int size, int alignment)
{
    h->alignment_mask = (alignment ? alignment : 16) - 1;
    h->chunk_size = size ? size : 4064;
    h->chunk = new_chunk(h, h->chunk_size);
    h->chunk->before = 0;
    h->next_free = h->object_base = aligned(h, h->chunk->contents);
    h->chunk_limit = h->chunk->limit;
    h->maybe_empty_object = h->failed = 0;
    return 1;
}

int _obstack_begin(struct obstack *h, int size, int alignment, void *(*allocate)(long),
                   void (*release)(void *))
{
    h->allocate = (struct chunk * (*) (void *, long)) allocate;
    h->release = (void (*)(void *, struct chunk *)) release;
    h->use_extra = 0;
    return begin(h, size, alignment);
}

int _obstack_begin_1(struct obstack *h, int size, int alignment, void *(*allocate)(void *, long),
                     void (*release)(void *, void *), void *extra)
{
    h->allocate = (struct chunk * (*) (void *, long)) allocate;
    h->release = (void (*)(void *, struct chunk *)) release;
    h->extra = extra;
    h->use_extra = 1;
    return begin(h, size, alignment);
}

void _obstack_newchunk(struct obstack *h, int length)
{
    struct chunk *before = h->chunk;
    long used = h->next_free - h->object_base;
    long size = used + length + (used >> 3) + h->alignment_mask + 100;
    struct chunk *chunk = new_chunk(h, size < h->chunk_size ? h->chunk_size : size);
    chunk->before = before;
    char *base = aligned(h, chunk->contents);
    memcpy(base, h->object_base, (size_t) used);
    if (!h->maybe_empty_object && h->object_base == aligned(h, before->contents)) {
        chunk->before = before->before; /* the object was all that the chunk held */
        drop_chunk(h, before);
    }
    h->chunk = chunk;
    h->chunk_limit = chunk->limit;
    h->object_base = base;
    h->next_free = base + used;
    h->maybe_empty_object = 0;
}

static int holds(const struct chunk *chunk, const void *object)
{
    return (const char *) chunk < (const char *) object && (const char *) object <= chunk->limit;
}

int _obstack_allocated_p(struct obstack *h, void *object)
{
    for (struct chunk *chunk = h->chunk; chunk; chunk = chunk->before)
        if (holds(chunk, object))
            return 1;
    return 0;
}

void obstack_free(struct obstack *h, void *object)
{
    struct chunk *chunk = h->chunk;
    while (chunk && !holds(chunk, object)) {
        struct chunk *before = chunk->before;
        drop_chunk(h, chunk);
        chunk = before;
        h->maybe_empty_object = 1;
    }
    if (chunk) {
        h->object_base = h->next_free = object;
        h->chunk_limit = chunk->limit;
        h->chunk = chunk;
    } else if (object) {
        abort(); /* not one of its objects */
    }
}

void __obstack_free(struct obstack *h, void *object) { obstack_free(h, object); }

int _obstack_memory_used(struct obstack *h)
{
    long size = 0;
    for (struct chunk *chunk = h->chunk; chunk; chunk = chunk->before)
        size += chunk->limit - (char *) chunk;
    return (int) size;
}

int obstack_vprintf(struct obstack *h, const char *format, va_list rest)
{
    char *text;
    int n = vasprintf(&text, format, rest);
    if (n < 0)
        return n;
    if (h->chunk_limit - h->next_free < n)
        _obstack_newchunk(h, n);
    memcpy(h->next_free, text, (size_t) n);
    h->next_free += n;
    free(text);
    return n;
}

int obstack_printf(struct obstack *h, const char *format, ...)
{
    va_list rest;
    __builtin_va_start(rest, format);
    int n = obstack_vprintf(h, format, rest);
    __builtin_va_end(rest);
    return n;
}
