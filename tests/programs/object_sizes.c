/* What __builtin_object_size knows without optimisation. */
#include <alloca.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct s { char a[8]; int b; char c[12]; char tail[]; } g;
struct pair { struct { char x[4]; char y[6]; } in[2]; } pair;
extern struct unknown elsewhere;
extern char later[];
char array[10];
int grid[3][5];
enum { TWO = 2 };

#define SIZE(e...) \
    printf("%-18s %zd %zd %zd %zd\n", #e, __builtin_object_size(e, 0), __builtin_object_size(e, 1), \
           __builtin_object_size(e, 2), __builtin_object_size(e, 3))

static void of_locals(char *p, char q[5], int i)
{
    char l[7], *same = l, v[i];
    static char st[3];
    const char *text = "hello";
    int x;
    SIZE(l); SIZE(&l[2]); SIZE(l + 2); SIZE(2 + l); SIZE(l + TWO); SIZE(l + sizeof x); SIZE(l + i);
    SIZE(&l[i]); SIZE(l + 7); SIZE(l + 8); SIZE(l - 1); SIZE(&l); SIZE(&l + 1); SIZE(&l[1] + 2);
    SIZE(l + (i ? 1 : 2)); SIZE((i, l)); SIZE(&*l); SIZE(i ? l : array); SIZE(same); SIZE(same + 1);
    SIZE(p); SIZE(&p); SIZE(q); SIZE(v); SIZE(st); SIZE(&x); SIZE(&x + 1); SIZE(text); SIZE("hello");
    SIZE("hello" + 1); SIZE(__func__); SIZE(malloc(5)); SIZE(alloca(6)); SIZE((char[]){1, 2, 3});
    SIZE(strcpy(l, "")); SIZE((void *) 0); SIZE(of_locals);
    printf("%zd %zd\n", __builtin_dynamic_object_size(l, 0), __builtin_dynamic_object_size(p, 2));
}

static void of_parts(struct s *r, int i)
{
    SIZE(g.a); SIZE(&g.a); SIZE(g.a + 3); SIZE(g.a + i); SIZE(&g.b); SIZE(g.c); SIZE(g.c + 1);
    SIZE(&g.c[20]); SIZE(&g.c[-2]); SIZE(g.tail); SIZE(&g); SIZE((char *) &g); SIZE((char *) &g + 4);
    SIZE(r); SIZE(r->a); SIZE(&r->b); SIZE(r->tail); SIZE(r->c + 2); SIZE(&r->a[3]);
    SIZE(grid); SIZE(grid[1]); SIZE(&grid[1][2]); SIZE(&grid[0][7]); SIZE((char *) grid + 3);
    SIZE(pair.in[1].x); SIZE(&pair.in[1].y[2]); SIZE(pair.in[i].x); SIZE(&pair.in[i]);
    SIZE(&elsewhere); SIZE(later); SIZE((struct s *) array);
}

struct unknown { int n; } elsewhere;
char later[6];

int main(void)
{
    struct s r = {{0}};
    of_locals(array + 1, array, 3);
    of_parts(&r, 3);
    return 0;
}
