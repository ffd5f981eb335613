/* gcd, lcm, modular inverse, factors, perfect numbers, Collatz steps, digits in other bases. */
#include <stdio.h>

static long gcd(long a, long b) { while (b) { long t = a % b; a = b; b = t; } return a < 0 ? -a : a; }

static long inverse(long a, long m)
{
    long r = m, s = a % m, x = 0, y = 1;
    while (s) {
        long q = r / s, t = r - q * s;
        r = s; s = t;
        t = x - q * y;
        x = y; y = t;
    }
    return r == 1 ? (x % m + m) % m : -1;
}

static void factors(unsigned n)
{
    unsigned p;
    printf("%u =", n);
    for (p = 2; p * p <= n; p++)
        while (n % p == 0) {
            printf(" %u", p);
            n /= p;
        }
    if (n > 1)
        printf(" %u", n);
    printf("\n");
}

static int collatz(unsigned long n)
{
    int steps = 0;
    for (; n != 1; steps++)
        n = n & 1 ? 3 * n + 1 : n / 2;
    return steps;
}

static void in_base(int n, int base)
{
    if (n < 0) { putchar('-'); n = -n; }
    if (n >= base)
        in_base(n / base, base);
    putchar("0123456789abcdefghijklmnopqrstuvwxyz"[n % base]);
}

int main(void)
{
    int n, d, sum;
    printf("%ld %ld %ld\n", gcd(1071, 462), gcd(-12, 18), 21 / gcd(21, 6) * 6);
    printf("%ld %ld\n", inverse(3, 11), inverse(6, 9));
    factors(360);
    factors(9973);
    factors(65536 - 1);
    for (n = 2; n < 500; n++) {
        for (sum = 0, d = 1; d < n; d++)
            if (n % d == 0)
                sum += d;
        if (sum == n)
            printf("%d ", n);
    }
    printf("\n%d %d %d\n", collatz(27), collatz(97), collatz(1));
    in_base(255, 2); putchar(' ');
    in_base(-255, 16); putchar(' ');
    in_base(123456, 36); putchar('\n');
    return 0;
}
