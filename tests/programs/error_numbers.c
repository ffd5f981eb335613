/* errno: 0 at the start, set by what fails, kept by what succeeds. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static int parse(const char *text, int *result)
{
    char *end;
    long value;
    errno = 0;
    value = strtol(text, &end, 10);
    if (end == text || *end != '\0')
        return EINVAL;
    if (errno == ERANGE || value > 1000000 || value < -1000000)
        return ERANGE;
    *result = (int) value;
    return 0;
}

int main(void)
{
    const char *texts[] = { "12", "x", "99999999999999999999", "-7", "5000000", "" };
    int i, sum = 0;
    printf("%d\n", errno);
    for (i = 0; i < 6; i++) {
        int value = 0, error = parse(texts[i], &value);
        printf("%s: %d %s\n", texts[i], value,
               error == EINVAL ? "EINVAL" : error == ERANGE ? "ERANGE" : "ok");
        sum += value;
    }
    errno = ENOMEM;
    strtol("1", NULL, 10);
    printf("%d %d\n", errno == ENOMEM, sum);
    return sum;
}
