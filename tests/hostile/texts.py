"""C files that are deep, long or odd.

    for name, pair in TEXTS:
        old, new = pair()      texts of two versions of a file with a function f(int)

Each construct of C that may stand in itself does so up to 50,000 times; others are long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

Pair = Callable[[], tuple[str, str]]
DEPTHS = (200, 5_000, 50_000)


def _nested(before: str, inner: str, after: str, depth: int) -> str:
    return before * depth + inner + after * depth


# What stands around an expression, or a statement, again and again.
_EXPRESSIONS = {
    "parentheses": ("(", ")"),
    "negations": ("!", ""),
    "complements": ("~", ""),
    "minuses": ("- ", ""),
    "sums to the right": ("1 + (", ")"),
    "sums to the left": ("(", " + 1)"),
    "chains": ("", " + 1"),
    "products": ("", " * 3"),
    "comparisons": ("", " == 1"),
    "conjunctions": ("", " && x"),
    "disjunctions": ("", " || x"),
    "conditions to the right": ("x ? 1 : ", ""),
    "conditions in the middle": ("x ? ", " : 1"),
    "casts": ("(char)", ""),
    "commas": ("(x, ", ")"),
    "calls": ("g(", ")"),
    "subscripts": ("a[", " & 3]"),
    "sizes": ("sizeof (", ")"),
    "dereferences": ("*&", ""),
    "statement expressions": ("({", ";})"),
}
_STATEMENTS = {
    "blocks": ("{", "}"),
    "ifs": ("if (x) ", ""),
    "ifs with blocks": ("if (x) { x++; ", "}"),
    "alternatives": ("if (x == 1) x = 2; else ", ""),
    "loops": ("while (x) ", ""),
    "loops of for": ("for (; x; ) ", ""),
    "loops of do": ("do ", " while (x);"),
    "switches": ("switch (x) case 1: ", ""),
    "labels": ("", ""),
}


def _of_expression(before: str, after: str, depth: int) -> tuple[str, str]:
    text = "static int a[4];\nstatic int g(int x) { return x; }\nint f(int x) { return %s; }\n"
    both = [text % _nested(before, each, after, depth) for each in ("x", "(x + 1)")]
    return both[0], both[1]


def _of_statement(before: str, after: str, depth: int) -> tuple[str, str]:
    text = "int f(int x) { %s return x; }\n"
    if not before:
        labels = "".join(f"l{number}: " for number in range(depth))
        return text % f"{labels} x = 1;", text % f"{labels} x = 2;"
    both = [text % _nested(before, f"x = {each};", after, depth) for each in (1, 2)]
    return both[0], both[1]


def _around(declaration: str) -> tuple[str, str]:
    """A declaration, before a function that differs."""
    old, new = (f"{declaration}\nint f(int x) {{ return x + {each}; }}\n" for each in (1, 2))
    return old, new


def _declarations(depth: int) -> Iterator[tuple[str, str]]:
    yield "pointers", f"int {'*' * depth}p;"
    yield "arrays", f"extern int a{'[1]' * depth};"
    yield "declarators", f"int {_nested('(', 'd', ')', depth)};"
    yield "functions", f"int {_nested('(*', 'd', ')(void)', depth)};"
    yield "structures", f"{'struct { int m; ' * depth}{'} n;' * depth}"
    yield "braces", f"int b[] = {_nested('{', '1', '}', depth)};"
    yield "brackets", f"int b[4] = {{ [{_nested('(', '1', ')', depth)}] = 2 }};"
    yield "conditions", f"{'#if 1' + chr(10)}" * depth + "int c;\n" + "#endif\n" * depth
    yield "elements", f"int e[] = {{ {'1, ' * depth} }};"
    yield "enumerators", f"enum {{ {', '.join(f'e{each}' for each in range(depth))} }};"
    yield "members", f"struct s {{ {''.join(f'int m{each}; ' for each in range(depth))} }};"
    yield "parameters", f"int p({', '.join(f'int p{each}' for each in range(depth))});"
    yield "prototypes", "".join(f"int p{each}(int);\n" for each in range(depth))
    yield (
        "types",
        "".join(
            f"typedef {f't{each - 1} *' if each else 'int '}t{each};\n" for each in range(depth)
        ),
    )
    yield (
        "macros",
        "#define M0 1\n"
        + "".join(f"#define M{each} M{each - 1} + 1\n" for each in range(1, depth)),
    )
    yield "text", f'const char *t = "{"x" * depth * 20}";'
    yield "texts", f"const char *t = {chr(34)}x{chr(34)}" + ' "x"' * depth + ";"
    yield "a name", f"int {'n' * depth * 20};"
    yield "a comment", f"/* {'*' * depth * 20} */"
    yield "a line", f"int l; {' ' * depth * 20} int m;"
    yield "lines", "\n" * depth * 20
    yield "a number", f"int n = {'9' * depth};"
    yield "digits behind a point", f"double d = 1.{'9' * depth};"
    yield "attributes", f"int __attribute__ (({'unused, ' * depth} unused)) u;"
    yield "assembly", 'void q(void) { __asm__ ("nop"); }\n'


_ODD = {
    "no end": "int g(int x) { return x;",
    "no comment's end": "/* ",
    "no text's end": 'const char *t = "',
    "no character's end": "char c = '",
    "a null character": "int z\0;",
    "an escape": "int z; \x1b[2J\x1b]0;x\x07",
    "carriage returns": "int z;\rint y;\r",
    "bidi": "int z; /* \u202e */",
    "letters of Greek": "int \u03b1\u03b2;",
    "a line of an unknown file": '# 1 "/nowhere"\nint z;',
    "a line of a device": '#line 1 "/dev/zero"\nint z;',
    "a line far away": "#line 2147483647\nint z;\nint y;",
    "a file that is itself": "#include __FILE__",
    "a device that is included": '#include "/dev/zero"',
    "a pipe that is included": '#include "/dev/stdin"',
    "a file of the user": '#include "/etc/passwd"',
    "an error": "#error \x1b[31mred",
    "a warning": "#warning \x1b[31mred",
    "a pragma": '#pragma GCC diagnostic error "-Wall"\n#pragma pack(push, 1)',
    "a plugin": '#pragma GCC optimize ("-fplugin=./made")',
    "assembly of a file": '__asm__ (".incbin \\"/dev/zero\\"");',
    "assembly without end": '__asm__ (".rept 1000000000\\n.byte 0\\n.endr");',
    "space without end": '__asm__ (".space 0x100000000");',
    "an object of a terabyte": "char big[1UL << 40];",
    "an array of every address": "char big[-1UL >> 1];",
    "a structure of gigabytes": "struct { char m[1UL << 33]; } big = { { 1 } };",
    "no size": "int n[0]; struct { } e;",
    "a negative size": "int n[-1];",
    "a type of itself": "struct s { struct s s; };",
    "a function of itself": "int h(int x) { return h(x); }",
    "macros of themselves": "#define A B B\n#define B A A\nint z = sizeof (A);",
    "growing macros": "#define A0 1,\n"
    + "".join(f"#define A{n} A{n - 1} A{n - 1} A{n - 1} A{n - 1}\n" for n in range(1, 16))
    + "int z[] = { A15 };",
    "our names": "int change(int x, int y) { return x; } int execute; enum { OLD, NEW };",
    "names of the harness": "int csgtest_entry; void csgtest_main(void) { }",
    "a main": "int main(int argc, char **argv, char **env) { return argc; }",
    "a constructor": "__attribute__ ((constructor)) void k(void) { for (;;) ; }",
    "another allocator": "void *malloc(unsigned long n) { return 0; } void free(void *p) { }",
    "another exit": "void exit(int n) { for (;;) ; } void _exit(int n) { for (;;) ; }",
    "digraphs": "int z<:2:> = <% 1, 2 %>;",
    "trigraphs": "int z??(2??) = ??< 1, 2 ??>;",
}


def texts() -> Iterator[tuple[str, Pair]]:
    for depth in DEPTHS:
        for name, around in _EXPRESSIONS.items():
            yield f"{name} {depth}", partial(_of_expression, *around, depth)
        for name, around in _STATEMENTS.items():
            yield f"{name} {depth}", partial(_of_statement, *around, depth)
        for name, text in _declarations(depth):
            yield f"{name} {depth}", partial(_around, text)
    for name, text in _ODD.items():
        yield name, partial(_around, text)


TEXTS = [*texts()]
