/* A fraction in lowest terms, as 1000 * numerator + denominator. */
static unsigned gcd(unsigned a, unsigned b)
{
    if (b == 0)
        return a;
    return gcd(b, a % b);
}

unsigned shorten(unsigned a, unsigned b)
{
    unsigned common = gcd(a, b);

    return 1000 * (a / common) + b / common;
}
