/* Streams into memory. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void grown(void)
{
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    printf("%d ", fileno(f));
    printf("%d\n", errno == EBADF);
    fflush(f);
    printf("%zu '%s'\n", size, text);
    fprintf(f, "%d and %s", 12, "more");
    fflush(f);
    printf("%zu '%s' %ld\n", size, text, ftell(f));
    for (int i = 0; i < 500; i++)
        fprintf(f, " %d", i);
    fflush(NULL);
    printf("%zu\n", size);
    fflush(f);
    printf("%zu '%s'\n", size, text + size - 8);
    fseek(f, 3, SEEK_SET);
    fputs("ANDAND", f);
    fflush(f);
    printf("%zu '%.12s'\n", size, text);
    fclose(f);
    printf("%zu '%.12s' %zu\n", size, text, strlen(text));
    free(text);
}

static void given(void)
{
    char words[] = "one 2 three", line[20], room[16] = "abcdef";
    int n, c;
    FILE *f = fmemopen(words, strlen(words), "r");
    printf("%d ", fscanf(f, "%19s %d", line, &n));
    printf("%s %d\n", line, n);
    while ((c = getc(f)) != EOF)
        putchar(c);
    printf("| %ld %d\n", ftell(f), feof(f) != 0);
    rewind(f);
    printf("%d ", getc(f));
    printf("%d\n", fputs("x", f) == EOF);
    clearerr(f);
    fseek(f, -5, SEEK_END);
    printf("%s\n", fgets(line, 20, f));
    fclose(f);
    f = fmemopen(room, sizeof room, "w");
    printf("'%s'\n", room);
    fprintf(f, "%05d", 42);
    fflush(f);
    printf("'%s' %c\n", room, room[6] ? room[6] : '0');
    fclose(f);
    f = fmemopen(room, sizeof room, "a");
    fputs("+", f);
    fclose(f);
    printf("'%s'\n", room);
    f = fmemopen(room, 5, "r+");
    fputs("ab", f);
    fclose(f);
    printf("'%s'\n", room);
    f = fmemopen(NULL, 20, "w+");
    fputs("own", f);
    rewind(f);
    printf("%s\n", fgets(line, 20, f));
    fclose(f);
}

int main(void)
{
    grown();
    given();
    return 0;
}
