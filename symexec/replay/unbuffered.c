/* What a program has written counts even if it is killed before its buffers are flushed; and what it
   writes to a descriptor itself stands where it was written. */
#include <stdio.h>

__attribute__((constructor)) static void csgtest_write_at_once(void)
{
    setvbuf(stdout, NULL, _IONBF, 0);
}
