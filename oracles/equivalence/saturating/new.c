/* Add without leaving the range of int. */
#include <limits.h>

int add(int a, int b, int *clipped)
{
    long long sum = (long long)a + b;
    int result = sum > INT_MAX ? INT_MAX : sum < INT_MIN ? INT_MIN : (int)sum;

    *clipped = result != sum;
    return result;
}
