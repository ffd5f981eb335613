/* A growing string: append, insert, replace, split, trim, reverse words. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text { char *s; size_t length, room; };

static void reserve(struct text *t, size_t room)
{
    if (room + 1 > t->room) {
        t->room = 2 * (room + 1);
        t->s = realloc(t->s, t->room);
    }
}

static void insert(struct text *t, size_t at, const char *what)
{
    size_t n = strlen(what);
    reserve(t, t->length + n);
    memmove(t->s + at + n, t->s + at, t->length - at);
    memcpy(t->s + at, what, n);
    t->length += n;
    t->s[t->length] = '\0';
}

static int replace(struct text *t, const char *from, const char *to)
{
    int count = 0;
    char *p = t->s;
    while ((p = strstr(p, from)) != NULL) {
        size_t at = p - t->s, gone = strlen(from);
        memmove(p, p + gone, t->length - at - gone + 1);
        t->length -= gone;
        insert(t, at, to);
        p = t->s + at + strlen(to);
        count++;
    }
    return count;
}

static void reverse(char *from, char *to)
{
    while (from < --to) {
        char c = *from;
        *from++ = *to;
        *to = c;
    }
}

int main(void)
{
    struct text t = { NULL, 0, 0 };
    char *word, *end;
    insert(&t, 0, "cat and cat");
    insert(&t, 0, "a ");
    insert(&t, t.length, " sat");
    printf("%s %zu\n", t.s, t.length);
    printf("%d %d\n", replace(&t, "cat", "elephant"), replace(&t, "zzz", ""));
    printf("%s\n", t.s);
    printf("%d ", replace(&t, "a", ""));
    printf("%s\n", t.s);
    reverse(t.s, t.s + t.length);
    for (word = t.s; *word; word = end) {
        while (*word == ' ') word++;
        for (end = word; *end && !isspace((unsigned char) *end); end++)
            ;
        reverse(word, end);
    }
    printf("[%s] %zu\n", t.s, strlen(t.s));
    free(t.s);
    return 0;
}
