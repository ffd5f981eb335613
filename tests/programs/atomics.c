/* Atomic objects and builtins, with one thread. */
#include <stdatomic.h>
#include <stdio.h>

static _Atomic int number = 3;
static atomic_long total;
static atomic_flag flag = ATOMIC_FLAG_INIT;
static const char *_Atomic text;

int main(void)
{
    int expected = 9, plain = 5, kept, value = 8;
    char byte = 1;
    number++;
    number += 5;
    atomic_fetch_add(&total, 7);
    printf("%d %ld\n", number, (long) total);
    printf("%d", atomic_compare_exchange_strong(&number, &expected, 20));
    printf(" %d %d\n", number, expected);
    printf("%d", atomic_compare_exchange_weak(&number, &expected, 30));
    printf(" %d %d\n", number, expected);
    printf("%d", atomic_flag_test_and_set(&flag));
    printf(" %d", atomic_flag_test_and_set(&flag));
    atomic_flag_clear(&flag);
    printf(" %d\n", atomic_flag_test_and_set(&flag));
    atomic_store(&number, 4);
    printf("%d %d\n", atomic_exchange(&number, 6), atomic_load(&number) > 3);
    text = "text";
    printf("%s\n", atomic_load(&text));

    printf("%d", __sync_fetch_and_add(&plain, 2));
    printf(" %d", __sync_add_and_fetch(&plain, 1));
    printf(" %d", __sync_bool_compare_and_swap(&plain, 8, 1));
    printf(" %d", __sync_val_compare_and_swap(&plain, 2, 5));
    printf(" %d\n", __sync_val_compare_and_swap(&plain, 1, 2));
    printf("%d", __atomic_fetch_or(&plain, 8, __ATOMIC_SEQ_CST));
    printf(" %d", __atomic_nand_fetch(&plain, 3, __ATOMIC_SEQ_CST));
    printf(" %d\n", __sync_fetch_and_nand(&plain, 5));
    __atomic_load(&plain, &kept, 0);
    __atomic_store(&plain, &value, 0);
    __atomic_exchange(&plain, &kept, &value, 0);
    printf("%d %d %d\n", plain, kept, value);
    printf("%d %d\n", __atomic_test_and_set(&byte, 0), byte);
    __atomic_clear(&byte, 0);
    printf("%d %d", byte, __sync_lock_test_and_set(&plain, 3));
    __sync_lock_release(&plain);
    __sync_synchronize();
    printf(" %d\n", plain);
    return 0;
}
