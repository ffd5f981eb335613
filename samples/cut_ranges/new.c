/* The running example of "Regression Tests to Expose Change Interaction Errors" (FSE 2013, figure 5),
   after the change: "lhs" remembers that a number stood on the left of the dash.

   Start at parse_ranges. "0-" fails the assertion, here only: the declaration, `lhs = true` and
   `c = lhs` run in this order, so that `init = (c) ? v : 1` takes the number, and the number is 0.
   The same holds for every string whose last dash has digits before it, the nearest one being 0. */
#include <assert.h>
#include <ctype.h>
#include <stdbool.h>

int parse_ranges(const char *fs)
{
    bool lhs = false;
    int v = 0; /* the digit read last */
    bool c = false;
    int init = 1; /* where the range starts */
    while (true) {
        if (isdigit((unsigned char) *fs)) {
            v = *fs - '0';
            lhs = true;
        } else if (*fs == '-') {
            c = lhs;
            init = (c) ? v : 1;
        } else if (*fs == '\0') {
            assert(init != 0);
            break;
        }
        fs++;
    }
    return init;
}
