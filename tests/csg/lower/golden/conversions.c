long widen(char c) { return c; }
unsigned char narrow(int i) { return i; }
_Bool truth(double d) { return d; }
unsigned from_float(float f) { return f; }
long double up(unsigned short s) { return s; }
int mixed(unsigned u, long l) { return u < l; }
int bits(unsigned char a, short b) { return ~a << b; }
