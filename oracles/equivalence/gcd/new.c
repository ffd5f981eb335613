/* A fraction in lowest terms, as 1000 * numerator + denominator. */
static unsigned gcd(unsigned a, unsigned b)
{
    while (b != 0) {
        unsigned rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

unsigned shorten(unsigned a, unsigned b)
{
    unsigned common = gcd(a, b);

    return 1000 * (a / common) + b / common;
}
