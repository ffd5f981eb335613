/* Static locals, shadowing, scopes, extern within a function, tentative definitions. */
#include <stdio.h>

int shared;
int shared;
static int hidden = 1;

static int counter(void)
{
    static int count = 100;
    return count++;
}

static int other(void)
{
    static int count;
    {
        static int count = 7;
        count *= 2;
        if (count > 50)
            return count;
    }
    return ++count;
}

static int sees(void)
{
    extern int shared;
    int hidden = shared + 1;
    {
        int hidden = 50;
        shared += hidden;
    }
    return hidden;
}

int main(void)
{
    int i;
    for (i = 0; i < 3; i++)
        printf("%d %d %d\n", counter(), other(), sees());
    printf("%d %d\n", shared, hidden);
    for (int i = 0; i < 2; i++) {
        int hidden = i;
        printf("%d ", hidden);
    }
    printf("%d %d\n", i, hidden);
    return 0;
}
