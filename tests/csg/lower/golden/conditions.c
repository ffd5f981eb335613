int f(int);
int both(int a, int *p) { if (a < 3 && *p) return 1; return 2; }
int either(int a, int b) { return a || b; }
int not(int a, int b) { if (!(a && !b)) return 1; return 0; }
int choose(int c, int a, long b) { return c ? a : b; }
void forever(int n) { while (1) { if (n--) continue; break; } }
void effects(int a) { a && f(a); a ? f(1) : f(2); }
