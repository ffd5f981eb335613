/* Pointers: arithmetic, difference, comparison, pointers to pointers and to arrays. */
#include <stddef.h>
#include <stdio.h>

static void swap(int *a, int *b)
{
    int t = *a;
    *a = *b;
    *b = t;
}

static void move(int **p, int by) { *p += by; }

int main(void)
{
    int a[8] = { 3, 1, 4, 1, 5, 9, 2, 6 };
    int *p = a, *q = &a[8], *middle;
    int (*row)[4] = (int (*)[4]) a;
    const char *s = "hello";
    ptrdiff_t d = q - p;

    printf("%td %d %d\n", d, p < q, p == a);
    middle = p + (q - p) / 2;
    printf("%d %d %d\n", *middle, middle[-1], 2[a]);
    swap(&a[0], a + 7);
    printf("%d %d\n", a[0], a[7]);
    move(&p, 3);
    printf("%d ", *p++);
    printf("%td\n", p - a);
    printf("%d\n", *--p);
    printf("%d %d %d\n", row[0][3], row[1][0], (*(row + 1))[3]);
    while (*s)
        putchar(*s++ - 32);
    putchar('\n');
    {
        int **pp = &p, ***ppp = &pp;
        ***ppp = 77;
        printf("%d %d\n", a[3], **pp);
    }
    {
        void *v = a;
        char *bytes = v;
        printf("%d %d\n", bytes[0], *(int *) (bytes + 4));
        p = NULL;
    printf("%d %d\n", v == (void *) a, p == NULL);
    }
    printf("%d\n", !p);
    return 0;
}
