"""Ways in which pointers can lead into a structure that no start has count as ways: the headline
says of how many they are."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from csg.analysis.aliasing import stores
from csg.analysis.several import ALONE, several
from csg.frontend import parse_text
from symexec.inputs.aliases import aliases, objects_apart
from symexec.inputs.shared_parts import Alias
from symexec.inputs.structures import DEPTHS


def single(tried: Sequence[Sequence[Alias]]) -> list[Alias]:
    """The choices in which one pointer leads into the object of another one."""
    return [way for way, *others in tried if not others]


@pytest.mark.parametrize(
    ("parameters", "stored"),
    [
        ("struct s *o, const char *t", "o->n = 9; return t[0];"),
        ("struct s *o, const unsigned char *t", "o->n = 9; return t[0];"),
        ("struct s *o, const void *t", "o->n = 9; return *(const char *) t;"),
        ("const struct s *o, char *t", "t[0] = 9; return o->n;"),
        ("struct s *o, struct s **t", "*t = o->next; o->next = 0; return 0;"),
        ("struct s *o, struct s *t", "o->n = t[1].n; return 0;"),
        ("struct s *o, short *t", "*t = 0; o->v[1] = 7; return *t;"),
    ],
)
def test_ways_that_no_start_has_are_counted(parameters: str, stored: str) -> None:
    text = (
        f"struct s {{ int n; short v[4]; struct s *next; }};\nint f({parameters}) {{ {stored} }}\n"
    )
    unit = parse_text(text, "untried.c")
    (entry,) = unit.functions
    tried, ways = aliases(entry.parameters, stores([unit], entry), several([unit], entry), DEPTHS)
    assert len(tried) < ways


@pytest.mark.parametrize("parameters", ["int *o, int *t", "struct s *o, int x"])
def test_there_are_no_others(parameters: str) -> None:
    text = f"struct s {{ int n; }};\nint f({parameters}) {{ *(int *) o = 1; return 0; }}\n"
    unit = parse_text(text, "tried.c")
    (entry,) = unit.functions
    tried, ways = aliases(entry.parameters, stores([unit], entry), ALONE, DEPTHS)
    assert len(tried) == ways


def test_members_are_led_into_where_they_can_be_seen() -> None:
    text = (
        "struct s { int n; short v[8]; int *next; };\n"
        "int f(struct s *o, short *t, int **p)\n"
        "{ *t = 0; *p = 0; return o->v[1] + (o->next != 0); }\n"
    )
    unit = parse_text(text, "members.c")
    (entry,) = unit.functions
    tried, _ = aliases(entry.parameters, stores([unit], entry), ALONE, DEPTHS)
    assert {each.offset for each in single(tried) if (each.name, each.into) == ("t", "o")} == {
        4,
        6,
        18,
    }
    pointers = [each for each in single(tried) if (each.name, each.into) == ("p", "o")]
    assert any("o->next" in each.needs for each in pointers)


def test_elements_of_a_global_array_are_tried_for_one_number() -> None:
    text = "int counter[4];\nint f(int *p) { *p = 7; return counter[1]; }\n"
    unit = parse_text(text, "counter.c")
    (entry,) = unit.functions
    stored = stores([unit], entry)
    tried, _ = aliases(entry.parameters, stored, ALONE, DEPTHS, single=("p",))
    assert [each.offset for each in single(tried)] == [0, 12, 4]
    assert objects_apart(entry.parameters, stored, tried) == ("counter",)
    several_tried, _ = aliases(entry.parameters, stored, ALONE, DEPTHS)
    assert [each.offset for each in single(several_tried)] == [0]


def test_one_number_may_be_the_second_of_several() -> None:
    unit = parse_text("int f(int *a, int *b) { *a = 7; return b[1]; }\n", "second.c")
    (entry,) = unit.functions
    tried, ways = aliases(entry.parameters, stores([unit], entry), ALONE, DEPTHS, single=("a",))
    assert [(each.name, each.into, each.offset) for each in single(tried)] == [
        ("a", "b", 0),
        ("a", "b", 4),
    ]
    assert ways == 2


@pytest.mark.parametrize("given", ["char *s", "const void *s"])
def test_characters_lead_into_each_global_object(given: str) -> None:
    text = f"double total;\nint f({given}) {{ total += *(const char *) s; return 0; }}\n"
    unit = parse_text(text, "total.c")
    (entry,) = unit.functions
    assert objects_apart(entry.parameters, stores([unit], entry), ()) == ("total",)
