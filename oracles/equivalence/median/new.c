/* The middle one of three measurements. */
static int min(int a, int b) { return a < b ? a : b; }
static int max(int a, int b) { return a > b ? a : b; }

int median(int a, int b, int c)
{
    return max(min(a, b), min(max(a, b), c));
}
