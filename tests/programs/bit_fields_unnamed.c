/* A bit-field of no width at the end of a record, which stands behind its last byte. */
#include <stdio.h>
struct s { unsigned a : 8; int : 0; };
struct t { char c; int : 5; short d; long : 0; };
int main(void) { struct s x = { 3 }; struct t y = { 1, 2 }, z; z = y; printf("%u %d %zu %zu\n", x.a, z.c + z.d, sizeof x, sizeof y); return 0; }
