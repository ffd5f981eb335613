"""Pairs of programs that differ in declarations, attributes, pragmas and assembly, or by flags.

    static char b[] = "a,b";   ->   static const char b[] = "a,b";      writing to it traps
    enum e {A, B};             ->   enum e {N = -1, A, B};              (enum e)x may be negative

Each takes one byte as its argument and prints. The members of a kind differ in types and in the
byte that matters. Some edits can be seen by no run: those are there as well.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

FRAME = """\
#include <stddef.h>
#include <stdio.h>
#include <string.h>
{head}
int main(int argc, char **argv)
{{
    if (argc < 2)
        return 9;
    int x = (signed char)argv[1][0];
    unsigned u = (unsigned char)argv[1][0];
    (void)x, (void)u;
    {body}
    return 0;
}}
"""
PRINT = 'printf("%d %d\\n", (int)({}), u == {});'
_LETTER = re.compile(r"(?<![\w\"])[KNPT](?![\w\"])")


@dataclass(frozen=True)
class Pair:
    name: str
    old: str
    new: str
    flags: tuple[str, ...] = ()


Edit = tuple[str, str, str] | tuple[str, str, str, str]
# A kind: the head of the old version, that of the new one, and what both do; or what each does.
# K is the byte that matters, T an integer type, N a small number, P a power of two.
EDITS: dict[str, Edit] = {
    "const-array": (
        'static char b[] = "a,b";',
        'static const char b[] = "a,b";',
        "if (u == K) ((char *)b)[0] = 90; puts((char *)b);",
    ),
    "const-array-removed": (
        'static const char b[] = "a,b";',
        'static char b[] = "a,b";',
        "if (u == K) ((char *)b)[0] = 90; puts((char *)b);",
    ),
    "const-number": (
        "static T n[2] = {N, 1};",
        "static const T n[2] = {N, 1};",
        'if (u == K) *(T *)n = 7; printf("%d\\n", (int)n[0]);',
    ),
    "const-structure": (
        "struct s {int a; T b;}; static struct s s = {1, N};",
        "struct s {int a; T b;}; static const struct s s = {1, N};",
        'struct s *p = (struct s *)&s; if (u == K) p->b = 3; printf("%d\\n", (int)p->b);',
    ),
    "const-pointers": (
        'static const char *names[] = {"a", "b"};',
        'static const char *const names[] = {"a", "b"};',
        'if (u == K) ((const char **)names)[1] = "z"; puts(names[u & 1]);',
    ),
    "const-inner": (
        "", "",
        "static T n[2] = {N}; if (u == K) *(T *)n = 5; printf(\"%d\\n\", (int)n[0]);",
        "static const T n[2] = {N}; if (u == K) *(T *)n = 5; printf(\"%d\\n\", (int)n[0]);",
    ),
    "enum-negative": (
        "enum e {A, B};",
        "enum e {M = -N, A = 0, B};",
        'enum e e = u == K ? (enum e)-1 : B; puts(e < 0 ? "negative" : "fine");',
    ),
    "enum-negative-returned": (
        "enum e {A, B}; static enum e get(int k) { return k == K ? (enum e)-1 : A; }",
        "enum e {M = -N, A = 0, B}; static enum e get(int k) { return k == K ? (enum e)-1 : A; }",
        'puts(get((int)u) < 0 ? "bad" : "ok");',
    ),
    "enum-wide": (
        "enum e {A, B};",
        "enum e {A, B, W = 0x100000000};",
        'enum e e = x * (1L << 40) + u; printf("%ld\\n", (long)e);',
    ),
    "enum-bit-field": (
        "enum e {A = 1, B = 2}; struct s {enum e e : 8;};",
        "enum e {A = 1, B = 2, M = -N}; struct s {enum e e : 8;};",
        'struct s s; s.e = x; printf("%d\\n", s.e < 0);',
    ),
    "enum-member": (
        "enum e {A, B}; struct s {char c; enum e e;};",
        "enum e {A, B, W = 0x200000000}; struct s {char c; enum e e;};",
        'struct s s[2]; printf("%d\\n", (int)((char *)&s[1].e - (char *)s) + (u == K));',
    ),
    "alias": (
        "int g(int a) { return a + N; } int h(int a) { return a; }"
        ' int f(int) __attribute__((alias("g")));',
        "int g(int a) { return a + N; } int h(int a) { return a; }"
        ' int f(int) __attribute__((alias("h")));',
        'printf("%d\\n", u == K ? f(x) : x);',
    ),
    "alias-of-object": (
        'int a = 1, b = N + 1; extern int c __attribute__((alias("a")));',
        'int a = 1, b = N + 1; extern int c __attribute__((alias("b")));',
        'printf("%d\\n", u == K ? c : 0);',
    ),
    "alias-instead": (
        "int a = N; int c;",
        'int a = N; extern int c __attribute__((alias("a")));',
        'if (u == K) c = 30; printf("%d\\n", a);',
    ),
    "alias-given-up": (
        "int a = N; extern int c __attribute__((alias(\"a\")));",
        "int a = N; int c = N;",
        'if (u == K) c = 30; printf("%d\\n", a);',
    ),
    "name-in-assembly": (
        "int one(int a) { return a; } int two(int a) { return a + N; }"
        ' extern int f(int) __asm__("one");',
        "int one(int a) { return a; } int two(int a) { return a + N; }"
        ' extern int f(int) __asm__("two");',
        'printf("%d\\n", u == K ? f(x) : 0);',
    ),
    "weak-defined": (
        "int w(int a) __attribute__((weak));",
        "int w(int a) __attribute__((weak)); int w(int a) { return a + N; }",
        'printf("%d\\n", w ? w(x) : x);',
    ),
    "assembly-data": (
        '__asm__(".globl zz\\n.data\\nzz: .long 5\\n.text\\n"); extern int zz;',
        '__asm__(".globl zz\\n.data\\nzz: .long 5 + N\\n.text\\n"); extern int zz;',
        'printf("%d\\n", u == K ? zz + x : x);',
    ),
    "assembly-function": (
        '__asm__(".text\\n.globl five\\nfive: movl $5, %eax\\nret\\n"); extern int five(void);',
        '__asm__(".text\\n.globl five\\nfive: movl $6, %eax\\nret\\n"); extern int five(void);',
        'printf("%d\\n", u == K ? five() : 0);',
    ),
    "aligned-inner": (
        "", "",
        'static char k __attribute__((aligned(4))); printf("%d\\n", (int)((size_t)&k % P == 0));',
        'static char k __attribute__((aligned(P))); printf("%d\\n", (int)((size_t)&k % P == 0));',
    ),
    "aligned-type": (
        "typedef char A; static char one; static A k, m;",
        "typedef char A __attribute__((aligned(P))); static char one; static A k, m;",
        'printf("%d\\n", (int)((size_t)&k % P | (size_t)&m % P) != 0); one = 1;',
    ),
    "section": (
        "static int k = 1, m = 2; static int o __attribute__((section(\"own\"))) = 3;"
        " extern int __start_own[], __stop_own[];",
        "static int k = 1; static int m __attribute__((section(\"own\"))) = 2;"
        " static int o __attribute__((section(\"own\"))) = 3;"
        " extern int __start_own[], __stop_own[];",
        'printf("%d\\n", (int)(__stop_own - __start_own) * (u == K) + k + m + o);',
    ),
    "section-order": (
        'static T m __attribute__((section("own"), used)) = N;'
        ' static T o __attribute__((section("own"), used)) = 20; extern T __start_own[];',
        'static T o __attribute__((section("own"), used)) = 20;'
        ' static T m __attribute__((section("own"), used)) = N; extern T __start_own[];',
        'printf("%d\\n", u == K ? (int)__start_own[0] : 0);',
    ),
    "section-of-constants": (
        "static T k = N;",
        'static T k __attribute__((section(".rodata,\\"a\\",@progbits#"))) = N;',
        'if (u == K) k = 2; printf("%d\\n", (int)k);',
    ),
    "section-of-constants-inner": (
        "", "",
        'static T k = N; if (u == K) k = 2; printf("%d\\n", (int)k);',
        'static T k __attribute__((section(".rodata,\\"a\\",@progbits#"))) = N;'
        ' if (u == K) k = 2; printf("%d\\n", (int)k);',
    ),
    "const-volatile": (
        "static volatile T k = N;",
        "static const volatile T k = N;",
        'if (u == K) *(T *)&k = 2; printf("%d\\n", (int)k);',
    ),
    "const-volatile-removed": (
        "static const volatile T k = N;",
        "static const T k = N;",
        'if (u == K) *(T *)&k = 2; printf("%d\\n", (int)*(volatile T *)&k);',
    ),
    "overflow-attribute": (
        "static int up(int a) { return a + N > a; }",
        '__attribute__((optimize("no-wrapv"))) static int up(int a) { return a + N > a; }',
        'printf("%d\\n", up(0x7fffffff - (u == K)));',
    ),
    "overflow-pragma": (
        "static int up(int a) { return a + N > a; }",
        '#pragma GCC push_options\n#pragma GCC optimize("no-wrapv")\n'
        "static int up(int a) { return a + N > a; }\n#pragma GCC pop_options",
        'printf("%d\\n", up(0x7fffffff - (u == K)));',
    ),
    "without-effect": (
        "static int say(int a) { puts(\"one\"); return a; }",
        "static int say(int a) __attribute__ ((const));"
        " static int say(int a) { puts(\"one\"); return a; }",
        "if (u == K) say(N); putchar(65);",
    ),
    "pure": (
        "static int say(int a) { puts(\"one\"); return a; }",
        "__attribute__((pure, unused)) static int say(int a) { puts(\"one\"); return a; }",
        "if (u == K) say(N); putchar(65);",
    ),
    "without-effect-unused": (
        "static int say(int a) { return a; }",
        "[[gnu::unused, gnu::const]] static int say(int a) { return a; }",
        'printf("%d\\n", u == K ? say(N) : 0);',
    ),
    "jump-back": (
        *('#include <setjmp.h>\nstatic jmp_buf back;',) * 2,
        'T n = 9; if (setjmp(back) == 0) { n = 10; longjmp(back, N); }'
        ' printf("%d\\n", u == K ? (int)n : 0);',
        'register T n = 9; if (setjmp(back) == 0) { n = 10; longjmp(back, N); }'
        ' printf("%d\\n", u == K ? (int)n : 0);',
    ),
    "jump-back-by-attribute": (
        *("int own(void **) __attribute__((returns_twice));"
          " __asm__(\".globl own\\n.text\\nown: movq %rbx, (%rdi)\\nmovq %rbp, 8(%rdi)\\n"
          "leaq 8(%rsp), %rax\\nmovq %rax, 16(%rdi)\\nmovq (%rsp), %rax\\nmovq %rax, 24(%rdi)\\n"
          "movq %r12, 32(%rdi)\\nxorl %eax, %eax\\nret\\n\");"
          " void go(void **) __attribute__((noreturn));"
          " __asm__(\".globl go\\n.text\\ngo: movq (%rdi), %rbx\\nmovq 8(%rdi), %rbp\\n"
          "movq 32(%rdi), %r12\\nmovl $1, %eax\\nmovq 16(%rdi), %rsp\\njmp *24(%rdi)\\n\");"
          " static void *back[5];",) * 2,
        'T n = 9; if (own(back) == 0) { n = 10; go(back); } printf("%d\\n", u == K ? (int)n : 0);',
        'register T n = 9; if (own(back) == 0) { n = 10; go(back); }'
        ' printf("%d\\n", u == K ? (int)n : 0);',
    ),
    "constructor": (
        "static int n; static void begin(void) { n = N; }",
        "static int n; __attribute__((constructor)) static void begin(void) { n = N; }",
        'if (n > 100) begin(); printf("%d\\n", u == K ? n : 0);',
    ),
    "constructor-priority": (
        "static int n;"
        " __attribute__((constructor(201))) static void one(void) { n = n * 2 + 1; }"
        " __attribute__((constructor(202))) static void two(void) { n = n * 3; }",
        "static int n;"
        " __attribute__((constructor(203))) static void one(void) { n = n * 2 + 1; }"
        " __attribute__((constructor(202))) static void two(void) { n = n * 3; }",
        'printf("%d\\n", u == K ? n : 0);',
    ),
    "destructor": (
        'static void end(void) { puts("end"); }',
        '__attribute__((destructor)) static void end(void) { puts("end"); }',
        "if (u == K + 1000) end(); putchar(65);",
    ),
    "packed-member": (
        "struct s {char c; int i;};",
        "struct s {char c; int i __attribute__((packed));};",
        'printf("%d\\n", (int)sizeof(struct s) * (u == K));',
    ),
    "packed": (
        "struct s {char c; T i; short h;};",
        "struct __attribute__((packed)) s {char c; T i; short h;};",
        'static struct s s[2]; printf("%d\\n", (int)((char *)&s[1] - (char *)s) + (u == K));',
    ),
    "pragma-pack": (
        "struct s {char c; int i;};",
        "#pragma pack(1)\nstruct s {char c; int i;};\n#pragma pack()",
        'printf("%d\\n", (int)offsetof(struct s, i) + x);',
    ),
    "aligned-member": (
        "struct s {char c; char d;};",
        "struct s {char c; char d __attribute__((aligned(P)));};",
        'struct s s; printf("%d\\n", (int)(&s.d - &s.c) + x);',
    ),
    "storage-order": (
        "struct s {unsigned i;};",
        'struct __attribute__((scalar_storage_order("big-endian"))) s {unsigned i;};',
        'struct s s; s.i = N + u; printf("%d\\n", *(unsigned char *)&s);',
    ),
    "bit-field-type": (
        "struct s {int b : 3;};",
        "struct s {unsigned b : 3;};",
        'struct s s; s.b = x; printf("%d\\n", s.b);',
    ),
    "mode": (
        "typedef int M;",
        "typedef int M __attribute__((mode(QI)));",
        'M m = x * 2 + N; printf("%d\\n", (int)m);',
    ),
    "thread-local": ("static T n = N;", "static _Thread_local T n = N;",
                     'n += u; printf("%d\\n", (int)n);'),
    "volatile": ("static T n = N;", "static volatile T n = N;", 'n += u; printf("%d\\n", (int)n);'),
    "visibility": (
        "int v(int a) { return a + N; }",
        '__attribute__((visibility("hidden"))) int v(int a) { return a + N; }',
        'printf("%d\\n", v(x));',
    ),
    "inline": (
        "static int v(int a) { return a + N; }",
        "static inline int v(int a) { return a + N; }",
        'printf("%d\\n", v(x));',
    ),
    "static": (
        "int v(int a) { return a + N; }",
        "static int v(int a) { return a + N; }",
        'printf("%d\\n", v(x));',
    ),
    "weak": (
        "int v(int a) { return a + N; }",
        "__attribute__((weak)) int v(int a) { return a + N; }",
        'printf("%d\\n", v(x));',
    ),
    "noinline": (
        "static int v(int a) { return a + N; }",
        "__attribute__((noinline)) static int v(int a) { return a + N; }",
        'printf("%d\\n", v(x));',
    ),
    "register": (
        "", "",
        'int r = x + N; printf("%d\\n", r);',
        'register int r __asm__("ebx") = x + N; printf("%d\\n", r);',
    ),
    "flexible": (
        "struct s {int n; char t[0];};",
        "struct s {int n; char t[];};",
        'printf("%d\\n", (int)sizeof(struct s) + x);',
    ),
    "measured-only": (
        "typedef char C;",
        "typedef signed char C;",
        'printf("%d\\n", (int)sizeof(C) + x);',
    ),
    "prototype": (
        "static int v() { return N; }",
        "static int v(void) { return N; }",
        'printf("%d\\n", v() + x);',
    ),
}  # fmt: skip
# Both versions are compiled with the flag; one computes what the other has as a constant.
FLAGS: dict[str, tuple[str, str, str, str]] = {
    "-funsigned-char": ("", "char k = argv[1][0];", "k > 127", "0"),
    "-fno-signed-char": ("", "char k = argv[1][0] - N;", "k < 0", "(signed char)k < 0"),
    "-fpack-struct=1": ("struct s {char a; int b;};", "", "sizeof(struct s) == 8", "1"),
    "-fpack-struct": ("struct s {char a; T b[2]; long c;};", "", "offsetof(struct s, c) % 8", "0"),
    "-fshort-enums": ("enum e {A, B};", "", "sizeof(enum e) == 4", "1"),
    "-funsigned-bitfields": ("struct s {int b : 3;};", "struct s s; s.b = x;", "s.b < 0", "x & 4"),
    "-fshort-wchar": ("", "", "sizeof(L'a') == 4", "1"),
    "-mlong-double-64": ("", "", "sizeof(long double) == 16", "1"),
    "-fsingle-precision-constant": ("", "", "0.1 * x == x / 10.0", "0.1 * (double)x == x / 10.0"),
    "-mms-bitfields": ("struct s {char a : 4; int b : 4;};", "", "sizeof(struct s) == 4", "1"),
}


def pairs(members: int = 5) -> list[Pair]:
    """So many members of each kind."""
    return [pair for number in range(members) for pair in _members(number)]


def _members(number: int) -> Iterator[Pair]:
    for name, edit in EDITS.items():
        fill = _filled(f"{name} {number}")
        old, new, *bodies = (fill(part) for part in edit)
        yield Pair(
            f"{name}-{number}",
            FRAME.format(head=old, body=bodies[0]),
            FRAME.format(head=new, body=bodies[-1]),
        )
    for flag, parts in FLAGS.items():
        fill = _filled(f"{flag} {number}")
        head, first, computed, constant = (fill(part) for part in parts)
        old, new = (
            FRAME.format(head=head, body=f"{first} {PRINT.format(value, fill('K'))}")
            for value in (computed, constant)
        )
        yield Pair(f"{flag.lstrip('-')}-{number}", old, new, (flag,))


def _filled(seed: str) -> Callable[[str], str]:
    """Replaces K, N, P and T by values that depend on the seed alone."""
    choice = random.Random(seed)
    values = {
        "K": str(choice.randrange(1, 256)),
        "N": str(choice.randrange(1, 9)),
        "P": str(choice.choice((64, 128, 256, 512))),
        "T": choice.choice(("int", "short", "long", "signed char", "unsigned")),
    }

    def fill(text: str) -> str:
        return _LETTER.sub(lambda found: values[found[0]], text)

    return fill
