// args: 3
/* setjmp and longjmp: out of nested calls, more than once, with 0, with a mask, as exceptions. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf top;
static jmp_buf *handler;

static void fail(int code)
{
    char local[40];
    sprintf(local, "failing with %d", code);
    puts(local);
    longjmp(handler ? *handler : top, code);
}

static int deep(int n)
{
    int kept[3] = {n, n + 1, n + 2};
    if (n == 0)
        fail(7);
    return deep(n - 1) + kept[1];
}

static int guarded(int n)
{
    jmp_buf here, *outer = handler;
    volatile int tries = 0;
    int code = setjmp(here);
    handler = &here;
    if (code < 2 && tries < 3) {
        tries++;
        if (n % 2)
            fail(code);
        deep(n);
    }
    handler = outer;
    return code * 10 + tries;
}

static void forth_and_back(void)
{
    jmp_buf buf;
    volatile int count = 0;
    switch (setjmp(buf)) {
    case 0:
        longjmp(buf, 0);
    case 1:
        count++;
        longjmp(buf, 2);
    case 2:
        count += 10;
        if (count < 40)
            longjmp(buf, 2);
    }
    printf("count %d\n", count);
}

int main(int argc, char **argv)
{
    volatile int rounds = 0;
    sigjmp_buf with_mask;
    forth_and_back();
    for (int i = 0; i < 4; i++)
        printf("guarded %d\n", guarded(i));
    if (sigsetjmp(with_mask, 1) == 0)
        siglongjmp(with_mask, 5);
    int code = setjmp(top);
    printf("top %d %d\n", code, rounds);
    if (rounds++ < atoi(argv[argc - 1]))
        deep(rounds);
    return rounds;
}
