/* Functions and objects that go by several names, or by none. */
#include <stdio.h>

int original = 5;
extern int other __attribute__((alias("original")));

static int doubled(int x) { return x * 2; }
int twice(int) __attribute__((alias("doubled")));
static __typeof__(doubled) again __attribute__((alias("doubled")));

int renamed(int) __asm__("plus" "_one");
int plus_one(int x) { return x + 1; }

int standing_in(void) __attribute__((weak));
int standing_in(void) { return 3; }

extern int missing(int) __attribute__((weak));
extern int missing_object __attribute__((weak));
static int (*const table[])(int) = { twice, missing, renamed };

int main(void)
{
    other++;
    printf("%d %d %d\n", original, other, &other == &original);
    printf("%d %d %d\n", twice(4), again(5), twice == doubled);
    printf("%d\n", renamed(4));
    printf("%d %d %d\n", standing_in(), missing != 0, &missing_object != 0);
    for (int i = 0; i < 3; i++)
        if (table[i])
            printf("%d ", table[i](10));
    puts("");
    return missing ? missing(1) : 7;
}
