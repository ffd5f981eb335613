struct pair { int x; long y; };
int element(int *a, int i) { return a[i]; }
long member(struct pair *p) { return p->y; }
long distance(struct pair *p, struct pair *q) { return p - q; }
char *moved(char *p, unsigned n) { return p - n; }
int *address(struct pair *p, int i) { return &p[i].x; }
void store(short *p, int v) { *p++ = v; *p = v; }
