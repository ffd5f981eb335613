/* Three look-ups in tables at unknown places, each leading to the next; three paths. */
void klee_make_symbolic(void *address, unsigned long size, const char *name);

static const unsigned char substitution[16] = { 12, 5, 6, 11, 9, 0, 10, 13, 3, 14, 15, 8, 4, 7, 1, 2 };
static const unsigned short squares[16] = { 0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196,
                                            225 };
static const int weights[32] = { 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 6, 2, 6, 4,
                                 3, 3, 8, 3, 2, 7, 9, 5 };

int main(void)
{
    unsigned char key;
    int first, second, third;

    klee_make_symbolic(&key, sizeof key, "key");
    first = substitution[key & 15];
    second = squares[(first + (key >> 4)) & 15];
    third = weights[second & 31];
    if (first + third == 10)
        return second > 100 ? 1 : 2;
    return third > 8 ? 3 : 4;
}
