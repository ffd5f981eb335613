#include <stdio.h>
enum color { RED = -1, GREEN, BLUE = 5 };
const char *name(enum color c) { switch (c) { case RED: return "red"; case GREEN: return "green"; case BLUE: return "blue"; } return "?"; }
int f(int x) { int r = 0; switch (x) { case 1: r += 1; case 2: r += 2; break; default: r = 100; case -3: r += 3; break; case 10 ... 20: r = 50; break; case -10 ... -5: r = 60; } return r; }
int g(unsigned char c) { switch (c) { case 'a': case 'b': return 1; case 200: return 2; case 255: return 3; } return 0; }
int h(long l) { switch (l) { case 5000000000L: return 1; case -1: return 2; case -5 ... -2: return 3; case 0 ... 3: return 5; default: return 4; } }
int duff(int n) { int c = 0, i = (n + 3) / 4; switch (n % 4) { case 0: do { c++; case 3: c++; case 2: c++; case 1: c++; } while (--i > 0); } return c; }
int main(void) {
    for (int i = -12; i < 22; i++) printf("%d ", f(i)); puts("");
    printf("%s %s %s %s\n", name(RED), name(GREEN), name(BLUE), name(3));
    printf("%d %d %d %d\n", g('b'), g(200), g(255), g(0)); printf("%d %d %d %d %d\n", h(5000000000L), h(-1), h(-2), h(3), h(705032704));
    for (int i = 1; i < 9; i++) printf("%d ", duff(i)); puts("");
    for (int i = 0; i < 5; i++) { switch (i) { case 1: continue; case 3: break; default: printf("%d", i); switch (i) { case 0: printf("z"); default: printf("y"); } } printf("."); }
    switch (3) { int y; case 3: y = 4; printf("%d\n", y); } switch (1) { case 2: puts("no"); } switch (2u) default: puts("d");
    switch (0) { puts("unreached"); } char c = -1; switch (c) { case -1: puts("minus"); break; case 255: puts("255"); }
    return 0;
}
