/* The square of a 2 x 2 matrix, in place; its trace. */
int square(int *m)
{
    int trace = m[0] + m[3];
    int mixed = m[2] * m[1];
    int upper = m[0] * m[0] + mixed, lower = m[3] * m[3] + mixed;

    m[1] *= trace;
    m[2] *= trace;
    m[0] = upper;
    m[3] = lower;
    return upper + lower;
}
