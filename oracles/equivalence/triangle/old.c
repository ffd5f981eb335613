/* What kind of triangle three sides make. */
enum kind { NONE, SCALENE, ISOSCELES, EQUILATERAL };

int triangle(int a, int b, int c)
{
    if (a <= 0 || b <= 0 || c <= 0)
        return NONE;
    if (a + b <= c || b + c <= a || a + c <= b)
        return NONE;
    if (a == b && b == c)
        return EQUILATERAL;
    if (a == b || b == c || a == c)
        return ISOSCELES;
    return SCALENE;
}
