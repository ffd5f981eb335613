/* A table of values between commas, with a header and quoted fields; sums of a column by name.
   Witness: "id,amount\n\"a\"\"b\",5\nc,\"7\"\n" */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 6, ROOM = 32 };
static char fields[COLUMNS][ROOM];
static int quoted[COLUMNS];

static int field(int number)
{
    size_t size = 0;
    int c = getchar();
    quoted[number] = c == '"';
    if (quoted[number]) {
        for (;;) {
            c = getchar();
            if (c == EOF)
                return EOF;
            if (c == '"' && (c = getchar()) != '"')
                break;
            if (size + 1 < ROOM)
                fields[number][size++] = (char) c;
        }
    } else {
        for (; c != ',' && c != '\n' && c != EOF; c = getchar()) {
            if (c == '"')
                return '?';
            if (size + 1 < ROOM)
                fields[number][size++] = (char) c;
        }
    }
    fields[number][size] = '\0';
    return c;
}

static int row(void)
{
    for (int number = 0; number < COLUMNS; number++) {
        int end = field(number);
        if (end == '\n')
            return number + 1;
        if (end == EOF)
            return number || fields[number][0] ? -1 : 0;
        if (end != ',')
            return -1;
    }
    return -1;
}

int main(void)
{
    int columns = row(), amount, count;
    long sum = 0;
    for (amount = 0; amount < columns && strcmp(fields[amount], "amount"); amount++)
        ;
    if (columns <= 0 || amount == columns) {
        puts("no amounts");
        return 1;
    }
    while ((count = row()) > 0) {
        char *end;
        if (count != columns)
            break;
        long value = strtol(fields[amount], &end, 10);
        if (*end || end == fields[amount])
            break;
        sum += PLANTED(value, quoted[amount] && amount ? 0 : value);
    }
    if (count) {
        puts("a row is wrong");
        return 1;
    }
    printf("%ld\n", sum);
    return 0;
}
