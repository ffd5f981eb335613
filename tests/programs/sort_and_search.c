/* qsort with several orders, of numbers, strings and structures; bsearch for what is there or not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct person { const char *name; int age; };

static int by_value(const void *a, const void *b)
{
    int x = *(const int *) a, y = *(const int *) b;
    return (x > y) - (x < y);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *) a, *(const char *const *) b);
}

static int by_age_then_name(const void *a, const void *b)
{
    const struct person *p = a, *q = b;
    return p->age != q->age ? q->age - p->age : strcmp(p->name, q->name);
}

int main(void)
{
    int numbers[] = { 42, -7, 0, 99, 13, 13, -100, 8, 2147483647 }, i, key;
    const char *words[] = { "pear", "apple", "fig", "banana", "app" };
    struct person people[] = { { "Zoe", 30 }, { "Al", 25 }, { "Bo", 30 }, { "Cy", 41 } };
    qsort(numbers, 9, sizeof *numbers, by_value);
    for (i = 0; i < 9; i++)
        printf("%d ", numbers[i]);
    printf("\n");
    qsort(words, 5, sizeof *words, by_text);
    for (i = 0; i < 5; i++)
        printf("%s ", words[i]);
    printf("\n");
    qsort(people, 4, sizeof *people, by_age_then_name);
    for (i = 0; i < 4; i++)
        printf("%s/%d ", people[i].name, people[i].age);
    printf("\n");
    for (key = 8; key < 14; key += 5) {
        int *found = bsearch(&key, numbers, 9, sizeof *numbers, by_value);
        printf("%d %d\n", found != NULL, found ? *found : -1);
    }
    key = 9;
    printf("%d\n", bsearch(&key, numbers, 9, sizeof *numbers, by_value) == NULL);
    return 0;
}
