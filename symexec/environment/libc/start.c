/* Where a program with handlers for its end starts: returning from main is exit (C17 5.1.2.2.3). */

extern int main(int argc, char **argv, char **envp);
extern void exit(int status) __attribute__((noreturn));

int __csgtest_start(int argc, char **argv, char **envp)
{
    exit(main(argc, argv, envp));
}
