/* Assertions that hold cost nothing and print nothing; the last one does not hold. */
#include <assert.h>
#include <stdio.h>

static int calls;
static int check(int x) { calls++; return x; }

int main(void)
{
    int i;
    for (i = 0; i < 5; i++)
        assert(i >= 0 && check(i < 5));
    assert(calls == 5 && "all of them");
    printf("%d\n", calls);
    fflush(stdout);
    assert(check(calls) == 7);
    printf("not here\n");
    return 0;
}
