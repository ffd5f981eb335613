"""Tokens, and the pass that takes out what is GNU's own."""

from __future__ import annotations

import pytest

from csg.errors import ParseError
from csg.frontend.tokens import standard_tokens, tokenize


def tokens_of(text: str) -> tuple[str, list[str]]:
    """The tokens in one line, and what was dropped."""
    dropped: list[tuple[object, str]] = []
    tokens = standard_tokens(tokenize(text, "a.c"), dropped)  # type: ignore[arg-type]
    return " ".join(token.value for token in tokens), [what for _, what in dropped]


@pytest.mark.parametrize(
    ("text", "tokens", "dropped"),
    [
        ("__extension__ int x;", "int x ;", []),
        ("static __inline__ void f();", "static inline void f ( ) ;", []),
        ("__const char *__restrict p;", "const char * restrict p ;", []),
        ("int x __attribute__((unused));", "int x ;", ["__attribute__((unused))"]),
        ("int x __attribute__((__unused__, aligned(8)));", "int x __attribute__ ;",
         ["__attribute__((unused))"]),
        ("__attribute__(()) int x;", "int x ;", []),
        ("[[noreturn]] void f();", "__attribute__ void f ( ) ;", []),
        ("[[gnu::unused, nodiscard]] int f();", "int f ( ) ;",
         ["__attribute__((unused))", "__attribute__((nodiscard))"]),
        ("a[b[0]]", "a [ b [ 0 ] ]", []),
        ("asm volatile (\"nop\" : : \"r\"(x));", 'asm ("nop" : : "r" ( x )) ;', []),
        ("{ __label__ a, b; x; }", "{ x ; }", []),
        ("#pragma GCC diagnostic push\nint x;", "int x ;", ["#pragma GCC diagnostic push"]),
        ("#pragma pack(1)\nint x;", "pack(1) int x ;", []),
        ("<: :> <% %>", "[ ] { }", []),
        ("x+++--y->z...", "x ++ + -- y -> z ...", []),
        ("0x1p-3 1e+5 .5f 1.e3 0xe+1", "0x1p-3 1e+5 .5f 1.e3 0xe+1", []),
        ('L"a" u8"b" "c\\"d" L\'x\' \'\\\'\'', 'L"a" u8"b" "c\\"d" L\'x\' \'\\\'\'', []),
        ("été $x _9", "été $x _9", []),
        ('R"(a\\n"b)" LR"-()a)-" R(1)', '"a\\\\n\\"b" L")a" R ( 1 )', []),
    ],
)  # fmt: skip
def test_tokens(text: str, tokens: str, dropped: list[str]) -> None:
    assert tokens_of(text) == (tokens, dropped)


def test_lines_go_on_in_a_raw_string() -> None:
    first, second = tokenize('R"(a\n b\n)" x', "a.c")
    assert first.value == r'"a\n b\n"'
    assert (first.lineno, second.lineno, second.column) == (1, 3, 4)


def test_places_follow_the_line_markers() -> None:
    text = 'int a;\n# 10 "b.h" 1\n  int b;\n# 3 "a.c" 2\nint c;'
    places = [str(t.location) for t in tokenize(text, "a.c") if t.type == "ID"]
    assert places == ["a.c:1:5", "b.h:10:7", "a.c:3:5"]


@pytest.mark.parametrize(
    ("text", "message"),
    [("int @;", "stray '@'"), ('"abc', 'missing terminating "'), ("'a", "missing terminating '"),
     ("__attribute__((aligned", "'__attribute__' is not closed"), ("asm;", "'(' expected"),
     ("#define X", "directive"), ("\udcff", "stray byte 0xff")],
)  # fmt: skip
def test_stray_text(text: str, message: str) -> None:
    with pytest.raises(ParseError) as caught:
        tokens_of(text)
    assert message in caught.value.message
    assert caught.value.location is not None
