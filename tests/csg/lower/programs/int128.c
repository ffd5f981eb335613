#include <stdio.h>
typedef __int128 i128; typedef unsigned __int128 u128;
int main(void) { i128 a = (i128)1 << 100; u128 b = ~(u128)0; printf("%lx %lx\n", (long)(a >> 64), (long)(b >> 64)); i128 m = (i128)9223372036854775807L * 9223372036854775807L; printf("%lx %lx\n", (long)(m >> 64), (long)m); m = -m / 1000; printf("%lx %lx\n", (long)(m >> 64), (long)m); printf("%lu\n", (unsigned long)(b % 1000)); printf("%d %d\n", a > 0, (i128)-1 < 0); m = 5; m++; m *= -3; printf("%d\n", (int)m); u128 arr[2] = {1, b}; arr[0] += arr[1]; printf("%lx\n", (long)arr[0]); return 0; }
