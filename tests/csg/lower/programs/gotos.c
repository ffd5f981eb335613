#include <stdio.h>
int run(const char *code) {
    static const int unused = 0; int acc = 0; const char *p = code;
    void *add = &&do_add, *halt = &&do_halt, *dbl = &&do_double;
next: switch (*p++) { case '+': goto *add; case '*': goto *dbl; default: goto *halt; }
do_add: acc++; goto next;
do_double: acc *= 2; goto next;
do_halt: return acc + unused;
}
int main(void) {
    printf("%d\n", run("++*+*")); int i = 0;
again: if (i < 3) { printf("%d ", i); i++; goto again; }
    { goto inner; i = 100; inner: printf("%d\n", i); }
    for (i = 0; i < 3; i++) { for (int j = 0; j < 3; j++) { if (j == 2) goto next_i; if (i == 2) goto done; printf("%d%d ", i, j); } next_i:; }
done: puts("done"); return 0;
}
