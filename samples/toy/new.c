/* The toy of "Shadow of a Doubt" (ICSE 2016), start at foo. x = 7 now writes arr[-1]; x = 8 writes
   arr[0] and returns 0 instead of 1. At INT_MIN, and at INT_MAX, x - 1 and x + 1 wrap to different
   sides of 7: the versions part there, too. */
char arr[4];

int foo(int x)
{
    int y = x + 1;
    if (y > 7) {
        int z = x - 8;
        if (z < 4)
            arr[z] = 'A';
        return 0;
    }
    return 1;
}
