/* A byte code machine: an instruction table, a stack, calls, jumps; a factorial runs on it. */
#include <stdint.h>
#include <stdio.h>

enum op { PUSH, ADD, SUB, MUL, DUP, POP, JZ, JMP, CALL, RET, PRINT, HALT };

struct machine {
    const int8_t *code;
    int pc, sp, cp;
    int32_t stack[32];
    int calls[16];
    long steps;
};

static int step(struct machine *m)
{
    int32_t *s = m->stack;
    m->steps++;
    switch ((enum op) m->code[m->pc++]) {
    case PUSH: s[m->sp++] = m->code[m->pc++]; break;
    case ADD: m->sp--; s[m->sp - 1] += s[m->sp]; break;
    case SUB: m->sp--; s[m->sp - 1] -= s[m->sp]; break;
    case MUL: m->sp--; s[m->sp - 1] *= s[m->sp]; break;
    case DUP: s[m->sp] = s[m->sp - 1]; m->sp++; break;
    case POP: m->sp--; break;
    case JZ: m->pc = s[m->sp - 1] == 0 ? m->code[m->pc] : m->pc + 1; break;
    case JMP: m->pc = m->code[m->pc]; break;
    case CALL: m->calls[m->cp++] = m->pc + 1; m->pc = m->code[m->pc]; break;
    case RET: m->pc = m->calls[--m->cp]; break;
    case PRINT: printf("%d\n", s[--m->sp]); break;
    case HALT: return 0;
    default: printf("bad\n"); return 0;
    }
    return 1;
}

static const int8_t program[] = {
    /* 0 */ PUSH, 10, CALL, 6, PRINT, HALT,
    /* 6: n -> n! */ JZ, 17, DUP, PUSH, 1, SUB, CALL, 6, MUL, RET, HALT,
    /* 17 */ POP, PUSH, 1, RET,
};

int main(void)
{
    struct machine m = { .code = program };
    while (step(&m))
        ;
    printf("%d %d %ld\n", m.sp, m.cp, m.steps);
    return m.pc;
}
