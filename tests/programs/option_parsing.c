// args: -v -n5 --name=Ann --level 3 -abc file1 -- -notopt
/* Options by hand: clusters, attached values, long names, the end mark, operands. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int verbose, flags, number = -1, level;
static const char *name = "nobody";

static const struct { const char *name; const char **text; int *number; } longs[] = {
    { "name", &name, NULL }, { "level", NULL, &level }, { NULL, NULL, NULL },
};

static int long_option(const char *word, const char *next)
{
    size_t length = strcspn(word, "=");
    int i;
    for (i = 0; longs[i].name; i++) {
        const char *value = word[length] ? word + length + 1 : next;
        if (strncmp(word, longs[i].name, length) || longs[i].name[length])
            continue;
        if (value == NULL)
            break;
        if (longs[i].text)
            *longs[i].text = value;
        else
            *longs[i].number = atoi(value);
        return word[length] ? 1 : 2;
    }
    fprintf(stderr, "unknown option --%s\n", word);
    exit(2);
}

int main(int argc, char **argv)
{
    int i = 1, operands = 0, options = 1;
    while (i < argc) {
        char *word = argv[i];
        if (!options || word[0] != '-' || !word[1]) {
            printf("operand %s\n", word);
            operands++;
            i++;
        } else if (!strcmp(word, "--")) {
            options = 0;
            i++;
        } else if (word[1] == '-') {
            i += long_option(word + 2, argv[i + 1]);
        } else {
            for (word++; *word; word++)
                if (*word == 'v') {
                    verbose++;
                } else if (*word == 'n') {
                    number = atoi(word + 1);
                    break;
                } else {
                    flags |= 1 << (*word - 'a');
                }
            i++;
        }
    }
    printf("%d %d %d %s %d %d\n", verbose, flags, number, name, level, operands);
    return operands;
}
