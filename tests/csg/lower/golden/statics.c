struct s { char c; int *p; };
static int n = 3;
int a[3] = {1, 2, 3};
struct s one = {'x', &a[2]}, *ptr = &one;
const char *text = "hi" + 1, word[] = "hi";
double third = 1.0 / 4;
extern int elsewhere;
int count(void) { static int n; return n++ + elsewhere; }
