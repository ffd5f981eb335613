/* Where a program starts that has handlers for its end, or tells its name in messages: returning
 * from main is exit (C17 5.1.2.2.3). */

extern int main(int argc, char **argv, char **envp);
extern void __csgtest_end(int status) __attribute__((noreturn));
extern void __csgtest_name_program(char *name);

int __csgtest_start(int argc, char **argv, char **envp)
{
    __csgtest_end(main(argc, argv, envp));
}

extern void __csgtest_before_main(int argc, char **argv, char **envp);
extern void __csgtest_after_main(void);
extern int atexit(void (*f)(void));

/* Constructors and destructors: the first handler to be registered runs last. */
int __csgtest_hooked_start(int argc, char **argv, char **envp)
{
    __csgtest_name_program(argv[0]);
    atexit(__csgtest_after_main);
    __csgtest_before_main(argc, argv, envp);
    __csgtest_end(main(argc, argv, envp));
}

int __csgtest_named_start(int argc, char **argv, char **envp)
{
    __csgtest_name_program(argv[0]);
    __csgtest_end(main(argc, argv, envp));
}
