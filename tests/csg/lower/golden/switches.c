int f(int x) { switch (x) { case 1: x = 5; case -1 ... 2 + 1 - 3: x++; break; default: x = 0; } return x; }
int g(unsigned char c) { switch (c) { case 'a': return 1; case 'b' ... 'z': return 2; } return 0; }
