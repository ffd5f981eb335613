/* Memory by the page; a file as memory. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void *pages(size_t size)
{
    return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

int main(void)
{
    char *one = pages(100), *two = pages(10000);
    printf("%d %d %d\n", one != MAP_FAILED, (int) ((unsigned long) two % 4096), one[0] | two[9999]);
    strcpy(one + 4000, "the end of a page");
    memset(two, 'x', 12288);
    printf("%s %c\n", one + 4000, two[12287]);
    printf("%d %d\n", munmap(one, 100), munmap(two, 10000));
    printf("%d ", pages(0) == MAP_FAILED);
    printf("%d ", errno == EINVAL);
    printf("%d ", mmap(NULL, 9, PROT_READ, MAP_PRIVATE, 99, 0) == MAP_FAILED);
    printf("%d\n", errno == EBADF);

    char name[] = "/tmp/csgtest-XXXXXX";
    int d = mkstemp(name);
    write(d, "what is in the file", 19);
    char *text = mmap(NULL, 19, PROT_READ | PROT_WRITE, MAP_PRIVATE, d, 0);
    printf("%.19s %d %ld\n", text, text[19], (long) lseek(d, 0, SEEK_CUR));
    text[0] = 'W';
    char old = 0;
    pread(d, &old, 1, 0);
    printf("%c %c\n", text[0], old);
    munmap(text, 19);
    close(d);
    d = open(name, O_WRONLY);
    printf("%d ", mmap(NULL, 9, PROT_READ, MAP_PRIVATE, d, 0) == MAP_FAILED);
    printf("%d\n", errno == EACCES);
    unlink(name);
    return 0;
}
