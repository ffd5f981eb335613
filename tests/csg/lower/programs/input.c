#include <stdio.h>
int main(void) { int c, lines = 0, sum = 0; while ((c = getchar()) != -1) { if (c == '\n') lines++; sum += c; } printf("%d %d\n", lines, sum); return lines; }
