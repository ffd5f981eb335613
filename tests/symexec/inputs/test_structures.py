"""Which objects a pointer parameter leads to, and which of its pointers are null when."""

from __future__ import annotations

import pytest

from csg.analysis.nullness import null_tests
from csg.analysis.several import several
from csg.frontend import parse_text
from csg.language.types import Pointer
from symexec.exploration.start import elements_joined
from symexec.expr import TermTable
from symexec.inputs.assumptions import ended, is_ended
from symexec.inputs.plan import plan
from symexec.inputs.structures import (
    DEPTHS,
    every_depth,
    leads_to_places,
    parameter_places,
    places,
)
from symexec.options import InputOptions
from symexec.state.inputs import Address, Start
from symexec.testcases.signature import signature_of

TREE = """
struct tree { int key; char *name; struct tree *left, *right; int (*order)(int); };
union both { char c; double d; };
struct mixed { union both u; struct opaque *o; int m[2][2]; struct { int a : 3, : 5, b : 6; }; };
"""


def starts(text: str) -> list[Start]:
    unit = parse_text(TREE + text)
    entry = unit.functions[-1]
    places = null_tests({entry.symbol.name: entry}, entry).asked
    asked = frozenset(entry.parameters[at].name for at in places)
    return list(plan(entry, [], InputOptions(), (), asked).starts(TermTable()))


def test_a_tree_of_objects_ends_after_a_few() -> None:
    symbol = parse_text(TREE + "int f(struct tree *t) { return 0; }").functions[-1].parameters[0]
    assert isinstance(symbol.type, Pointer) and leads_to_places(symbol.type)
    found = places("t", symbol.type.target)
    assert [place.name for place in found[:4]] == ["t", "t->left", "t->right", "t->left->left"]
    assert len(found) == 15
    assert [link.name for link in found[0].links] == ["t->name", "t->left", "t->right"]
    assert [link.name for link in found[7].links] == ["t->left->left->left->name"]
    assert found[14].name == "t->right->right->right"
    assert found[0].left_out == ("order of struct tree",)


def names(text: str, levels: int) -> list[str]:
    symbol = parse_text(TREE + text).functions[-1].parameters[0]
    assert isinstance(symbol.type, Pointer)
    return [each.name for each in places("p", symbol.type.target, depths=DEPTHS[:levels])]


@pytest.mark.parametrize(
    "text",
    [
        "int f(struct tree *p) { return 0; }",
        "struct l { struct l *next; }; int f(struct l *p) { return 0; }",
        "struct l { struct l *a, *b, *c, *d, *e; }; int f(struct l *p) { return 0; }",
        "struct m { struct l { struct m *m; } l[3]; }; int f(struct m *p) { return 0; }",
        "int f(struct tree **p) { return 0; }",
    ],
)
def test_a_level_adds_objects_to_the_one_before_it(text: str) -> None:
    found = [names(text, levels) for levels in (1, 2, 3)]
    for smaller, larger, depth in zip(found, found[1:], DEPTHS[1:], strict=False):
        assert larger[: len(smaller)] == smaller and len(smaller) < len(larger) <= depth.objects
        assert len(set(larger)) == len(larger)
        for place, name in enumerate(larger[1:], 1):  # owners stand before what they lead to
            owner = name.rpartition("->")[0] if "->" in name else name.removeprefix("*")
            assert any(each in owner for each in larger[:place])
            assert name.count("->") + name.count("*") <= depth.pointers


def test_lists_grow_first() -> None:
    found = names("struct l { struct l *before, *next; }; int f(struct l *p) { return 0; }", 3)
    assert "p" + "->next" * 15 in found and "p" + "->before" * 15 in found
    assert len(found) == 64


@pytest.mark.parametrize("asked", [1, 2, 3, 4, 7, 9, 15, 20])
@pytest.mark.parametrize("links", ["*next", "*left, *right"])
def test_structures_are_followed_as_far_as_the_user_asks(asked: int, links: str) -> None:
    """Down to the last pointer, whatever the level; also where not all fit in."""
    unit = parse_text(f"struct l {{ struct l {links}; }}; int f(struct l *p) {{ return 0; }}")
    for depth in (0, 2):
        options = InputOptions(depth=depth, structure_depth=asked)
        planned = plan(unit.functions[-1], [], options)
        there = {
            each.name
            for start in planned.starts(TermTable())
            for each in start.inputs
            if each.kind == "structure"
        }
        assert max(name.count("->") for name in there) == asked
    deepest = signature_of(unit.functions[-1], depths=every_depth(asked)).parameters
    assert there <= {each.name for each in deepest}


