int sum(int n) { int s = 0; for (int i = 0; i < n; i++) s += i; return s; }
int halves(int n) { int k = 0; do { n /= 2; k++; } while (n); return k; }
int search(const char *s, char c) { while (*s && *s != c) s++; return *s; }
