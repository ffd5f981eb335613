"""Three pointers that lead into one object, and two pairs that do so at once.

    int f(int *a, int *b, int *c, int k)       f(&x, &x, &x, 10015)

The versions differ only there, behind a guard that no random input passes. A caller that makes such
objects is the truth.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from csg.analysis.aliasing import stores
from csg.analysis.several import several
from csg.frontend import parse_text
from symexec.inputs.aliases import MOST_ALIASES, aliases
from symexec.inputs.shared_parts import Alias
from symexec.inputs.structures import DEPTHS
from tests.callers import shown_by_caller
from tests.command_line import csgtest, version_of, write_versions
from tests.nightly import every


@dataclass(frozen=True, slots=True)
class Shape:
    """``text``: both versions; ``caller``: the body of a caller; ``led``: where its pointers
    lead."""

    text: str
    caller: str
    led: dict[str, tuple[str, int]]


_PRINTED = 'printf("%d", f({}, 10015))'
_GUARD = "k * 3 == 30045"
SHAPES = {
    "three parameters": Shape(
        "int f(int *a, int *b, int *c, int k) { *a = 1; *b = 2; *c = 3;"
        f" return (a == b && b == c && {_GUARD} ? ⟨*a | 1⟩ : *a) + *b * 10; }}",
        f"int x; {_PRINTED.format('&x, &x, &x')}",
        {"b": ("a", 0), "c": ("a", 0)},
    ),
    "a result behind what is read": Shape(
        "int f(const int *a, const int *b, int *out, int k)"
        f" {{ int n = *a, m = *b; *out = k; if ({_GUARD} && n != k && m != k)"
        " return *a == k && *b == k ? ⟨1 | 2⟩ : 3; return 0; }",
        f"int x = 0; {_PRINTED.format('&x, &x, &x')}",
        {"b": ("a", 0), "out": ("a", 0)},
    ),
    "two members": Shape(
        "struct s { int v, w; }; int f(struct s *s, int *a, int *b, int k)"
        f" {{ *a = k; *b = k; return a == &s->v && b == &s->w && ⟨1 | !({_GUARD})⟩; }}",
        f"struct s s; {_PRINTED.format('&s, &s.v, &s.w')}",
        {"a": ("s", 0), "b": ("s", 4)},
    ),
    "two pairs": Shape(
        "struct q { int n; };"
        " int f(struct q *a, const struct q *b, struct q *c, const struct q *d, int k)"
        " { if (a != b || c != d) { a->n = b->n; c->n = d->n; }"
        f" else if ({_GUARD}) ⟨c->n = a->n | a->n = c->n⟩ + 1; return 0; }}",
        "struct q x = {1}, y = {7}; f(&x, &x, &y, &y, 10015); printf(\"%d %d\", x.n, y.n)",
        {"b": ("a", 0), "d": ("c", 0)},
    ),
    "two pairs that are compared": Shape(
        "struct s { int v; }; int f(struct s *a, struct s *b, struct s *c, struct s *d, int k)"
        " { int m = (a == b) + 2 * (c == d); a->v = k;"
        f" return ⟨m | m == 3 && {_GUARD} ? 0 : m⟩; }}",
        f"struct s x, y; {_PRINTED.format('&x, &x, &y, &y')}",
        {"b": ("a", 0), "d": ("c", 0)},
    ),
    "a global object": Shape(
        "int total; int f(int *a, int *b, int k) { *a = k; *b = k;"
        f" return a == &total && b == &total && ⟨1 | !({_GUARD})⟩; }}",
        _PRINTED.format("&total, &total"),
        {"a": ("&total", 0), "b": ("&total", 0)},
    ),
    "three pointers in an object": Shape(
        "struct h { int *p, *q, *r; }; int f(struct h *h, int k)"
        " { if (!h->p || !h->q || !h->r) return -1; *h->p = k;"
        f" return h->p == h->q && h->q == h->r && ⟨1 | !({_GUARD})⟩; }}",
        f"int v = 1; struct h h = {{&v, &v, &v}}; {_PRINTED.format('&h')}",
        {"h->q": ("h->p", 0), "h->r": ("h->p", 0)},
    ),
    "a list and its element": Shape(
        "struct l { int n; struct l *next; }; int f(struct l *l, struct l *m, struct l *o, int k)"
        " { o->n = k; if (!l->next || !m->next) return 0;"
        f" return l->next == o && m->next == o && ⟨1 | !({_GUARD})⟩; }}",
        "struct l o = {0}, l = {0, &o}, m = {0, &o}; " + _PRINTED.format("&l, &m, &o"),
        {"o": ("l->next", 0), "m->next": ("l->next", 0)},
    ),
}  # fmt: skip


def choices_of(text: str, level: int = 2, single: str = "") -> tuple[list[tuple[Alias, ...]], int]:
    """The choices that are tried for the function of a text, and how many there are."""
    unit = parse_text(text, "f.c")
    (entry,) = unit.functions
    known, rows = stores([unit], entry), several([unit], entry)
    return aliases(entry.parameters, known, rows, DEPTHS[:1], single=single, level=level)


@pytest.mark.parametrize("name", SHAPES)
def test_pointers_lead_into_one_object_all_at_once(name: str) -> None:
    shape = SHAPES[name]
    tried, ways = choices_of(version_of(shape.text, 0))
    led = [{way.name: (way.into, way.offset) for way in choice} for choice in tried]
    assert shape.led in led
    assert len(led) == len({frozenset(each.items()) for each in led}) <= ways


@pytest.mark.parametrize("name", every(4, SHAPES))
def test_what_several_aliases_show_together_is_found(name: str, tmp_path: Path) -> None:
    shape = SHAPES[name]
    old, new = (f"#include <stdio.h>\n{version_of(shape.text, at)}\n" for at in (0, 1))
    shown = {shown_by_caller(tmp_path, text, shape.caller) for text in (old, new)}
    assert len(shown) == 2
    write_versions(tmp_path, old, new)
    words = ("--entry", "f", "--time", "40", "--attack", "0", "--stop-after", "1")
    done = csgtest("build", "old.c", "new.c", *words, folder=tmp_path)
    assert done.code == 1 and done.report["verdict"] == "different", done.out
    assert done.report["counters"]["mispredicted"] == 0


def written(*names: str) -> str:
    parameters = ", ".join(f"int *{each}" for each in names)
    return f"int f({parameters}) {{ {' '.join(f'*{each} = 1;' for each in names)} return 0; }}"


@pytest.mark.parametrize(
    ("text", "single", "ways"),
    [
        (written("a", "b"), "ab", 1),  # of n numbers: all partitions but the one into n
        (written("a", "b", "c"), "abc", 4),
        (written("a", "b", "c", "d"), "abcd", 14),
        (written("a", "b", "c", "d", "e"), "abcde", 51),
        (written("a", "b"), "", 3),
        (written("a", "b", "c"), "", 16),  # 9, and each array an element behind others, or not
        (written("a", "b", "c").replace("*b", "*restrict b", 1), "abc", 1),
        ("int f(int *a, int *b, int *c) { *a = 1; return *b + *c; }", "abc", 3),
        ("int f(int *a, int *b, int *c) { return a == b && *c; }", "abc", 1),
        ("int f(int *a, int *b, int *c, int *d) { return a == b && c == d; }", "abcd", 3),
        ("int v; int f(int *a, int *b) { *a = *b = v; return 0; }", "ab", 4),
        ("struct s { int n; }; int f(struct s *s, int *a, int *b) { *a = *b = s->n; }", "ab", 4),
        (
            "struct s { int n; }; struct t { short m; int n; };"
            " int f(struct s *s, struct t *t, int *a) { s->n = t->n; return *a = 1; }",
            "a",
            2,  # no object is both structures
        ),
    ],
)
def test_all_combinations_are_counted_and_tried(text: str, single: str, ways: int) -> None:
    tried, known = choices_of(text, single=single)
    assert (len(tried), known) == (ways, ways)


def test_no_structure_leads_back_to_itself() -> None:
    text = (
        "struct i { int n; }; struct o { struct i i, *p; };"
        " int f(struct o *a, struct o *b) { a->p->n = b->p->n = 1; }"
    )
    tried, _ = choices_of(text)
    led = [{way.name: way.into for way in choice} for choice in tried]
    assert {"a->p": "b"} in led and {"b->p": "a"} in led
    assert {"a->p": "b", "b->p": "a"} not in led


def test_combinations_of_deep_structures_are_counted_soon() -> None:
    text = (
        "struct n { struct n *next; int n; }; struct q { struct n *head, *tail; };"
        " int f(struct q *q) { q->tail->n = 5; return q->head->n; }"
    )
    unit = parse_text(text, "deep.c")
    (entry,) = unit.functions
    known, rows = stores([unit], entry), several([unit], entry)
    began = time.process_time()
    _, ways = aliases(entry.parameters, known, rows, DEPTHS)
    assert time.process_time() - began < 3  # a minute where larger ones are looked for in vain
    assert ways == 225


def test_single_ways_come_first_and_more_of_them_at_each_level() -> None:
    text = written("a", "b", "c", "d")
    found = [choices_of(text, level) for level in range(len(MOST_ALIASES))]
    sizes = [[len(each) for each in tried] for tried, _ in found]
    assert [len(each) for each in sizes] == [12, 48, 88]
    assert sizes[-1] == sorted(sizes[-1]) and {ways for _, ways in found} == {88}
    assert found[0][0] == found[-1][0][: MOST_ALIASES[0]]
    assert [len(choices_of(written("a", "b", "c"), level)[0]) for level in range(3)] == [9, 16, 16]


EQUAL = (
    "int f(int *a, int *b, int *c, int k)"
    " { *a = ⟨2 * k | k + k⟩; return b == a ? *b : b == c ? *c + 1 : *b + *c; }"
)
QUICK = ("--entry", "f", "--time", "8", "--search-same-code", "--no-replay")


def test_the_headline_says_what_was_not_tried(tmp_path: Path) -> None:
    write_versions(tmp_path, *(version_of(EQUAL, at) for at in (0, 1)))
    done = csgtest("build", "old.c", "new.c", *QUICK, "--without", "bounds", folder=tmp_path)
    assert "different objects or into one in 3 of 4 ways, by an element at most" in done.out


def test_larger_inputs_claim_no_ways_that_are_left_out(tmp_path: Path) -> None:
    write_versions(tmp_path, *(version_of(EQUAL, at) for at in (0, 1)))
    done = csgtest("build", "old.c", "new.c", *QUICK, "--without", "aliases", folder=tmp_path)
    assert done.report["bounds"]["aliasing"] == [0, 4]
    assert all("aliasing" not in each for each in done.report["bounds"].get("deeper", ()))
