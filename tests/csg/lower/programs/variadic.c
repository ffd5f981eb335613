#include <stdarg.h>
#include <stdio.h>
struct pt { int x; long y; }; int sum(int n, ...) { va_list ap; va_start(ap, n); int s = 0; for (int i = 0; i < n; i++) s += va_arg(ap, int); va_end(ap); return s; }
double mix(const char *f, ...) { va_list ap, copy; double r = 0; va_start(ap, f); va_copy(copy, ap); for (; *f; f++) switch (*f) { case 'd': r += va_arg(ap, int); break; case 'l': r += va_arg(ap, long); break; case 'f': r += va_arg(ap, double); break; case 's': r += *va_arg(ap, char *); break; case 'p': { struct pt p = va_arg(ap, struct pt); r += p.x + p.y; } break; case 'L': r += va_arg(ap, long double); } r += va_arg(copy, int); va_end(ap); va_end(copy); return r; }
int vsum(int n, va_list ap) { int s = 0; while (n--) s += va_arg(ap, int); return s; } int outer(int n, ...) { va_list ap; va_start(ap, n); int a = va_arg(ap, int); int s = vsum(n - 1, ap); va_end(ap); return a * 100 + s; }
int main(void) { printf("%d %d\n", sum(3, 1, 2, 3), sum(0)); struct pt p = {10, 20}; char c = 5; float f = 1.5f; short s = -3; printf("%f\n", mix("dlfspL", c, 100L, f, "A", p, 2.25L)); printf("%f\n", mix("dd", s, 'a')); printf("%d\n", outer(4, 1, 2, 3, 4)); return 0; }
