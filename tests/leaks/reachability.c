/* What nothing points to at the end is lost. Marks stand where it was allocated. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    struct node *next;
    int value[6];
};

static char *kept;
static void *table[4];
static _Thread_local char *own;
static struct { int before; char *inside; } record;
static char *freed_at_the_end;

static void last(void) { free(freed_at_the_end); }

static struct node *list(int n)
{
    struct node *head = 0;
    while (n--) {
        struct node *fresh = malloc(sizeof *fresh);             // error: leak
        fresh->next = head;
        head = fresh;
    }
    return head;
}

static void use(char *p) { p[0] = 1; }

static void leave(int x)
{
    char *local = malloc(5);
    use(local);
    if (x == 8)
        exit(0);
    free(local);
    local = malloc(6);                                          // error: leak
    local = 0;
    exit(0);
}

static void symbolic(int x)
{
    void *first = malloc(1), *second = malloc(2);               // error: leak
    table[1] = x > 20 ? first : second;
    if (x == 22)
        table[1] = 0;
}

// range: x=0..31
int f(int x)
{
    char *p = 0, *q = 0;
    switch (x) {
    case 0:
        use(malloc(3));                                         // error: leak
        break;
    case 1: kept = malloc(3); use(kept); break;
    case 2: own = malloc(3); break;
    case 3: record.inside = malloc(3); break;
    case 4: kept = (char *) malloc(30) + 29; break;
    case 5:
        kept = (char *) malloc(32) + 32;                        // error: leak
        break;
    case 6: table[2] = list(3); break;
    case 7: table[3] = list(3)->next; break;
    case 8: leave(x); break;
    case 9: leave(x); break;
    case 10: atexit(last); freed_at_the_end = malloc(3); break;
    case 11: {
        struct node *a = malloc(sizeof *a), *b = malloc(sizeof *b); // error: leak
        a->next = b;
        b->next = a;
        break;
    }
    case 12:
        p = malloc(9);
        free(p);
        break;
    case 13:
        p = realloc(malloc(9), 100);
        free(p);
        break;
    case 14:
        p = strdup("text");                                     // error: leak
        p = strdup("more");
        free(p);
        break;
    case 15: {
        static char *remembered;
        remembered = strdup("text");
        break;
    }
    case 16:
        q = malloc(4);                                          // error: leak
        memcpy(&kept, &q, sizeof q);
        kept = 0;
        break;
    case 17: {
        uintptr_t hidden;
        q = malloc(4);
        hidden = (uintptr_t) q;
        memcpy(&table[0], &hidden, sizeof hidden);
        break;
    }
    case 18:
        if (!fopen("/dev/null", "r")) /* the library knows of it */
            return 1;
        break;
    case 19: {
        FILE *null = fopen("/dev/null", "w");
        setvbuf(null, malloc(64), _IOFBF, 64);
        break;
    }
    case 20: case 21: case 22:
        symbolic(x);
        break;
    case 23:
        if (asprintf(&p, "%d", x) < 0)                          // error: leak
            return 1;
        p = 0;
        break;
    case 24: abort();
    case 25: putenv(strdup("HOME=nowhere")); break;
    case 26: putenv(strdup("NEW=nowhere")); break;
    case 27: setenv("NEW", "value", 1); break;
    case 28: kept = malloc(3); kept = 0; _Exit(3);
    case 29: kept = malloc(3); kept = 0; quick_exit(0);
    case 30: {
        struct node *all = list(2);
        table[0] = all;
        all->next = (void *) all->value;
        break;
    }
    default: break;
    }
    return 0;
}
