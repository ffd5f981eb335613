/* Recursion: plain, mutual, with an array on each frame. */
#include <stdio.h>

static unsigned long factorial(unsigned n) { return n ? n * factorial(n - 1) : 1; }
static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
static int odd(unsigned n);
static int even(unsigned n) { return n == 0 ? 1 : odd(n - 1); }
static int odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }

static unsigned ackermann(unsigned m, unsigned n)
{
    if (m == 0)
        return n + 1;
    return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

static int sum_digits(const char *s)
{
    int local[4] = { 0, 1, 2, 3 };
    if (!*s)
        return local[0];
    local[3] = *s - '0';
    return sum_digits(s + 1) + local[3];
}

static void hanoi(int n, char from, char to, char over, int *moves)
{
    if (n == 0)
        return;
    hanoi(n - 1, from, over, to, moves);
    if (++*moves <= 5)
        printf("%c%c ", from, to);
    hanoi(n - 1, over, to, from, moves);
}

int main(void)
{
    int moves = 0;
    printf("%lu %d %d %u %d\n", factorial(15), fibonacci(16), even(101), ackermann(2, 5),
           sum_digits("31415926"));
    hanoi(6, 'A', 'C', 'B', &moves);
    printf("%d\n", moves);
    return 0;
}
