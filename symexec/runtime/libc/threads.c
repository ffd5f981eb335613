/* POSIX threads, one after the other: a new thread runs to its end before its creator goes on.
 *
 *     pthread_mutex_lock(&m)           ->  0
 *     pthread_once(&control, f)        ->  f runs, once
 *     pthread_create(&t, 0, f, p)      ->  f(p) runs, then the destructors of its keys; an event says
 *                                          that other orders are possible
 *     pthread_exit(0), in main         ->  the destructors run, then exit(0)
 *
 * A thread that would wait for another one ends the path as unsupported. */

typedef unsigned long size_t;

extern int sigprocmask(int how, const unsigned long *set, unsigned long *old);
extern void *memset(void *to, int value, size_t n);
extern void __csgtest_unsupported(const char *what) __attribute__((noreturn));

enum { TRY_AGAIN = 11, INVALID = 22, KEYS = 128 };

int pthread_equal(unsigned long a, unsigned long b) { return a == b; }
int sched_yield(void) { return 0; }

int pthread_sigmask(int how, const unsigned long *set, unsigned long *old)
{
    return sigprocmask(how, set, old) ? INVALID : 0;
}

#define ALWAYS_DONE(name) \
    int name(void *object) { return (void) object, 0; }

ALWAYS_DONE(pthread_rwlock_destroy)
ALWAYS_DONE(pthread_spin_destroy)
ALWAYS_DONE(pthread_spin_lock)
ALWAYS_DONE(pthread_spin_unlock)
ALWAYS_DONE(pthread_cond_destroy)
ALWAYS_DONE(pthread_cond_signal)
ALWAYS_DONE(pthread_cond_broadcast)
ALWAYS_DONE(pthread_attr_destroy)
ALWAYS_DONE(pthread_mutexattr_destroy)
ALWAYS_DONE(pthread_condattr_destroy)
ALWAYS_DONE(pthread_rwlockattr_destroy)

#define CLEARED(name, size) \
    int name(void *object, const void *how) { return (void) how, memset(object, 0, size), 0; }


/* glibc keeps the kind where PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP writes it. */
struct mutex {
    int locked, count, owner, users, kind, spins;
    long list[2];
};

enum { RECURSIVE = 1, CHECKED = 2, NOT_PERMITTED = 1, BUSY = 16, DEADLOCK = 35 };

int pthread_mutex_init(struct mutex *mutex, const int *attribute)
{
    memset(mutex, 0, sizeof *mutex);
    mutex->kind = attribute ? *attribute & 3 : 0;
    return 0;
}

int pthread_mutex_destroy(struct mutex *mutex) { return mutex->locked ? BUSY : 0; }

int pthread_mutex_trylock(struct mutex *mutex)
{
    if (mutex->locked && mutex->kind != RECURSIVE)
        return BUSY;
    mutex->locked++;
    return 0;
}

int pthread_mutex_lock(struct mutex *mutex)
{
    if (mutex->locked && mutex->kind == CHECKED)
        return DEADLOCK;
    if (pthread_mutex_trylock(mutex))
        __csgtest_unsupported("waiting for a lock that nobody else will open");
    return 0;
}

int pthread_mutex_unlock(struct mutex *mutex)
{
    if (!mutex->locked)
        return mutex->kind == RECURSIVE || mutex->kind == CHECKED ? NOT_PERMITTED : 0;
    mutex->locked--;
    return 0;
}

struct rwlock {
    int readers, writer, rest[12];
};

int pthread_rwlock_tryrdlock(struct rwlock *lock) { return lock->writer ? BUSY : (lock->readers++, 0); }

int pthread_rwlock_trywrlock(struct rwlock *lock)
{
    return lock->writer | lock->readers ? BUSY : (lock->writer = 1, 0);
}

int pthread_rwlock_rdlock(struct rwlock *lock) { return lock->writer ? DEADLOCK : (lock->readers++, 0); }

int pthread_rwlock_wrlock(struct rwlock *lock)
{
    if (lock->writer)
        return DEADLOCK;
    if (lock->readers)
        __csgtest_unsupported("waiting for a lock that nobody else will open");
    lock->writer = 1;
    return 0;
}

int pthread_rwlock_unlock(struct rwlock *lock)
{
    if (lock->writer)
        lock->writer = 0;
    else if (lock->readers)
        lock->readers--;
    return 0;
}

CLEARED(pthread_rwlock_init, 56)
CLEARED(pthread_cond_init, 48)

int pthread_spin_init(int *lock, int shared) { return (void) shared, *lock = 1, 0; }

#define CLEARED_ATTRIBUTE(name, size) \
    int name(void *object) { return memset(object, 0, size), 0; }

CLEARED_ATTRIBUTE(pthread_attr_init, 56)
CLEARED_ATTRIBUTE(pthread_mutexattr_init, 4)
CLEARED_ATTRIBUTE(pthread_condattr_init, 4)
CLEARED_ATTRIBUTE(pthread_rwlockattr_init, 8)

int pthread_mutexattr_settype(void *attribute, int type)
{
    if (type < 0 || type > 3)
        return INVALID;
    *(int *) attribute = type;
    return 0;
}

