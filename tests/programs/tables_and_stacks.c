// args: b a c b
/* obstack, hsearch, lsearch, environment variables, wide text, signals: seldom seen library parts. */
#define _GNU_SOURCE
#include <obstack.h>
#include <search.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#define obstack_chunk_alloc malloc
#define obstack_chunk_free free

static void stacks(void)
{
    struct obstack words;
    obstack_init(&words);
    char *first = obstack_copy0(&words, "first", 5);
    for (int i = 0; i < 900; i++)
        obstack_grow(&words, "0123456789", 10);
    obstack_1grow(&words, 0);
    char *grown = obstack_finish(&words);
    obstack_printf(&words, "%d-%s", 42, first);
    obstack_1grow(&words, 0);
    char *printed = obstack_finish(&words);
    printf("%s %zu %s\n", first, strlen(grown), printed);
    obstack_free(&words, grown);
    int *numbers = obstack_alloc(&words, 3 * sizeof *numbers);
    numbers[2] = 7;
    printf("%d %d\n", numbers[2], obstack_object_size(&words));
    obstack_free(&words, NULL);
}

static int same(const void *a, const void *b) { return strcmp(a, b); }

static void tables(int argc, char **argv)
{
    char items[8][4] = {"x"};
    size_t n = 1;
    hcreate(10);
    for (int i = 1; i < argc; i++) {
        ENTRY item = {argv[i], (void *) (long) i};
        ENTRY *found = hsearch(item, FIND);
        printf("%s %ld\n", argv[i], found ? (long) found->data : -1L);
        hsearch(item, ENTER);
        char word[4] = "";
        strcpy(word, argv[i]);
        lsearch(word, items, &n, sizeof *items, same);
    }
    hdestroy();
    printf("%zu %s\n", n, items[n - 1]);
}

static volatile int seen;
static void note(int number) { seen = number; }

int main(int argc, char **argv)
{
    wchar_t wide[40];
    char text[40];
    time_t when = 951827696;
    stacks();
    tables(argc, argv);
    setenv("CSG", "one", 1);
    setenv("CSG", "two", 0);
    printf("%s\n", getenv("CSG"));
    printf("%d\n", unsetenv("CSG"));
    printf("%d %s\n", getenv("CSG") == NULL, getenv("LC_ALL_") ? "set" : "unset");
    signal(SIGUSR1, note);
    kill(getpid(), SIGUSR1);
    printf("%d %s\n", seen, strsignal(seen));
    printf("%d\n", swprintf(wide, 40, L"%d %ls %c", 5, L"wide", 'z'));
    printf("%zu %ls|%.2ls|%6ls\n", wcslen(wide), wide, wide, L"end");
    strftime(text, sizeof text, "%F %T %a %j", gmtime(&when));
    puts(text);
    return 0;
}
