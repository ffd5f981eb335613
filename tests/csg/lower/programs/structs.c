#include <stdio.h>
struct point { int x, y; }; struct line { struct point a, b; char tag[5]; }; struct big { long v[6]; };
struct point make(int x, int y) { struct point p = {x, y}; return p; }
struct point add(struct point a, struct point b) { a.x += b.x; a.y += b.y; return a; }
struct big fill(int n) { struct big b; for (int i = 0; i < 6; i++) b.v[i] = n * i; return b; }
long sum(struct big b, int k) { b.v[0] = k; long s = 0; for (int i = 0; i < 6; i++) s += b.v[i]; return s; }
struct point *pick(struct point *a, struct point *b, int w) { return w ? a : b; }
int main(void) {
    struct point p = make(1, 2), q = {.y = 5}, r; r = add(p, q); printf("%d %d %d %d\n", r.x, r.y, p.x, p.y);
    struct line l = {p, {3, 4}, "ab"}, m = l; m.b.x = 9; m.tag[0] = 'z'; printf("%d %d %s %s %zu\n", l.b.x, m.b.x, l.tag, m.tag, sizeof l);
    printf("%d\n", make(7, 8).y); printf("%d\n", add(make(1, 1), make(2, 2)).x); struct big b = fill(3); printf("%ld %ld\n", sum(b, 100), b.v[0]);
    r = p.x ? q : p; printf("%d %d\n", r.x, r.y); r = (p, q); printf("%d\n", r.y); pick(&p, &q, 1)->x = 44; pick(&p, &q, 0)->x = 55; printf("%d %d\n", p.x, q.x);
    struct point a[3] = {{1, 2}, {3}, make(5, 6)}; a[0] = a[2]; a[1] = a[0] = make(8, 9); printf("%d %d %d %d\n", a[0].x, a[1].y, a[2].x, a[2].y);
    struct { int n; struct { int in; union { int u; char c[4]; }; }; } an = {1, {2, {.u = 0x41424344}}}; printf("%d %d %c\n", an.n, an.in, an.c[0]);
    struct point *pp = &(struct point){10, 20}; pp->x++; printf("%d %d\n", pp->x, (struct point){.y = 3}.y); int *yp = &r.y; *yp = 66; printf("%d\n", r.y);
    struct node { int v; struct node *next; } n3 = {3, 0}, n2 = {2, &n3}, n1 = {1, &n2}; int s = 0; for (struct node *n = &n1; n; n = n->next) s = s * 10 + n->v; printf("%d\n", s);
    return 0;
}
