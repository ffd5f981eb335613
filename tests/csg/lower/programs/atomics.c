#include <stdio.h>
int n = 5; int main(void) { int old = __sync_fetch_and_add(&n, 3); printf("%d %d\n", old, n); printf("%d\n", __sync_add_and_fetch(&n, 1)); return 0; }
