int change(int, int); int execute(int); enum { OLD, NEW };
int f(int); int g;
int in_line(int x) { x = change(x, x + 1); return x; }
int in_regions(int *p) { int y = change(f(1), *p); return y; }
int diverging(int x, int y) { if (x && change(y, y > 1)) return 1; return 0; }
void added(int x) { if (execute(NEW)) { g = x; } }
int early(int x) { if (execute(NEW)) { if (x < 0) return -1; } return x; }
int leaving(int n) { while (n--) { if (execute(OLD)) break; g++; } return g; }
