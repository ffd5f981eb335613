/* The running example of "Regression Tests to Expose Change Interaction Errors" (FSE 2013, figure 5):
   reading a list of number ranges such as "2,4-7", as the utility cut does.

   Start at parse_ranges. This version holds its assertion on every input. */
#include <assert.h>
#include <ctype.h>
#include <stdbool.h>

int parse_ranges(const char *fs)
{
    int v = 0; /* the digit read last */
    bool c = false;
    int init = 1; /* where the range starts */
    while (true) {
        if (isdigit((unsigned char) *fs)) {
            v = *fs - '0';
        } else if (*fs == '-') {
            c = v;
            init = (c) ? v : 1;
        } else if (*fs == '\0') {
            assert(init != 0);
            break;
        }
        fs++;
    }
    return init;
}
