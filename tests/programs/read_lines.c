// stdin: first\n\nthe third line is longer than the buffer\nlast
/* fgets with a short buffer: long lines come in pieces, the last may lack its newline. */
#include <stdio.h>
#include <string.h>

int main(void)
{
    char buffer[12];
    int pieces = 0, lines = 0;
    while (fgets(buffer, sizeof buffer, stdin) != NULL) {
        size_t length = strlen(buffer);
        pieces++;
        if (length > 0 && buffer[length - 1] == '\n') {
            buffer[length - 1] = '$';
            lines++;
        }
        printf("<%s>", buffer);
    }
    printf("\n%d %d %d\n", pieces, lines, feof(stdin) != 0);
    return 0;
}
