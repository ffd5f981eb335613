"""Which scalars begin, or go on, at an offset of an object."""

from __future__ import annotations

import pytest

from csg.frontend import parse_text
from csg.language.types import Integer, Pointer, scalars_at, size_of

TYPES = """\
struct pair { int n; char *s; };
union word { long l; char *p; };
struct tail { long n; char *items[]; };
struct pair pairs[2]; union word words; struct tail *tail;
"""


@pytest.mark.parametrize(
    ("name", "offset", "expected"),
    [
        ("pairs", 0, {("int", 0, True)}),
        ("pairs", 4, set()),  # padding
        ("pairs", 8, {("pointer", 0, True)}),
        ("pairs", 27, {("pointer", 3, True)}),
        ("words", 0, {("long", 0, False), ("pointer", 0, False)}),
        ("tail", 0, {("long", 0, True)}),
        ("tail", 24, {("pointer", 0, True)}),
    ],
)
def test_scalars_are_found_at_an_offset(
    name: str, offset: int, expected: set[tuple[str, int, bool]]
) -> None:
    unit = parse_text(TYPES)
    (kind,) = (each.symbol.type for each in unit.declarations if each.symbol.name == name)
    kind = kind.target if isinstance(kind, Pointer) else kind
    names = {4: "int", 8: "long"}
    found = {
        (names[size_of(each)] if isinstance(each, Integer) else "pointer", at, alone)
        for each, at, alone in scalars_at(kind, offset)
    }
    assert found == expected
