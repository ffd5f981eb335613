/* Nobody writes to a literal. */
// range: x=0..3
int f(int x)
{
    static const char fixed[4] = "abc";
    char own[4] = "abc";
    char *text = x == 1 ? "abc" : x == 2 ? (char *)fixed : own;
    text[0] = 'b';                  // error: read-only
    return own[0];
}
