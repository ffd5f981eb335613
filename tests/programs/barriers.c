/* An empty asm keeps the compiler from moving accesses, and does nothing. */
#include <stdio.h>

int main(void)
{
    int x = 3, y = 4;
    __asm__ volatile("" : : : "memory");
    asm("");
    __asm__ __volatile__("" : "+r"(x), "+m"(y) : "r"(x), "g"(y) : "memory", "cc");
    printf("%d %d\n", x, y);
    return 0;
}
