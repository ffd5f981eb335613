/* C17 7.26, semaphores, and what threads can be asked, while threads run one after the other (threads.c).
 *
 *     mtx_lock(&m)       ->  thrd_success
 *     sem_trywait(&s)    ->  -1, errno EAGAIN, when it stands at 0 */

typedef unsigned long size_t;

struct timespec { long seconds, nanoseconds; };

extern int __csgtest_errno;
extern int pthread_mutex_init(void *mutex, const int *attribute);
extern int pthread_mutex_destroy(void *mutex);
extern int pthread_mutex_lock(void *mutex);
extern int pthread_mutex_trylock(void *mutex);
extern int pthread_mutex_unlock(void *mutex);
extern int pthread_key_create(unsigned *key, void (*destructor)(void *));
extern int pthread_key_delete(unsigned key);
extern int pthread_setspecific(unsigned key, const void *value);
extern void *pthread_getspecific(unsigned key);
extern int pthread_once(int *control, void (*f)(void));
extern void *memset(void *to, int value, size_t n);
extern void *memcpy(void *to, const void *from, size_t n);
extern size_t strlen(const char *s);
extern void __csgtest_approximated(const char *what);
extern void __csgtest_unsupported(const char *what) __attribute__((noreturn));

enum { SUCCESS, BUSY, ERROR, NOT_ENOUGH, TIMED_OUT };
enum { NO_PROCESS = 3, TRY_AGAIN = 11, BUSY_LOCK = 16, INVALID = 22, OUT_OF_RANGE = 34, TOO_LARGE = 75 };
enum { NOT_SUPPORTED = 95, TIME_IS_UP = 110, PLAIN = 0, RECURSIVE = 1, TIMED = 2 };

static void for_ever(void) { __csgtest_unsupported("waiting for a thread that is not there"); }

/* ---------------------------------------------------------------------- threads.h */

int mtx_init(void *mutex, int type)
{
    int kind = type & RECURSIVE;
    return type & ~3 ? ERROR : (pthread_mutex_init(mutex, &kind), SUCCESS);
}

static int told(int number)
{
    return !number ? SUCCESS : number == BUSY_LOCK ? BUSY : number == TIME_IS_UP ? TIMED_OUT : ERROR;
}

void mtx_destroy(void *mutex) { pthread_mutex_destroy(mutex); }
int mtx_lock(void *mutex) { return told(pthread_mutex_lock(mutex)); }
int mtx_trylock(void *mutex) { return told(pthread_mutex_trylock(mutex)); }
int mtx_unlock(void *mutex) { return told(pthread_mutex_unlock(mutex)); }

static int no_time(const struct timespec *t) { return (unsigned long) t->nanoseconds > 999999999; }

/* Whoever waits for itself waits until the time is up. */
int pthread_mutex_timedlock(void *mutex, const struct timespec *until)
{
    if (!pthread_mutex_trylock(mutex))
        return 0;
    return no_time(until) ? INVALID : TIME_IS_UP;
}

int mtx_timedlock(void *mutex, const struct timespec *until) { return told(pthread_mutex_timedlock(mutex, until)); }

int cnd_init(void *condition) { return memset(condition, 0, 48), SUCCESS; }
void cnd_destroy(void *condition) { (void) condition; }
int cnd_signal(void *condition) { return (void) condition, SUCCESS; }
int cnd_broadcast(void *condition) { return (void) condition, SUCCESS; }
int cnd_wait(void *condition, void *mutex) { return (void) condition, (void) mutex, for_ever(), SUCCESS; }

int pthread_cond_wait(void *condition, void *mutex) { return cnd_wait(condition, mutex); }
int pthread_cond_timedwait(void *condition, void *mutex, const struct timespec *until)
{
    (void) condition, (void) mutex;
    return no_time(until) ? INVALID : TIME_IS_UP;
}

