/* Memory by the page, POSIX sys/mman.h: what nobody else sees is an allocation.
 *
 *     mmap(0, 100, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)   ->   4096 zeros
 *
 * A file that is only read, or privately, is a copy of what it is now (an event). */

typedef unsigned long size_t;

extern int __csgtest_errno;
extern void *aligned_alloc(size_t alignment, size_t n);
extern void *malloc(size_t n);
extern void *memset(void *to, int value, size_t n);
extern void free(void *p);
extern long lseek(int d, long offset, int whence);
extern long pread(int d, void *to, size_t n, long offset);
extern void __csgtest_approximated(const char *what);
extern void __csgtest_unsupported(const char *what) __attribute__((noreturn));

enum { PAGE = 4096, SHARED = 1, FIXED = 16, ANONYMOUS = 32, FIXED_NO_REPLACE = 0x100000 };
enum { WRITE = 2, NO_MEMORY = 12, NO_ACCESS = 13, NO_DEVICE = 19, INVALID = 22, SEEKS_NOT = 29 };

#define FAILED ((void *) -1L)

struct mapping {
    char *from;
    size_t size;
    struct mapping *next;
};

static struct mapping *all;

static void *failed(int number)
{
    __csgtest_errno = number;
    return FAILED;
}

static void *mapped(size_t size)
{
    struct mapping *m = malloc(sizeof *m);
    char *from = m ? aligned_alloc(PAGE, size) : 0;
    if (!from) {
        free(m);
        return failed(NO_MEMORY);
    }
    memset(from, 0, size);
    m->from = from;
    m->size = size;
    m->next = all;
    all = m;
    return from;
}

static void *file_mapped(size_t size, int d, long offset)
{
    char probe;
    long here = lseek(d, 0, 1), end = here < 0 ? -1 : lseek(d, 0, 2);
    if (here < 0)
        return __csgtest_errno == SEEKS_NOT ? failed(NO_DEVICE) : FAILED;
    lseek(d, here, 0);
    if (pread(d, &probe, 0, 0) < 0)
        return failed(NO_ACCESS);
    __csgtest_approximated("a mapped file is a copy of what it is at that time");
    size_t there = offset < end ? (size_t) (end - offset + PAGE - 1) / PAGE * PAGE : 0;
    if (there < size)
        __csgtest_unsupported("a mapping that goes on behind its file");
    char *from = mapped(size);
    if (from != FAILED)
        pread(d, from, size, offset);
    return from;
}

void *mmap(void *wish, size_t size, int access, int flags, int d, long offset)
{
    (void) wish;
    int kind = flags & 3;
    if (!size || !kind || offset % PAGE)
        return failed(INVALID);
    if (flags & (FIXED | FIXED_NO_REPLACE))
        __csgtest_unsupported("a mapping at a fixed address");
    if (size > ~0UL - PAGE)
        return failed(NO_MEMORY);
    size = (size + PAGE - 1) / PAGE * PAGE;
    if (flags & ANONYMOUS)
        return mapped(size);
    if (kind == SHARED && access & WRITE)
        __csgtest_unsupported("a file that is written through a mapping");
    return file_mapped(size, d, offset);
}

void *mmap64(void *wish, size_t size, int access, int flags, int d, long offset)
{
    return mmap(wish, size, access, flags, d, offset);
}

int munmap(void *from, size_t size)
{
    if (!size || (size_t) from % PAGE) {
        __csgtest_errno = INVALID;
        return -1;
    }
    size = (size + PAGE - 1) / PAGE * PAGE;
    for (struct mapping **place = &all; *place; place = &(*place)->next) {
        struct mapping *m = *place;
        if (m->from != from)
            continue;
        if (m->size != size)
            break;
        *place = m->next;
        free(m->from);
        free(m);
        return 0;
    }
    __csgtest_approximated("a part of a mapping that is given back stays");
    return 0;
}

int mprotect(void *from, size_t size, int access)
{
    (void) size, (void) access;
    if ((size_t) from % PAGE) {
        __csgtest_errno = INVALID;
        return -1;
    }
    __csgtest_approximated("protection of pages is not looked at");
    return 0;
}

int msync(void *from, size_t size, int flags) { return (void) from, (void) size, (void) flags, 0; }

int madvise(void *from, size_t size, int advice)
{
    (void) from, (void) size;
    if (advice == 4) /* MADV_DONTNEED empties pages */
        __csgtest_unsupported("pages that are given up");
    if (advice > 4)
        __csgtest_approximated("advice on pages changes nothing");
    return 0;
}

int posix_madvise(void *from, size_t size, int advice) { return (void) from, (void) size, (void) advice, 0; }
