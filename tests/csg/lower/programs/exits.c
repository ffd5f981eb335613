#include <stdio.h>
#include <stdlib.h>
static void die(int n) { printf("dying %d\n", n); exit(n); } int check(int x) { if (x > 3) die(x); return x; }
int main(void) { for (int i = 0;; i++) printf("%d\n", check(i)); }
