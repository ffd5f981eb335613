/* Marks of the columns that begin a range, after the shape of a regression in cut (section 2.2 of
 * "Regression Tests to Expose Change Interaction Errors", FSE 2013). The table always exists. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *marks;
static int last;       /* the largest column that a closed range names */
static int open_from;  /* the first column of a range without end, 0: there is none */
static int joined;     /* is something printed between ranges? */

static int is_marked(int column)
{
    return marks[column];
}

int main(int argc, char **argv)
{
    int place;

    for (place = 1; place < argc; place++) {
        if (strcmp(argv[place], "-j") == 0)
            joined = 1;
        else if (argv[place][0] == '-')
            last = atoi(argv[place] + 1) & 63;
        else
            open_from = atoi(argv[place]) & 63;
    }
    if (last < open_from)
        last = open_from;
    marks = calloc(last + 1, 1);
    if (marks == NULL)
        return 2;
    for (place = 1; place <= last && marks != NULL; place += 2)
        marks[place] = 1;
    if (joined && open_from && !is_marked(open_from))
        printf("range from %d\n", open_from);
    printf("%d columns\n", last);
    return 0;
}