int cnd_timedwait(void *condition, void *mutex, const struct timespec *until)
{
    return told(pthread_cond_timedwait(condition, mutex, until));
}

int tss_create(unsigned *key, void (*destructor)(void *)) { return told(pthread_key_create(key, destructor)); }
void tss_delete(unsigned key) { pthread_key_delete(key); }
int tss_set(unsigned key, void *value) { return told(pthread_setspecific(key, value)); }
void *tss_get(unsigned key) { return pthread_getspecific(key); }
void call_once(int *control, void (*f)(void)) { pthread_once(control, f); }

extern unsigned long pthread_self(void);
extern int pthread_create(unsigned long *thread, const void *how, void *(*start)(void *), void *argument);
extern int pthread_join(unsigned long thread, void **result);
extern int pthread_detach(unsigned long thread);
extern void pthread_exit(void *result) __attribute__((noreturn));

/* A function that returns an int leaves it where one that returns a pointer leaves its lower half. */
struct begun { int (*start)(void *); void *argument; };
static void *with_number(void *begun)
{
    struct begun *one = begun;
    return (void *) (long) one->start(one->argument);
}

int thrd_create(unsigned long *thread, int (*start)(void *), void *argument)
{
    struct begun one = {start, argument}; /* the thread ends before this does */
    return told(pthread_create(thread, 0, with_number, &one));
}

int thrd_join(unsigned long thread, int *result)
{
    void *found = 0;
    int number = pthread_join(thread, &found);
    if (result && !number)
        *result = (int) (long) found;
    return told(number);
}

int thrd_detach(unsigned long thread) { return told(pthread_detach(thread)); }
void thrd_exit(int result) { pthread_exit((void *) (long) result); }

unsigned long thrd_current(void) { return pthread_self(); }
int thrd_equal(unsigned long a, unsigned long b) { return a == b; }
void thrd_yield(void) {}
int thrd_sleep(const struct timespec *asked, struct timespec *left)
{
    (void) left;
    return asked->seconds < 0 || no_time(asked) ? -2 : 0;
}

/* ---------------------------------------------------------------------- semaphores */

struct semaphore { unsigned value; int rest[7]; };

static int fails(int number)
{
    __csgtest_errno = number;
    return -1;
}

int sem_init(struct semaphore *s, int shared, unsigned value)
{
    (void) shared;
    if (value > 0x7fffffff)
        return fails(INVALID);
    memset(s, 0, sizeof *s);
    s->value = value;
    return 0;
}

int sem_destroy(struct semaphore *s) { return (void) s, 0; }
int sem_getvalue(struct semaphore *s, int *to) { return *to = (int) s->value, 0; }
int sem_trywait(struct semaphore *s) { return s->value ? (s->value--, 0) : fails(TRY_AGAIN); }

int sem_wait(struct semaphore *s)
{
    if (!s->value)
        for_ever();
    s->value--;
    return 0;
}

int sem_timedwait(struct semaphore *s, const struct timespec *until)
{
    if (no_time(until))
        return fails(INVALID);
    return s->value ? (s->value--, 0) : fails(TIME_IS_UP);
}

int sem_post(struct semaphore *s) { return s->value == 0x7fffffff ? fails(TOO_LARGE) : (s->value++, 0); }

/* ---------------------------------------------------------------------- attributes, as glibc keeps them */

struct attributes {
    int priority, policy, flags, unused;
    size_t guard;
    void *end;
    size_t size;
    long rest[2];
};

enum { DETACHED = 1, EXPLICIT = 2, OF_PROCESS = 4, LEAST_STACK = 16384 };

static int flag(struct attributes *a, int value, int which)
{
    if (value & ~1)
        return INVALID;
    a->flags = value ? a->flags | which : a->flags & ~which;
    return 0;
}

