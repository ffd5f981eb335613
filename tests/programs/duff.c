/* Duff's device: case labels within a loop; and a switch into an if. */
#include <stdio.h>

static void copy(char *to, const char *from, int count)
{
    int n = (count + 7) / 8;
    if (count <= 0)
        return;
    switch (count % 8) {
    case 0: do { *to++ = *from++;
    case 7:      *to++ = *from++;
    case 6:      *to++ = *from++;
    case 5:      *to++ = *from++;
    case 4:      *to++ = *from++;
    case 3:      *to++ = *from++;
    case 2:      *to++ = *from++;
    case 1:      *to++ = *from++;
            } while (--n > 0);
    }
}

static int odd_switch(int n, int flag)
{
    int r = 0;
    switch (n) {
        r = 100;
    case 0:
        if (flag) {
            r += 1;
    case 1:
            r += 10;
        } else {
    case 2:
            r += 1000;
        }
    }
    return r;
}

int main(void)
{
    const char *text = "the quick brown fox jumps over it";
    int n;
    for (n = 0; n <= 33; n += 3) {
        char buffer[40] = { 0 };
        copy(buffer, text, n);
        printf("[%s]\n", buffer);
    }
    for (n = 0; n < 4; n++)
        printf("%d %d\n", odd_switch(n, 0), odd_switch(n, 1));
    return 0;
}
