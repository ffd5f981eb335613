#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

int main(void)
{
    struct timespec t;
    time_t start = 0;
    struct tm broken = {0};
    const int ids[] = {0, 1, 4, 5, 6, 7, 10, 11, 12, 99};
    for (unsigned i = 0; i < sizeof ids / sizeof *ids; i++) {
        errno = 0;
        int failed = clock_gettime(ids[i], &t);
        printf("%d: %d %d\n", ids[i], failed, errno);
    }
    printf("%s\n", tzname[0]);
    gmtime_r(&start, &broken);
    printf("%s %s\n", tzname[0], broken.tm_zone);
    localtime_r(&start, &broken);
    printf("%s %s\n", tzname[1], broken.tm_zone);
    errno = 0;
    printf("%d", mkdir("folder", 0700));
    printf(" %d", remove("folder"));
    printf(" %d\n", errno);
    return 0;
}
