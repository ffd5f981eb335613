struct bits { unsigned a : 3; int b : 5; } s;
int g;
int step(int x) { x += 2; g -= x; return x++ + --g; }
void set(int v) { s.b = v; s.a++; }
void chars(char c, unsigned char u) { c *= u; u >>= 1; g = c = u; }
