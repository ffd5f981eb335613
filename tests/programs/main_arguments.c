// args: one "two words" -x= ""
/* argc, argv and the null pointer at its end; the environment. */
#include <stdio.h>
#include <string.h>

extern char **environ;

int main(int argc, char **argv, char **envp)
{
    int i;
    size_t total = 0;
    printf("%d\n", argc);
    for (i = 1; i < argc; i++) {
        printf("[%s] %zu\n", argv[i], strlen(argv[i]));
        total += strlen(argv[i]);
    }
    printf("%d %zu\n", argv[argc] == NULL, total);
    printf("%d %d\n", envp == environ, strchr(envp[0], '=') != NULL);
    argv[1][0] = 'O';
    printf("%s\n", *++argv);
    return argc;
}
