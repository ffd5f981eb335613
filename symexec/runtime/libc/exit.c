/* Normal termination, C17 7.22.4: handlers run in the reverse of their order. */

/* Effects of calls, as csg/ir/library_effects.py reads them:
 *     exit: code, output
 *     quick_exit: code, output */

typedef void handler(void);
typedef void handler_with(int, void *);

extern void __csgtest_exit(int status) __attribute__((noreturn));
extern void _Exit(int status) __attribute__((noreturn));

enum { ROOM = 256 }; /* the standard asks for 32 */

struct last_wish {
    handler *plain;
    handler_with *with;
    void *extra;
};

static struct last_wish wishes[ROOM], quick_wishes[ROOM];
static int wish_count, quick_count;

int atexit(handler *f)
{
    if (wish_count == ROOM)
        return -1;
    wishes[wish_count++].plain = f;
    return 0;
}

int on_exit(handler_with *f, void *extra)
{
    if (wish_count == ROOM)
        return -1;
    wishes[wish_count].with = f;
    wishes[wish_count++].extra = extra;
    return 0;
}

int at_quick_exit(handler *f)
{
    if (quick_count == ROOM)
        return -1;
    quick_wishes[quick_count++].plain = f;
    return 0;
}

/* What returning from main is, even where the program has an exit of its own. */
void __csgtest_end(int status)
{
    while (wish_count) { /* a handler may register more */
        struct last_wish *wish = &wishes[--wish_count];
        if (wish->plain)
            wish->plain();
        else
            wish->with(status, wish->extra);
    }
    __csgtest_exit(status);
}

void exit(int status) { __csgtest_end(status); }

void quick_exit(int status)
{
    while (quick_count)
        quick_wishes[--quick_count].plain();
    _Exit(status); /* nothing is flushed */
}
