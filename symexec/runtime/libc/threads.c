/* POSIX threads while there is one thread: nothing is ever locked by another, nothing waits.
 *
 *     pthread_mutex_lock(&m)        ->  0
 *     pthread_once(&control, f)     ->  f runs, once
 *
 * Starting a second thread has no model: it ends the path as unsupported. */

/* Effects of calls, as csg/ir/library_effects.py reads them:
 *     pthread_self: nothing */

typedef unsigned long size_t;

extern int sigprocmask(int how, const unsigned long *set, unsigned long *old);
extern void *memset(void *to, int value, size_t n);
extern void __csgtest_unsupported(const char *what) __attribute__((noreturn));

enum { TRY_AGAIN = 11, INVALID = 22, KEYS = 128 };

unsigned long pthread_self(void) { return 1; }
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
} keys[KEYS];

int pthread_key_create(unsigned *key, void (*destructor)(void *))
{
    (void) destructor; /* the main thread's values are not destroyed at exit */
    for (unsigned i = 0; i < KEYS; i++)
        if (!keys[i].used) {
            keys[i].used = 1;
            keys[i].value = 0;
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
