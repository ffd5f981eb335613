/* Start at next. The pair differs for x > 1000 in what is returned, and no branch tells it. */
int next(int x)
{
    return x + 1;
}
