/* Where a program starts that has handlers for its end, or tells its name in messages: returning
 * from main is exit (C17 5.1.2.2.3). */

extern int main(int argc, char **argv, char **envp);
extern void exit(int status) __attribute__((noreturn));
extern void __csgtest_name_program(char *name);

int __csgtest_start(int argc, char **argv, char **envp)
{
    exit(main(argc, argv, envp));
}

int __csgtest_named_start(int argc, char **argv, char **envp)
{
    __csgtest_name_program(argv[0]);
    exit(main(argc, argv, envp));
}
