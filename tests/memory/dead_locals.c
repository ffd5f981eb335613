/* A local object ends with its function. */
static int *kept;

static int *local(int x)
{
    int here[2] = { 5, 6 };
    kept = here + x % 2;
    return kept;
}

// range: x=0..5
int f(int x)
{
    int *place = local(x);
    if (x > 3)
        return *place;              // error: use-after-return
    return x;
}
