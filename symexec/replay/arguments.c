/* Linked to sanitized builds of programs that start in main: what they are given stands in memory with
 * red zones around it.
 *
 *     argv[1][strlen(argv[1]) + 1]     argv[argc + 1]     environ[0][999]     heap-buffer-overflow
 *
 * The system puts all texts one behind the other, and the pointers to the environment behind those to
 * the arguments: a sanitizer sees no end of any. Copies are made before main; leaks.c, which has a
 * main of its own, asks for them. What is told to the sanitizers and to us in this way, and has been
 * read by then, is no part of the environment any more. */
#define _GNU_SOURCE
#include <stdlib.h>

#include "texts.h"

#define WEAK __attribute__((weak))

extern char **environ;
extern int __real_main(int, char **, char **) WEAK;
extern void *__asan_region_is_poisoned(void *, size_t) WEAK;

static char **roots[2]; /* what is copied stays known, whatever the program makes of its arguments */

static int is_ours(const char *text)
{
    return !strncmp(text, "ASAN_OPTIONS=", 13) || !strncmp(text, "UBSAN_OPTIONS=", 14)
           || !strncmp(text, "CSGTEST_LEAKS=", 14);
}

/* A list of texts that ends with NULL, copied; as it is where there is no memory for it. */
static char **guarded(char **list, char ***root)
{
    size_t count = 0;
    while (list[count])
        count++;
    if (!__asan_region_is_poisoned)
        return list; /* nobody would see red zones, and malloc may be the program's own */
    char **copies = malloc((count + 1) * sizeof *copies);
    *root = malloc((count + 1) * sizeof *copies);
    for (size_t i = 0; copies && *root && i < count; i++) {
        size_t size = strlen(list[i]) + 1;
        copies[i] = (*root)[i] = malloc(size);
        if (!copies[i])
            return list;
        memcpy(copies[i], list[i], size);
    }
    if (!copies || !*root)
        return list;
    copies[count] = NULL;
    (*root)[count] = (char *) copies;
    return copies;
}

char **csgtest_guarded(char **argv)
{
    char **kept = environ;
    if (environ) {
        for (char **each = environ; *each; each++)
            if (!is_ours(*each))
                *kept++ = *each;
        *kept = NULL;
        environ = guarded(environ, &roots[0]);
    }
    return guarded(argv, &roots[1]);
}

WEAK int __wrap_main(int argc, char **argv, char **settings)
{
    (void) settings;
    argv = csgtest_guarded(argv);
    return __real_main(argc, argv, environ);
}
