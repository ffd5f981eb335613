int f(int n) { again: if (n > 3) { n -= 2; goto again; } return n; }
int g(int i) { void *t[2] = {&&a, &&b}; goto *t[i]; a: return 1; b: return 2; }
