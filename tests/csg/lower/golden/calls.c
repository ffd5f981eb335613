#include <stdarg.h>
int printf(const char *, ...);
int old();
int (*table[2])(int, char);
int call(int i, char c, float f) { printf("%d %f", c, f); old(c, f); return table[i](c, i); }
int last(int n, ...) { va_list ap; int r = 0; va_start(ap, n); while (n--) r = va_arg(ap, int); va_end(ap); return r; }
void quit(int n) { __attribute__((noreturn)) void exit(int); if (n) exit(n); }
