#include <assert.h>
#include <stdio.h>
int half(int x) { assert(x % 2 == 0 && "even"); return x / 2; } int main(void) { printf("%d\n", half(4)); assert(half(2)); return half(6); }
