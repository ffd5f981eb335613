#include <stdio.h>
typedef int (*op)(int, int); static int add(int a, int b) { return a + b; } static int sub(int a, int b) { return a - b; } int apply(op f, int a, int b) { return f(a, b); } op choose(int c) { return c ? add : &sub; }
unsigned char narrow(int x) { return x; } signed char sc(long x) { return x; } float half(int x) { return x / 2.0; } _Bool truth(double d) { return d; } long fact(int n) { return n < 2 ? 1 : n * fact(n - 1); } int even(int); int odd(int n) { return n ? even(n - 1) : 0; } int even(int n) { return n ? odd(n - 1) : 1; }
void nothing(void) { return; } void fall(int *p) { *p = 3; } int many(char a, short b, int c, long d, float e, double f, unsigned char g, int *h) { return a + b + c + d + e + f + g + *h; } int inc(int x) { x++; return x; } void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; } int addr(int x) { int *p = &x; *p += 5; return x; } int old(a, c, f) int a; char c; float f; { return a + c + f; }
int main(void) {
    op table[] = {add, sub, *add}; printf("%d %d %d\n", apply(add, 1, 2), choose(0)(5, 3), (*table[1])(9, 4)); printf("%d %d %f %d %d\n", narrow(300), sc(200), half(7), truth(0.1), truth(0)); printf("%ld %d %d\n", fact(10), even(10), odd(7)); nothing(); int x = 1, y = 2; fall(&x); swap(&x, &y); printf("%d %d\n", x, y);
    printf("%d %d %d %d\n", many(-1, -2, 3, 4, 5.5f, 6.5, 255, &x), inc(inc(x)), addr(4), old(1, 'a', 2.5f)); int (*f)(int) = inc; printf("%d %d %d\n", (*f)(1), (**f)(2), f == inc); printf("%d\n", (x ? add : sub)(x, y)); printf("%d\n", add(add(1, 2), sub(add(3, 4), 5))); return x - 2;
}
