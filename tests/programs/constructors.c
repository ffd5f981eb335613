/* Functions that run before and after main. */
#include <stdio.h>
#include <stdlib.h>

static int order;

__attribute__((constructor)) static void second(void) { printf("second %d\n", order++); }
static void first(void) __attribute__((constructor(200)));
static void first(void) { printf("first %d\n", order++); }
__attribute__((__constructor__(300), used)) static int also(void) { return printf("also %d\n", order++); }

__attribute__((destructor)) static void late(void) { printf("late %d\n", order++); }
__attribute__((destructor(500))) static void later(void) { printf("later %d\n", order++); }
__attribute__((destructor)) static void earlier(void) { printf("earlier %d\n", order++); }

static void handler(void) { printf("handler %d\n", order++); }

typedef int wide __attribute__((aligned(16)));
struct holder { char c; wide w; };

int main(int count, char **words)
{
    wide here;
    atexit(handler);
    printf("main %d, %s\n", order++, count ? "called" : words[0]);
    printf("%zu %zu %zu %zu\n", _Alignof(wide), _Alignof(struct holder), sizeof(struct holder),
           __alignof__(here));
    exit(order);
}
