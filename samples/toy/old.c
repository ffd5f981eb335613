/* The toy of "Shadow of a Doubt" (ICSE 2016), start at foo. y > 7 means x > 8, hence z > 0: nothing
   is written outside of arr. (At INT_MIN both subtractions wrap; z is large, and nothing written.) */
char arr[4];

int foo(int x)
{
    int y = x - 1;
    if (y > 7) {
        int z = x - 8;
        if (z < 4)
            arr[z] = 'A';
        return 0;
    }
    return 1;
}
