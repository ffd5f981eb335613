/* What kind of triangle three sides make. */
enum kind { NONE, SCALENE, ISOSCELES, EQUILATERAL };

static int is_triangle(int a, int b, int c)
{
    return !(a < 1 || b < 1 || c < 1) && a + c > b && a + b > c && b + c > a;
}

int triangle(int a, int b, int c)
{
    if (is_triangle(a, b, c)) {
        int alike = (a == b) + (b == c) + (a == c);

        if (alike == 3)
            return EQUILATERAL;
        return alike ? ISOSCELES : SCALENE;
    }
    return NONE;
}