int pthread_once(int *control, void (*f)(void))
{
    if (!*control) {
        *control = 2;
        f();
    }
    return 0;
}

/* ---------------------------------------------------------------------- values of a thread */

static struct {
    int used;
    const void *value;
    void (*destroy)(void *);
} keys[KEYS];

int pthread_key_create(unsigned *key, void (*destructor)(void *))
{
    for (unsigned i = 0; i < KEYS; i++)
        if (!keys[i].used) {
            keys[i].used = 1;
            keys[i].value = 0;
            keys[i].destroy = destructor;
            *key = i;
            return 0;
        }
    return TRY_AGAIN;
}

int pthread_key_delete(unsigned key)
{
    if (key >= KEYS || !keys[key].used)
        return INVALID;
    keys[key].used = 0;
    return 0;
}

int pthread_setspecific(unsigned key, const void *value)
{
    if (key >= KEYS || !keys[key].used)
        return INVALID;
    keys[key].value = value;
    return 0;
}

void *pthread_getspecific(unsigned key)
{
    return key < KEYS && keys[key].used ? (void *) keys[key].value : 0;
}

/* A destructor may set values again, PTHREAD_DESTRUCTOR_ITERATIONS times. */
static void destroy_values(void)
{
    int again = 1;
    for (int round = 0; again && round < 4; round++) {
        again = 0;
        for (unsigned i = 0; i < KEYS; i++) {
            void *value = (void *) keys[i].value;
            keys[i].value = 0;
            if (value && keys[i].used && keys[i].destroy) {
                again = 1;
                keys[i].destroy(value);
            }
        }
    }
}

/* ---------------------------------------------------------------------- threads that run */

typedef long place[25]; /* a jmp_buf */
extern int _setjmp(place where);
extern void longjmp(place where, int value) __attribute__((noreturn));
extern void __csgtest_end(int status) __attribute__((noreturn));
extern void __csgtest_approximated(const char *what);

enum { THREADS = 64, NO_SUCH_THREAD = 3, DEADLOCKED = 35, DETACHED = 1 };

static struct thread {
    void *result;
    place end;
    int started, ended, detached;
} threads[THREADS];
static unsigned long started; /* threads but the first */
static unsigned long self = 1;

/* Where pthread_cleanup_push of the threads that run continues, the newest last; each returns to
 * __pthread_unwind_next when its function has run. */
static struct cleanup { long *where; unsigned long owner; } cleanups[THREADS];
static int cleanup_count;

unsigned long pthread_self(void) { return self; }

void __pthread_register_cancel(long *where)
{
    if (cleanup_count == THREADS)
        __csgtest_unsupported("more than 64 cleanup functions");
    cleanups[cleanup_count].where = where;
    cleanups[cleanup_count++].owner = self;
}

void __pthread_unregister_cancel(long *where)
{
    (void) where;
    cleanup_count--;
}

__attribute__((noreturn)) static void unwind(void)
{
    if (cleanup_count && cleanups[cleanup_count - 1].owner == self)
        longjmp(cleanups[--cleanup_count].where, 1);
    if (self > 1)
        longjmp(threads[self - 2].end, 1);
    destroy_values();
    __csgtest_end(0); /* no other thread is left */
}

void __pthread_unwind_next(long *where)
{
    (void) where;
    unwind();
}

void pthread_exit(void *result)
{
    if (self > 1)
        threads[self - 2].result = result;
    unwind();
}

int pthread_create(unsigned long *thread, const void *attributes, void *(*start)(void *), void *argument)
{
    unsigned long creator = self, number = started + 2;
    const void *values[KEYS];
    if (started == THREADS)
        __csgtest_unsupported("more than 64 threads");
    __csgtest_approximated("threads run one after the other, each when it is made");
    struct thread *made = &threads[started++];
    made->started = 1;
    made->detached = attributes && ((const int *) attributes)[2] & DETACHED;
    *thread = number;
    for (int i = 0; i < KEYS; i++) {
        values[i] = keys[i].value;
        keys[i].value = 0;
    }
    self = number;
    if (!_setjmp(made->end))
        made->result = start(argument);
    destroy_values();
    self = creator;
    for (int i = 0; i < KEYS; i++)
        keys[i].value = values[i];
    made->ended = 1;
    return 0;
}

static struct thread *known(unsigned long thread)
{
    return thread - 2 < started && threads[thread - 2].started ? &threads[thread - 2] : 0;
}

int pthread_join(unsigned long thread, void **result)
{
    struct thread *joined = known(thread);
    if (thread == self)
        return DEADLOCKED;
    if (!joined)
        return NO_SUCH_THREAD;
    if (joined->detached)
        return INVALID;
    if (!joined->ended)
        __csgtest_unsupported("waiting for the thread that made this one");
    joined->started = 0;
    if (result)
        *result = joined->result;
    return 0;
}

int pthread_detach(unsigned long thread)
{
    struct thread *one = known(thread);
    if (!one)
        return thread == 1 ? 0 : NO_SUCH_THREAD;
    one->detached = 1;
    return 0;
}
