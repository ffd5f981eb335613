struct point { int x, y; };
struct point make(int x, int y) { struct point p = {x, y}; return p; }
int use(struct point p) { return p.x; }
int both(void) { struct point p = make(1, 2), q; q = p; return use(q); }
int zeroed(int i) { int a[4] = {1, [2] = i}; char s[8] = "ab"; return a[i] + s[i]; }
