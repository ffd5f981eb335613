"""Statements as graphs show them."""

from __future__ import annotations

import pytest

from csg.frontend import parse_text
from csg.ir import Node
from csg.lower import lower


def nodes(text: str, entry: str = "main") -> list[Node]:
    return lower([parse_text(text, "t.c")], entry=entry).nodes


@pytest.mark.parametrize(
    ("code", "texts"),
    [
        ("if (x > 0) y = 1; else y = 2;", ["if (x > 0)", "y = 1;", "y = 2;"]),
        ("if (x)\n    if (y) g();", ["if (x)", "if (y)", "g();"]),
        ("while (x && y) { x--; }", ["while (x && y)", "x--;"]),
        ("do { *p = 1; } while (x);", ["*p = 1;", "while (x)"]),
        (
            "for (int i = 0; i < 3; i++) g();",
            ["int i = 0;", "for (int i = 0; i < 3; i++)", "g();", "i++"],
        ),
        ("x = g(1,\n      /* two */ 2);", ["x = g(1, 2);"]),
        ("switch (x) { case 1: y = 2; break; }", ["switch (x)", "y = 2;", "break;"]),
        ("g(\"a;b\", ';'); y = x;", ["g(\"a;b\", ';');", "y = x;"]),
        ("int a = 1, b = 2;", ["int a = 1, b = 2;", "b = 2;"]),
        ("int t[2] = {1,\n 2};", ["int t[2] = {1, 2};"]),
        ("int z; goto out; out: x = 1;", ["goto out;", "x = 1;"]),
        ("(*p)++; return;", ["(*p)++;", "return;"]),
    ],
)
def test_the_text_is_the_source_on_one_line(code: str, texts: list[str]) -> None:
    found = nodes(f"int g(); void f(int x, int y, int *p)\n{{\n{code}\n}}")
    assert [node.text for node in found[1:-1]] == texts


def test_a_function_has_an_entry_and_an_exit() -> None:
    found = nodes("int main(void)\n{\n    return 3;\n}\n")
    assert [(node.kind, node.location.line) for node in found] == [
        ("entry", 1),
        ("return", 3),
        ("exit", 4),
    ]
    assert found[0].text == "int main(void)"


@pytest.mark.parametrize(
    ("statement", "output"),
    [
        ('printf("x");', True),
        ("putchar(x);", True),
        ("exit(x);", True),
        ("assert(x);", True),
        ('x = printf("%d", x) + 1;', True),
        ('x = strlen("a");', False),
        ("helper(x);", False),
        ("return x;", True),
    ],
)
def test_output_is_what_writes_or_ends_the_program(statement: str, output: bool) -> None:
    text = (
        "#include <assert.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
        f"void helper(int); int main(void) {{ int x = 1; {statement} }}"
    )
    assert nodes(text)[2].output is output


def test_a_return_is_output_in_the_entry_function_only() -> None:
    text = "int f(void) { return 1; } int main(void) { return f(); }"
    assert [node.output for node in nodes(text) if node.kind == "return"] == [False, True]
    assert [node.output for node in nodes(text, "f") if node.kind == "return"] == [True, False]


def test_the_end_of_main_returns_when_control_reaches_it() -> None:
    assert nodes("int main(void) { int x = 1; }")[-1].output
    assert not nodes("int main(void) { return 1; }")[-1].output


def test_changes_stand_in_their_statement() -> None:
    text = (
        "int change(int, int); int execute(int); enum { OLD, NEW }; int f(int x) {\n"
        "  int y = change(x, 1) + change(2, x);\n"
        "  if (change(x, y)) y = 3;\n"
        "  if (execute(NEW)) { y = 4; x = 5; }\n"
        "  return y; }"
    )
    found = [(n.text, sorted(n.changes), n.version and n.version.value) for n in nodes(text)[1:-2]]
    assert found == [
        ("int y = change(x, 1) + change(2, x);", [1, 2], None),
        ("if (change(x, y))", [3], None),
        ("y = 3;", [], None),
        ("y = 4;", [4], "NEW"),
        ("x = 5;", [4], "NEW"),
    ]


def test_what_an_added_condition_guards_was_added_too() -> None:
    text = (
        "int change(int, int); int f(int x) {\n"
        "  if (change(0, x < 0)) return -1;\n"
        "  if (change(x > 9, 0)) { x = 9; }\n"
        "  if (change(1, x > 3)) x++;\n"
        "  return x; }"
    )
    found = [(n.text, sorted(n.changes), n.version and n.version.value) for n in nodes(text)[1:-2]]
    assert found == [
        ("if (change(0, x < 0))", [1], None),
        ("return -1;", [1], "NEW"),
        ("if (change(x > 9, 0))", [2], None),
        ("x = 9;", [2], "OLD"),
        ("if (change(1, x > 3))", [3], None),
        ("x++;", [], None),
    ]
