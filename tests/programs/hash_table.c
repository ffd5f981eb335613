/* A hash table with chains: counts words, grows, removes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry { char *key; int count; struct entry *next; };
struct table { struct entry **slots; unsigned size, used; };

static unsigned hash(const char *s)
{
    unsigned h = 5381;
    while (*s)
        h = h * 33 ^ (unsigned char) *s++;
    return h;
}

static void grow(struct table *t)
{
    unsigned size = t->size ? 2 * t->size : 4, i;
    struct entry **slots = calloc(size, sizeof *slots), *e, *next;
    for (i = 0; i < t->size; i++)
        for (e = t->slots[i]; e; e = next) {
            struct entry **slot = &slots[hash(e->key) % size];
            next = e->next;
            e->next = *slot;
            *slot = e;
        }
    free(t->slots);
    t->slots = slots;
    t->size = size;
}

static struct entry *get(struct table *t, const char *key)
{
    struct entry *e;
    if (t->used >= t->size)
        grow(t);
    for (e = t->slots[hash(key) % t->size]; e; e = e->next)
        if (!strcmp(e->key, key))
            return e;
    e = malloc(sizeof *e);
    e->key = malloc(strlen(key) + 1);
    strcpy(e->key, key);
    e->count = 0;
    e->next = t->slots[hash(key) % t->size];
    t->slots[hash(key) % t->size] = e;
    t->used++;
    return e;
}

int main(void)
{
    static const char text[] = "the cat and the dog and the bird saw a cat that saw the end";
    struct table t = { NULL, 0, 0 };
    char word[16];
    const char *p = text;
    unsigned i;
    while (*p) {
        size_t length = strcspn(p, " ");
        memcpy(word, p, length);
        word[length] = '\0';
        get(&t, word)->count++;
        p += length + (p[length] == ' ');
    }
    printf("%u %u\n", t.used, t.size);
    printf("%d %d %d\n", get(&t, "the")->count, get(&t, "cat")->count, get(&t, "cow")->count);
    for (i = 0; i < t.size; i++)
        while (t.slots[i]) {
            struct entry *e = t.slots[i];
            printf("%s:%d ", e->key, e->count);
            t.slots[i] = e->next;
            free(e->key);
            free(e);
        }
    free(t.slots);
    printf("\n");
    return 0;
}
