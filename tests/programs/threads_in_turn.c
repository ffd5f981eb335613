/* Threads that do not wait for each other, their results, keys and cleanup functions. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>

static pthread_key_t key;
static int count;

static void destroy(void *value)
{
    printf("destroy %s\n", (char *) value);
    if (count++ == 0)
        pthread_setspecific(key, "again");
}
static void cleanup(void *what) { printf("cleanup %s\n", (char *) what); }
static void *work(void *given)
{
    int *n = given;
    printf("work %d, %d\n", *n, pthread_getspecific(key) == 0);
    pthread_setspecific(key, "thread");
    pthread_cleanup_push(cleanup, "outer");
    pthread_cleanup_push(cleanup, "inner");
    if (*n == 1)
        pthread_exit(n);
    pthread_cleanup_pop(1);
    pthread_cleanup_pop(0);
    return n + 1;
}
static int small(void *n) { return *(int *) n - 7; }
static void last(void) { printf("at exit\n"); }

int main(void)
{
    pthread_t thread;
    thrd_t other;
    int numbers[] = {1, 2, 3}, result;
    void *found;
    atexit(last);
    pthread_key_create(&key, destroy);
    pthread_setspecific(key, "main");
    for (int i = 0; i < 3; i++) {
        pthread_create(&thread, 0, work, &numbers[i]);
        pthread_join(thread, &found);
        printf("joined %ld\n", (long) ((int *) found - numbers));
    }
    thrd_create(&other, small, &numbers[1]);
    thrd_join(other, &result);
    printf("%d %s %d\n", result, (char *) pthread_getspecific(key), pthread_equal(pthread_self(), thread));
    pthread_cleanup_push(cleanup, "main");
    pthread_exit(0);
    pthread_cleanup_pop(0);
    return 3;
}
