/* A rational number: start at magnitude (absolute value), divisor (greatest common divisor) or
   simplify (both sides divided by it). */

int magnitude(int x)
{
    if (x >= 0)
        return x;
    return -x;
}

int divisor(int a, int b)
{
    int c = magnitude(a);
    int d = magnitude(b);
    if (c == 0)
        return d;
    while (d != 0) {
        if (c > d)
            c = c - d;
        else
            d = d - c;
    }
    return c;
}

int simplify(int numerator, int denominator)
{
    int common = divisor(numerator, denominator);
    int sign = 1;
    if (common == 0)
        return 0;
    if (denominator < 0)
        sign = -sign;
    numerator = numerator / common * sign;
    denominator = magnitude(denominator) / common;
    return 1000 * numerator + denominator;
}
