/* exit from within calls; the code is taken modulo 256. */
#include <stdio.h>
#include <stdlib.h>

static void bye(void) { printf("bye\n"); }

static int dig(int depth)
{
    if (depth == 0) {
        printf("bottom\n");
        exit(300);
    }
    return dig(depth - 1) + 1;
}

int main(void)
{
    atexit(bye);
    printf("%d\n", dig(10));
    return 0;
}