int pthread_attr_setdetachstate(struct attributes *a, int to) { return flag(a, to, DETACHED); }
int pthread_attr_setinheritsched(struct attributes *a, int to) { return flag(a, to, EXPLICIT); }
int pthread_attr_getdetachstate(const struct attributes *a, int *to) { return *to = a->flags & DETACHED, 0; }
int pthread_attr_getinheritsched(const struct attributes *a, int *to) { return *to = (a->flags & EXPLICIT) != 0, 0; }
int pthread_attr_getscope(const struct attributes *a, int *to) { return *to = (a->flags & OF_PROCESS) != 0, 0; }
int pthread_attr_setscope(struct attributes *a, int to)
{
    return to == 1 ? NOT_SUPPORTED : to ? INVALID : (a->flags &= ~OF_PROCESS, 0);
}

int pthread_attr_setguardsize(struct attributes *a, size_t to) { return a->guard = to, 0; }
int pthread_attr_getschedpolicy(const struct attributes *a, int *to) { return *to = a->policy, 0; }
int pthread_attr_setschedpolicy(struct attributes *a, int to)
{
    return (unsigned) to > 2 ? INVALID : (a->policy = to, 0);
}

int pthread_attr_getschedparam(const struct attributes *a, int *to) { return *to = a->priority, 0; }
int pthread_attr_setstacksize(struct attributes *a, size_t to)
{
    return to < LEAST_STACK ? INVALID : (a->size = to, 0);
}

int pthread_attr_getstacksize(const struct attributes *a, size_t *to)
{
    if (!a->size) /* as large as the process may have one: 8 MB in replay */
        __csgtest_approximated("the stack of a thread has 8 MB");
    return *to = a->size ? a->size : 8 << 20, 0;
}

int pthread_mutexattr_gettype(const int *a, int *to) { return *to = *a & 3, 0; }
int pthread_mutexattr_getpshared(const unsigned *a, int *to) { return *to = *a >> 31, 0; }
int pthread_mutexattr_setpshared(unsigned *a, int to)
{
    if (to & ~1)
        return INVALID;
    *a = to ? *a | 1u << 31 : *a & ~(1u << 31);
    return 0;
}

int pthread_condattr_getclock(const int *a, int *to) { return *to = *a >> 1 & 1, 0; }
int pthread_condattr_setclock(int *a, int to) { return to & ~1 ? INVALID : (*a = (*a & ~2) | to << 1, 0); }
int pthread_condattr_getpshared(const int *a, int *to) { return *to = *a & 1, 0; }
int pthread_condattr_setpshared(int *a, int to) { return to & ~1 ? INVALID : (*a = (*a & ~1) | to, 0); }

/* ---------------------------------------------------------------------- the thread itself */

static char name[16];

static void is_this(unsigned long thread)
{
    if (thread != 1 || pthread_self() != 1)
        __csgtest_unsupported("the name of another thread");
}

int pthread_setname_np(unsigned long thread, const char *to)
{
    is_this(thread);
    size_t n = strlen(to) + 1;
    return n > sizeof name ? OUT_OF_RANGE : (memcpy(name, to, n), 0);
}

int pthread_getname_np(unsigned long thread, char *to, size_t room)
{
    is_this(thread);
    if (room < sizeof name)
        return OUT_OF_RANGE;
    if (!*name)
        __csgtest_unsupported("the name that the system gives to a process");
    memcpy(to, name, strlen(name) + 1);
    return 0;
}

static int change(int *of, int to, int *before)
{
    if (to & ~1)
        return INVALID;
    if (before)
        *before = *of;
    *of = to;
    return 0;
}

int pthread_setcancelstate(int to, int *before)
{
    static int state;
    return change(&state, to, before);
}

int pthread_setcanceltype(int to, int *before)
{
    static int type;
    return change(&type, to, before);
}

void pthread_testcancel(void) {} /* nobody asks for it */

int pthread_atfork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void))
{
    if (before || in_parent || in_child)
        __csgtest_approximated("functions of pthread_atfork never run: fork has no model");
    return 0;
}
