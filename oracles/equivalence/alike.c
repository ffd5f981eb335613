/* Two versions of a function on the same random inputs: alike OLD.so NEW.so COUNT
   prints how many were compared, and the first input that tells the versions apart.

   The comments in capitals are filled in by alike.py. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t seed = 1;

static uint64_t bits(void)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return seed * 0x2545f4914f6cdd1dull;
}

static long within(long low, long high) { return low + (long)(bits() % (uint64_t)(high - low + 1)); }

/* A number of any size, edges and small ones often. */
static long any(void)
{
    static const long edges[] = { 0, 1, -1, INT_MAX, INT_MIN, UINT_MAX, 255, 256, 65535, 4, 100 };

    switch (bits() % 4) {
    case 0: return edges[bits() % (sizeof edges / sizeof *edges)] + within(-1, 1);
    case 1: return within(-20, 20);
    case 2: return within(-3000, 3000);
    default: return (long)bits() >> bits() % 40;
    }
}

/* Bytes that programs ask for, or floating numbers, or small integers. */
static void draw(void *data, size_t size, int count)
{
    static const char likely[] = " \t\n-+0123456789abzAZ/*\"\\{\x80\xbf\xc3\xe2\xf0\xf8";
    int again = bits() % 3 == 0;

    for (int i = 0; i < count; i++) {
        long value = again && i ? 0 : size == 1 ? likely[bits() % sizeof likely] : any();
        if (size == 1 && bits() % 8 == 0)
            value = (long)bits();
        if (again && i)
            memcpy((char *)data + i * size, data, size);
        else if (size == 4 && FLOATS)
            *((float *)data + i) = (float)value / 8;
        else
            memcpy((char *)data + i * size, &value, size);
        if (bits() % 4 == 0)
            again = !again;
    }
}

static void show(const char *name, const void *data, size_t size, int count)
{
    printf("%s =", name);
    for (int i = 0; i < count; i++) {
        long value = 0;
        memcpy(&value, (const char *)data + i * size, size);
        printf(" %#lx", value);
    }
    printf("; ");
}

static unsigned char results[3][64];
static int side;

static void remember_text(const char *text) { strncpy((char *)results[side], text, 63); }
#define remember_number(value) \
    do { __typeof__(value) kept = (value); memcpy(results[side], &kept, sizeof kept); } while (0)

/*DECLARED*/

/* These have no variables of their own, which could hide a parameter. */
static bool parameters_drawn(void)
{
    /*DRAWN*/
    return /*ASSUMED*/;
}

static void parameters_shown(void) { /*SHOWN*/ }

static bool parameters_alike(void) { return true /*ALIKE*/; }

static void *called;

static void call(void)
{
    /*BEFORE*/
    /*CALL*/;
}

static char *printed[3];

static void run(void *entry)
{
    FILE *kept = stdout;
    size_t length;

    free(printed[side]);
    called = entry;
    stdout = open_memstream(&printed[side], &length);
    call();
    fclose(stdout);
    stdout = kept;
}

int main(int argc, char **argv)
{
    void *entries[3];
    long compared = 0;

    for (int i = 1; i <= 2; i++) {
        void *object = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
        entries[i] = object ? dlsym(object, /*ENTRY*/) : NULL;
        if (!entries[i])
            return fprintf(stderr, "%s\n", dlerror()), 2;
    }
    for (long left = atol(argv[3]); left > 0; left--) {
        if (!parameters_drawn())
            continue;
        memset(results, 0, sizeof results);
        for (side = 1; side <= 2; side++)
            run(entries[side]);
        if (!(!memcmp(results[1], results[2], sizeof results[1]) &&
              !strcmp(printed[1], printed[2]) && parameters_alike())) {
            printf("%ld ", compared);
            parameters_shown();
            printf("\n");
            return 0;
        }
        compared++;
    }
    printf("%ld \n", compared);
    return 0;
}
