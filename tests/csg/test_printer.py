"""Printed programs: what stands there, and that it is the same program."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from csg.frontend import parse_file, parse_text
from csg.language.printer import print_unit
from csg.language.type_text import declaration_text
from csg.language.types import (
    CHAR,
    DOUBLE,
    INT,
    ULONG,
    VOID,
    Array,
    Function,
    Pointer,
    Record,
    RecordKind,
    Type,
    size_of,
)
from csg.toolchain import compile_program
from tests.command_line import given_to
from tests.nightly import nightly

PROGRAMS = sorted((Path(__file__).parents[1] / "programs").glob("*.c"))
QUICK = (
    "initialisers",
    "literals",
    "unions",
    "bit_fields",
    "typedefs",
    "gotos",
    "variable_arguments",
)

CONST = frozenset({"const"})
TEXTS: list[tuple[Type, str]] = [
    (INT, "int x"),
    (Pointer(CHAR, CONST), "const char *x"),
    (Pointer(Pointer(CHAR), CONST), "char *const *x"),
    (Array(Pointer(INT), 3), "int *x[3]"),
    (Pointer(Array(INT, 3)), "int (*x)[3]"),
    (Array(Array(INT, 2), 3), "int x[3][2]"),
    (Pointer(Function(INT, (CHAR, DOUBLE))), "int (*x)(char, double)"),
    (Function(VOID, (), prototype=True), "void x(void)"),
    (Function(INT, (), prototype=False), "int x()"),
    (Function(INT, (Pointer(CHAR, CONST),), variadic=True), "int x(const char *, ...)"),
    (Function(Pointer(Function(INT, (INT,))), (INT,)), "int (*x(int))(int)"),
    (Array(Pointer(Function(Pointer(VOID), (ULONG,))), 4), "void *(*x[4])(unsigned long)"),
    (Pointer(Record(RecordKind.STRUCT, "node")), "struct node *x"),
    (Record(RecordKind.UNION, "<anonymous>7"), "union csgtest_anonymous_7 x"),
]


@pytest.mark.parametrize(("kind", "text"), TEXTS, ids=[text for _, text in TEXTS])
def test_declaration(kind: Type, text: str) -> None:
    assert declaration_text(kind, "x") == text


EXPRESSIONS = [
    "(a + b) * c",
    "a + b * c",
    "a - (b - c)",
    "a - b - c",
    "-(-a)",
    "- -a",
    "a & (b == c)",
    "(a, b)",
    "a ? b : c ? a : b",
    "(a ? b : c) ? a : b",
    "a = b = c",
    "(a = b) == c",
    "p[a + 1]",
    "*(p + 1)",
    "(*p)++",
    "*p++",
    "&p[1] - p",
    "!(a && b) || c",
    "a || (b && c)",
    "(char) a + b",
    "(char) (a + b)",
    "sizeof(a) + sizeof(int *)",
    "a += b -= c",
    "~a | b ^ c & a",
    "1u + 2L - 3ull",
    "0x1F + '\\n'",
    "p ? *p : a",
]


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_printed_expressions_mean_the_same(text: str, tmp_path: Path) -> None:
    """Printed again, and compiled: the code is the same to the last instruction."""
    source = f"int f(int a, int b, int c, int *p) {{ return (long) ({text}); }}\n"
    printed = print_unit(parse_text(source))
    assert assembly(source, tmp_path / "one.c") == assembly(printed, tmp_path / "two.c")


def assembly(text: str, path: Path) -> str:
    path.write_text(text)
    done = subprocess.run(
        ["gcc", "-w", "-O0", "-S", "-o", "-", str(path)], capture_output=True, text=True, check=True
    )
    return "\n".join(line for line in done.stdout.splitlines() if ".file" not in line)


def native(
    source: Path, binary: Path, given: tuple[list[str], bytes] = ([], b"")
) -> tuple[int, bytes, bytes]:
    compile_program(
        [str(source)], str(binary), ["-std=gnu11", "-w", "-ftrivial-auto-var-init=zero", "-lm"]
    )
    arguments, stdin = given
    done = subprocess.run(
        [str(binary), *arguments], input=stdin, capture_output=True, timeout=20, check=False
    )
    return done.returncode, done.stdout, done.stderr.replace(f"{PROGRAMS[0].parent}/".encode(), b"")


@pytest.mark.parametrize(
    "path",
    nightly(
        PROGRAMS, [each for at, each in enumerate(PROGRAMS) if at % 8 and each.stem not in QUICK]
    ),
    ids=lambda path: path.stem,
)
def test_a_printed_program_runs_as_the_original(path: Path, tmp_path: Path) -> None:
    text = print_unit(parse_file(str(path)))
    printed = tmp_path / "printed.c"
    printed.write_text("#define __csgtest_assert_fail __assert_fail\n" + text)
    given = given_to(path.read_text())
    original = native(path, tmp_path / "it", given)
    assert native(printed, tmp_path / "it", given) == original


def test_layouts_survive(tmp_path: Path) -> None:
    text = """
    #include <stdio.h>
    struct __attribute__((packed)) p { char a; int b; };
    struct q { char a; _Alignas(16) int b; struct { int c; union { int d; char e; }; }; };
    union u { struct p p; double d; char text[13]; };
    struct r { int a : 3; int : 5; int b : 4; int : 0; int c : 7; char d; long : 33; long f : 9; };
    static struct r r;
    int main(void)
    {
        struct q q = { .c = 3, .e = 'x' };
        printf("%zu %zu %zu %zu", sizeof(struct p), sizeof(struct q), sizeof(union u), sizeof(r));
        printf("%d %d %d", q.c, q.d, (int) ((char *) &q.b - (char *) &q));
        r.b = 5, r.c = 9, r.d = 1, r.f = 3;
        for (unsigned i = 0; i < sizeof r; i++)
            printf(" %d", ((char *) &r)[i]);
        return 0;
    }
    """
    (tmp_path / "a.c").write_text(text)
    (tmp_path / "b.c").write_text(print_unit(parse_text(text)))
    assert native(tmp_path / "a.c", tmp_path / "it") == native(tmp_path / "b.c", tmp_path / "it")


def test_prototypes_leave_lengths_open_that_their_parameters_say(tmp_path: Path) -> None:
    text = "int f(int n, int m, int a[n][m]) { return a[n - 1][m - 1]; }\n"
    printed = print_unit(parse_text(text))
    assert "int f(int, int, int (*)[*]);" in printed
    (tmp_path / "again.c").write_text(printed)
    compile_program([str(tmp_path / "again.c")], str(tmp_path / "again.o"), ["-c", "-w"])


@pytest.mark.parametrize("values", ["A", "A = -1", "A = 255", "A = 256", "A = -129", "A = 65536"])
@pytest.mark.parametrize("attribute", ["", "__attribute__((packed))"])
def test_an_enumeration_keeps_its_size(attribute: str, values: str) -> None:
    text = f"typedef enum {{ {values} }} {attribute} kind; struct s {{ char c; kind k; }} s;"
    unit = parse_text(text, "enum.c")
    again = parse_text(print_unit(unit), "printed.c")
    sizes = [size_of(each.declarations[-1].symbol.type) for each in (unit, again)]
    assert sizes[0] == sizes[1] == (8 if not attribute or "6553" in values else sizes[0])
