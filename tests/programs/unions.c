/* Unions: the same bytes as something else; tagged values. */
#include <stdint.h>
#include <stdio.h>

union word { uint32_t whole; uint16_t halves[2]; uint8_t bytes[4]; };

struct value {
    enum { NUMBER, TEXT, PAIR } kind;
    union {
        long number;
        const char *text;
        struct { short left, right; } pair;
    } as;
};

static void show(struct value v)
{
    switch (v.kind) {
    case NUMBER: printf("number %ld\n", v.as.number); break;
    case TEXT: printf("text %s\n", v.as.text); break;
    case PAIR: printf("pair %d %d\n", v.as.pair.left, v.as.pair.right); break;
    }
}

int main(void)
{
    union word w = { 0x11223344 };
    struct value values[3] = { { NUMBER, { 42 } }, { TEXT, { .text = "hi" } } };
    int i;
    printf("%x %x %x %x\n", w.halves[0], w.halves[1], w.bytes[0], w.bytes[3]);
    w.bytes[1] = 0xff;
    printf("%x\n", w.whole);
    w.halves[1] = 0;
    printf("%x %zu\n", w.whole, sizeof w);
    values[2].kind = PAIR;
    values[2].as.pair.left = -1;
    values[2].as.pair.right = 2;
    for (i = 0; i < 3; i++)
        show(values[i]);
    printf("%d\n", (int) (values[2].as.number & 0xffff));
    return 0;
}
