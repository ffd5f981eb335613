"""Constants and constant expressions have the values that gcc computes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from csg.errors import ParseError
from csg.frontend import parse_expression, parse_text
from csg.frontend.constants import fold
from csg.language.syntax import FloatingConstant, IntegerConstant, StringLiteral
from csg.language.types import INT, Enumeration
from csg.toolchain import compile_program

EXPRESSIONS = """
1 + 2 * 3 | -7 / 2 | -7 % 2 | 7 / -2 | 7 % -2 | 1 << 31 >> 31 | -1 >> 1 | ~0u >> 1 | ~0 | !5 | !0
(char) 200 | (unsigned char) -1 | (short) 70000 | (_Bool) 7 | (int) 2.9 | (int) -2.9 | (long) 1e10
(unsigned) -1 < 0 | -1 < 0u | -1L < 0u | 1 ? 2 : 3 | 0 ? 2 : 3 | 5 ?: 6 | 0 ?: 6 | 1 && 0 | 1 || 0
0 && (1 / 0) | 1 || (1 / 0) | 1 ? 4 : (1 / 0) | 'a' | '\\n' | '\\0' | '\\377' | '\\xff' | 'ab'
'abcd' | '\\'' | '"' | '\\\\' | L'\\xff' | u'\\xffff' | '\\x41' | '\\101' | '\\e' | '\\a' | '?'
'\\?' | sizeof(int) | sizeof(char[10]) | sizeof 'a' | sizeof "abc" | sizeof(long double)
sizeof L"ab" | sizeof(struct pair) | sizeof((struct pair *) 0)->text | _Alignof(double)
_Alignof(struct pair) | __builtin_offsetof(struct pair, text)
__builtin_offsetof(struct pair, text[2]) | __builtin_offsetof(struct pair, in.y)
__builtin_offsetof(struct pair, z) | (long) &((struct pair *) 0)->text[2]
(long) &((struct pair *) 0)->in.y | (int *) 8 - (int *) 0
(char *) &((struct pair *) 0)->in - (char *) 0 | 0x7fffffff + 0u + 1 | 2147483647 * 2u
1.5 + 1.5 == 3 | 1.0f / 3 == 1.0 / 3 | 10 > 9 > 8 | 1 == 1.0 | 0x10 | 010 | 0b11 | 3 ^ 5 | 6 & 3
6 | 9 | _Generic(1, int: 10, long: 20) | _Generic(1L, int: 10, long: 20)
_Generic('a', char: 1, default: 2) | RED | BLUE | GREEN + 1 | MINUS | (enum color) 2
sizeof(enum color) | __builtin_constant_p(7) | __builtin_types_compatible_p(int, const int)
__builtin_types_compatible_p(int, long) | __builtin_choose_expr(1, 5, 6) | -2147483647 - 1
9223372036854775807 | -9223372036854775807 - 1 | 18446744073709551615u >> 60 | sizeof(int (*)[3])
sizeof(union u) | 1 - -1 | + + 1
"""
DECLARATIONS = """
struct pair { char a; char text[5]; struct { short x; long y; } in; union { int z; char q; }; };
union u { char text[9]; int i; };
enum color { RED, GREEN = 5, BLUE, PINK = GREEN * 2 }; enum sign { MINUS = -1 };
"""


def evaluated_by_gcc(expressions: list[str], folder: Path, declarations: str = "") -> list[int]:
    lines = "\n".join(f'printf("%lld\\n", (long long) ({text}));' for text in expressions)
    program = folder / "constants.c"
    program.write_text(
        f"#include <stdio.h>\n{declarations}\nint main(void) {{\n{lines}\nreturn 0; }}\n"
    )
    compile_program([str(program)], str(folder / "constants"), ["-w"])
    done = subprocess.run([folder / "constants"], capture_output=True, text=True, check=True)
    return [int(line) for line in done.stdout.split()]


def evaluated_here(expressions: list[str], declarations: str = "") -> list[int | None]:
    lines = "".join(f"{text};\n" for text in expressions)
    unit = parse_text(f"{declarations}\nvoid f(void) {{\n{lines}}}", "constants.c")
    return [fold(statement.expression) for statement in unit.functions[0].body.items]  # type: ignore[union-attr]


def test_table(tmp_path: Path) -> None:
    expressions = [
        text.strip() for line in EXPRESSIONS.strip().splitlines() for text in line.split(" | ")
    ]
    wanted = evaluated_by_gcc(expressions, tmp_path, DECLARATIONS)
    found = evaluated_here(expressions, DECLARATIONS)
    for text, ours, theirs in zip(expressions, found, wanted, strict=True):
        assert ours is not None, text
        signed = (ours + (1 << 63)) % (1 << 64) - (1 << 63)
        assert signed == theirs, text


ATOMS = ["1", "0", "-3", "7u", "0x80000000", "5L", "2147483647", "'a'", "(char)-1", "3ul", "-1LL",
         "(short)9", "(unsigned char)250", "sizeof(int)"]  # fmt: skip
OPERATORS = ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "<", ">", "<=", ">=", "==", "!=",
             "&&", "||"]  # fmt: skip


def combined(children: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.tuples(children, st.sampled_from(OPERATORS), children).map(lambda t: f"({' '.join(t)})"),
        st.tuples(st.sampled_from("-~!"), children).map(lambda t: f"{t[0]}({t[1]})"),
        st.tuples(children, children, children).map(lambda t: f"({t[0]} ? {t[1]} : {t[2]})"),
        st.tuples(st.sampled_from(["char", "int", "unsigned", "long", "_Bool"]), children).map(
            lambda t: f"({t[0]}) {t[1]}"
        ),
    )


@settings(
    max_examples=10, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
)
@given(st.lists(st.recursive(st.sampled_from(ATOMS), combined, max_leaves=6), min_size=40))
def test_random_expressions(
    tmp_path_factory: pytest.TempPathFactory, expressions: list[str]
) -> None:
    """Signed overflow is undefined, but gcc computes constants as the machine does (-fwrapv)."""
    found = evaluated_here(expressions)
    pairs = zip(expressions, found, strict=True)
    known = [(text, value) for text, value in pairs if value is not None]
    wanted = evaluated_by_gcc([text for text, _ in known], tmp_path_factory.mktemp("constants"))
    for (text, ours), theirs in zip(known, wanted, strict=True):
        assert (ours - theirs) % (1 << 64) == 0, text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('"abc"', b"abc"),
        (r'"a\0b\n\x41\101"', b"a\0b\nAA"),
        (r'"\x1" "a"', b"\x01a"),
        (r'"\1" "23"', b"\x0123"),
        ('"é"', "é".encode()),
        (r'"é"', "é".encode()),
        ('L"é"', b"\xe9\0\0\0"),
        ('u"é"', b"\xe9\0"),
        ('u"😀"', "😀".encode("utf-16-le")),
        ('U"😀"', "😀".encode("utf-32-le")),
        ('"a" L"b"', b"a\0\0\0b\0\0\0"),
        ('u8"é"', "é".encode()),
        (r'"\\\"\'\?"', b"\\\"'?"),
        ('"%d\\t" "x"', b"%d\tx"),
    ],
)
def test_strings(text: str, value: bytes) -> None:
    literal = parse_expression(text, {})
    assert isinstance(literal, StringLiteral)
    assert literal.value == value


@pytest.mark.parametrize(
    ("text", "spelling", "kind"),
    [("1.5", "1.5", "double"), ("1.5f", "1.5", "float"), ("1e3L", "1e3", "long double"),
     ("0x1.8p3", "0x1.8p3", "double"), ("0x1p3f", "0x1p3", "float"), (".5F", ".5", "float"),
     ("1.", "1.", "double"), ("0xfp0", "0xfp0", "double"), ("1E-3", "1E-3", "double")],
)  # fmt: skip
def test_floating(text: str, spelling: str, kind: str) -> None:
    constant = parse_expression(text, {})
    assert isinstance(constant, FloatingConstant)
    assert (constant.text, str(constant.type)) == (spelling, kind)


@pytest.mark.parametrize("text", ["08", "0xg", "1uu", "1z", "9" * 41, "''", "'a"])
def test_bad_constants(text: str) -> None:
    with pytest.raises(ParseError):
        parse_expression(text, {})


def test_the_spelling_is_kept() -> None:
    constant = parse_expression("0x1F", {})
    assert isinstance(constant, IntegerConstant)
    assert (constant.value, constant.type, constant.text) == (31, INT, "0x1F")


@pytest.mark.parametrize(
    ("text", "underlying", "size"),
    [("enum e { A, B }", "unsigned int", 4), ("enum e { A = -1 }", "int", 4),
     ("enum e { A = 0x80000000 }", "unsigned int", 4),
     ("enum e { A = 0x100000000 }", "unsigned long", 8),
     ("enum e { A = -1, B = 0x80000000 }", "long", 8),
     ("enum __attribute__((packed)) e { A }", "unsigned char", 1),
     ("enum e { A = -200 } __attribute__((packed))", "short", 2)],
)  # fmt: skip
def test_enumerations(text: str, underlying: str, size: int) -> None:
    kind = parse_text(f"{text};\nint x;").types[0]
    assert isinstance(kind, Enumeration)
    assert (str(kind.underlying), kind.size) == (underlying, size)
