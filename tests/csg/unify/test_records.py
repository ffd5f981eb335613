"""What is told about the changes: numbers, kinds, places, texts, and what requires what."""

from __future__ import annotations

from pathlib import Path

from csg.errors import Location
from csg.frontend import parse_file, parse_text
from csg.ir import ChangeInfo
from csg.ir.program import ChangeKind
from csg.unify import Unified, unify

OLD = """\
int g(int);
int limit = 3;
int f(int x)
{
    int n = g(x);
    g(1);
    if (n >
        limit)
        n = limit;
    return n;
}
"""
NEW = """\
int g(int);
int limit = 4;
int f(int x)
{
    int seen = 0;
    int n = g(x);
    if (n >=
        limit)
        n = limit;
    seen = n;
    return n + seen;
}
"""


def unification(old: str, new: str) -> Unified:
    return unify(parse_text(old, "old.c"), parse_text(new, "new.c"))


def test_changes_come_in_the_order_of_the_new_source() -> None:
    changes = unification(OLD, NEW).changes
    assert [(c.id, c.kind, c.function, c.location.line) for c in changes] == [
        (1, "modified", "", 2),
        (2, "added", "f", 5),
        (3, "deleted", "f", 7),
        (4, "modified", "f", 7),
        (5, "added", "f", 10),
        (6, "modified", "f", 11),
    ]


def test_texts_are_the_lines_of_the_source() -> None:
    changes = unification(OLD, NEW).changes
    assert [(c.old_text, c.new_text) for c in changes] == [
        ("int limit = 3;", "int limit = 4;"),
        ("", "int seen = 0;"),
        ("g(1);", ""),
        ("if (n > limit)", "if (n >= limit)"),
        ("", "seen = n;"),
        ("return n;", "return n + seen;"),
    ]


MACROS = """\
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#define MOST(a, b) ((a) > (b) ? (a) : (b))
int g(int);
int f(int x)
{
    bool large = false;
"""


def test_statements_of_one_line_are_in_the_words_of_the_source(tmp_path: Path) -> None:
    """Not in those that macros stand for; a macro may write what stands further behind, too."""
    sides = {
        "old.c": "    if (x > 10) { large = true; g(1); }\n    return large + x;\n}\n",
        "new.c": "    errno = 0; if (x > MOST(9, 8) && true) { large = false; g(MOST(1, 0)); }\n"
        "    g(x); if (errno == ERANGE) return EXIT_FAILURE;\n    return large + x;\n}\n",
    }
    for name, text in sides.items():
        (tmp_path / name).write_text(MACROS + text)
    changes = unify(*(parse_file(tmp_path / name) for name in sides)).changes
    assert [(c.old_text, c.new_text) for c in changes] == [
        ("", "errno = 0;"),
        ("x > 10", "if (x > MOST(9, 8) && true)"),
        ("large = true;", "large = false;"),
        ("g(1);", "g(MOST(1, 0));"),
        ("", "g(x);"),
        ("", "if (errno == ERANGE)"),
        ("", "return EXIT_FAILURE;"),
    ]


def test_old_places() -> None:
    changes = unification(OLD, NEW).changes
    lines = [c.old_location.line if c.old_location else None for c in changes]
    assert lines == [2, None, 6, 7, None, 10]


def test_a_use_requires_its_declaration() -> None:
    changes = unification(OLD, NEW).changes
    assert [sorted(c.requires) for c in changes] == [[], [], [], [], [2], [2]]


def test_taking_a_declaration_away_requires_taking_away_its_uses() -> None:
    changes = unification(NEW, OLD).changes
    kinds = {c.id: (c.kind, c.old_text) for c in changes}
    declaration = next(number for number, told in kinds.items() if told[1] == "int seen = 0;")
    uses = {
        number for number, (_, text) in kinds.items() if text in ("seen = n;", "return n + seen;")
    }
    assert next(c for c in changes if c.id == declaration).requires == uses


def test_requirements_are_closed() -> None:
    old = "int f(int x) { return x; }"
    new = (
        "static int h(int x) { return x + 1; } static int k(int x) { return h(x); } "
        "int f(int x) { return k(x); }"
    )
    changes = unification(old, new).changes
    numbers: dict[str, set[int]] = {}
    for change in changes:
        numbers.setdefault(change.function, set()).add(change.id)
    for change in changes:
        needed = numbers["h"] | (numbers["k"] if change.function != "h" else set())
        assert change.requires == needed - {change.id}


def test_a_split_variable_is_one_change_with_many_sites() -> None:
    old = "int f(int x) { int s = x; s = s * 2; return s; }"
    (change,) = unification(old, old.replace("int s", "long s")).changes
    assert change.kind == "type"
    assert change.sites > 3
    assert change.granularity == "statement"


def test_the_information_of_a_change_is_that_of_the_program_representation() -> None:
    change = unification("int f(int x) { return x; }", "int f(int x) { return -x; }").changes[0]
    assert change.info() == ChangeInfo(
        1,
        ChangeKind.MODIFIED,
        "f",
        Location("new.c", 1, 16),
        Location("old.c", 1, 16),
        "int f(int x) { return x; }",
        "int f(int x) { return -x; }",
        hunk=1,
    )


def test_renames_are_told() -> None:
    unified = unification(
        "static int h(int a) { int t = a; return t * t; } int f(int x) { return h(x); }",
        "static int sq(int b) { int u = b; return u * u; } int f(int x) { return sq(x); }",
    )
    assert unified.renames == {"": {"h": "sq"}, "sq": {"a": "b", "t": "u"}}
