/* Print a number as the Romans wrote it. */
#include <stdio.h>

void roman(int n)
{
    while (n >= 50) {
        printf("L");
        n = n - 50;
    }
    if (n >= 40) {
        printf("XL");
        n = n - 40;
    }
    while (n >= 10) {
        printf("X");
        n = n - 10;
    }
    if (n >= 9) {
        printf("IX");
        n = n - 9;
    }
    if (n >= 5) {
        printf("V");
        n = n - 5;
    }
    if (n >= 4) {
        printf("IV");
        n = n - 4;
    }
    while (n >= 1) {
        printf("I");
        n = n - 1;
    }
    printf("\n");
}
