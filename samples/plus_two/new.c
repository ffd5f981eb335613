/* Start at next. x > 1000 gives x + 2 here, without a branch: 1001 is the smallest witness. */
int next(int x)
{
    return x + 1 + (x > 1000);
}