def test_each_structure_comes_before_texts_that_are_missing() -> None:
    """Of many pointers: no list is missed for the ways in which its texts are null."""
    members = "".join(f"struct l *p{n}; char *s{n};" for n in range(6))
    unit = parse_text(f"struct l {{ {members} }}; int f(struct l *p) {{ return 0; }}")
    for depth, objects in enumerate((16, 32, 64)):
        planned = plan(unit.functions[-1], [], InputOptions(depth=depth))
        there = [
            {each.name for each in start.inputs if each.kind == "structure"}
            for start in planned.starts(TermTable())
        ]
        assert len(set().union(*there)) == objects == planned.most_objects()
        alone = there[2:]  # without the usual one and the one with everything
        assert depth == 0 or set().union(*alone) == set().union(*there)


def test_the_longest_list_is_one_of_the_inputs() -> None:
    unit = parse_text("struct l { struct l *next; char *s; }; int f(struct l *p) { return 0; }")
    planned = plan(unit.functions[-1], [], InputOptions(depth=2))
    lengths = {
        sum(each.kind == "structure" for each in start.inputs)
        for start in planned.starts(TermTable())
    }
    assert lengths == set(range(1, 17))


def test_members_of_all_kinds_have_their_places() -> None:
    symbol = parse_text(TREE + "int f(struct mixed *m) { return 0; }").functions[-1].parameters[0]
    assert isinstance(symbol.type, Pointer)
    (place,) = places("m", symbol.type.target)
    assert [(each.name, each.offset, each.bit_width) for each in place.members] == [
        ("m->u.d", 0, None),
        ("m->m[0]", 16, None),
        ("m->m[1]", 24, None),
        ("m->a", 32, 3),
        ("m->b", 32, 6),
    ]
    assert place.left_out == ("u.c of struct mixed", "o of struct mixed")


def test_one_pointer_after_the_other_is_there_or_null() -> None:
    found = starts("int f(struct tree *t) { return !t; }")
    null = [{each.name for each in start.inputs if each.kind == "null"} for start in found]
    assert null[0] == {"t->left", "t->right"}
    assert null[1] == set()
    assert null[2] == {"t"}
    assert null[3] == {"t->name", "t->left", "t->right"}
    assert null[4] == {"t->right", "t->left->left", "t->left->right"}
    assert {"t->name", "t->right", "t->left->left", "t->left->right"} in null  # two at a time
    assert len(null) == 64
    assert [start.arguments[0] for start in found[1:4]] == [Address(0), 0, Address(0)]


def test_structures_without_a_tag_are_named_for_readers() -> None:
    text = (
        "typedef struct { int n; void (*f)(void); } box;\nstruct holder {\n"
        "struct { int a; void (*g)(void); } *in; int (*h)(void); };\n"
        "int f(box *b, struct holder *h) { return b && h; }"
    )
    entry = parse_text(text, "box.c").functions[-1]
    found = [place for each in entry.parameters for place in parameter_places(each)]
    assert [each for place in found for each in place.left_out] == [
        "f of box",
        "h of struct holder",
        "g of the struct at box.c:3",
    ]


def test_bit_fields_share_their_bytes() -> None:
    start = starts("int f(struct mixed *m) { return 0; }")[0]
    cells = {(cell.offset, cell.size) for cell in start.objects[0].cells}
    assert {(32, 1), (33, 1)} <= cells


def test_elements_in_a_row_are_told_as_one() -> None:
    names = [*(f"ptr[{n}] of struct s" for n in range(64, 100)), "next of struct s", "f[0]", "f[1]"]
    names += ["x[1]", "x[2]", "x[4]"]
    assert elements_joined(names) == [
        "ptr[64..99] of struct s", "next of struct s", "f[0]", "f[1]", "x[1]", "x[2]", "x[4]",
    ]  # fmt: skip


def test_arrays_at_every_depth_end_with_a_zero_which_is_told_once() -> None:
    unit = parse_text(
        "struct item { int n; }; struct l { struct item *items; struct l *next; };"
        "int f(struct l *p) { int n = 0; for (; p; p = p->next)"
        " for (struct item *i = p->items; i->n; i++) n++; return n; }"
    )
    entry = unit.functions[-1]
    stepped = several([unit], entry)
    (each,) = ended((), entry.parameters, stepped)
    assert each.text == "the last of p->items is zero, and of each further items"
    options = InputOptions(depth=2, several=stepped, preconditions=(each,))
    deepest = [
        place
        for place in parameter_places(entry.parameters[0], stepped, depths=DEPTHS)
        if place.name.endswith("->items")
    ]
    assert max(place.name.count("next") for place in deepest) > 3
    assert all(is_ended(place.name, options) for place in deepest)


def test_what_stays_zero_is_named_in_c() -> None:
    text = "typedef int (*compare)(int, int); int f(compare *by) { return by != 0; }"
    (entry,) = parse_text(text, "by.c").functions
    (place,) = parameter_places(entry.parameters[0])
    assert place.left_out == ("*by of int (*)(int, int)",)
