"""Pointers in the objects of a caller that lead into one object: ``q->tail == q->head``.

    int last(struct q *q) { q->tail->n = 1; return q->head->n; }
                          | int n = q->head->n; q->tail->n = 1; return n; }

The versions differ only where a store through one pointer is seen through the other one, behind a
guard that no random input passes. A caller that makes such an object is the truth; without the
store, or where both pointers lead to objects of different types, the versions are equivalent.
"""

from __future__ import annotations

import re
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from csg.analysis.aliasing import stores
from csg.analysis.several import ALONE
from csg.frontend import parse_text
from csg.language.types import Pointer
from symexec.inputs.aliases import MOST_ALIASES, aliases
from symexec.inputs.inside import leads_into, parts_alike
from symexec.inputs.shared_parts import MOST_WAYS
from symexec.inputs.structures import DEPTHS, is_text, led_to
from tests.callers import shown_by_caller
from tests.command_line import csgtest, version_of, write_versions
from tests.nightly import every


@dataclass(frozen=True, slots=True)
class Shape:
    """``types``, the ``parameters`` of the function, the places that it ``writes`` and ``reads``,
    and statements of a caller that lead both to one object, with the ``arguments``. ``there``: that
    no pointer on the way is null; ``kind``: the type of what is written."""

    types: str
    parameters: str
    writes: str
    reads: str
    caller: str
    arguments: str
    there: str
    kind: str = "int"


_NODE = "struct node { struct node *next; int n; };"
_OBJECT = "struct node one = {0, 3}, two = {0, 4}; "
SHAPES = {
    "two members": Shape(
        f"{_NODE} struct q {{ struct node *head, *tail; }};",
        "struct q *q",
        "q->tail->n",
        "q->head->n",
        _OBJECT + "struct q q = {&one, &one};",
        "&q",
        "q->head && q->tail",
    ),
    "members of structures that are passed": Shape(
        f"{_NODE} struct q {{ struct node *head, *tail; }};",
        "struct q q",
        "q.tail->n",
        "q.head->n",
        _OBJECT + "struct q q = {&one, &one};",
        "q",
        "q.head && q.tail",
    ),
    "members of two objects": Shape(
        "struct view { int *at; int size; };",
        "struct view *a, struct view *b",
        "*a->at",
        "*b->at",
        "int n = 3; struct view a = {&n, 1}, b = {&n, 1};",
        "&a, &b",
        "a->at && b->at",
    ),
    "numbers an element apart": Shape(
        "struct span { int *from, *to; };",
        "struct span *s",
        "s->from[1]",
        "*s->to",
        "int n[2] = {3, 4}; struct span s = {n, n + 1};",
        "&s",
        "s->from && s->to",
    ),
    "texts": Shape(
        "struct pair { char *key, *value; };",
        "struct pair *p",
        "p->key[0]",
        "p->value[0]",
        'char text[] = "ab"; struct pair p = {text, text};',
        "&p",
        "p->key && p->value && p->key[0]",
        "char",
    ),
    "elements of an array": Shape(
        _NODE,
        "struct node **list",
        "list[0]->n",
        "list[1]->n",
        _OBJECT + "struct node *list[] = {&one, &one};",
        "list",
        "list[0] && list[1]",
    ),
    "below two members": Shape(
        f"{_NODE} struct tree {{ struct node *left, *right; }}; struct top {{ struct tree *t; }};",
        "struct top *top",
        "top->t->left->n",
        "top->t->right->n",
        _OBJECT + "struct tree t = {&one, &one}; struct top top = {&t};",
        "&top",
        "top->t && top->t->left && top->t->right",
    ),
    "one object behind two": Shape(
        f"{_NODE} struct box {{ struct node *in; }}; struct two {{ struct box *a, *b; }};",
        "struct two *t",
        "t->a->in->n",
        "t->b->in->n",
        _OBJECT + "struct box box = {&one}; struct two t = {&box, &box};",
        "&t",
        "t->a && t->b && t->a->in && t->b->in",
    ),
    "a member of the object itself": Shape(
        "struct text { char *at; char small[8]; };",
        "struct text *t",
        "t->at[0]",
        "t->small[0]",
        'struct text t = {0, "abc"}; t.at = t.small;',
        "&t",
        "t->at",
        "char",
    ),
    "a number of the object itself": Shape(
        "struct cell { int *at; int n; };",
        "struct cell *c",
        "*c->at",
        "c->n",
        "struct cell c = {0, 3}; c.at = &c.n;",
        "&c",
        "c->at",
    ),
    "a member of another object": Shape(
        f"{_NODE} struct use {{ struct node *node; int *count; }};",
        "struct use *u",
        "*u->count",
        "u->node->n",
        _OBJECT + "struct use u = {&one, &one.n};",
        "&u",
        "u->node && u->count",
    ),
    "the place of a pointer": Shape(
        f"{_NODE} struct list {{ struct node *first, **end; }};",
        "struct list *l, struct node *x",
        "*l->end",
        "l->first",
        _OBJECT + "struct list l = {&one, 0}; l.end = &l.first;",
        "&l, &two",
        "l->end && x",
        "struct node *",
    ),
    "a parameter and a part of a part": Shape(
        _NODE,
        "struct node *n, int *out",
        "*out",
        "n->next->next->n",
        _OBJECT + "struct node last = {0, 6}; one.next = &two; two.next = &last;",
        "&one, &last.n",
        "n->next && n->next->next",
    ),
    "a parameter and what a part of a part leads to": Shape(
        f"{_NODE} struct q {{ struct node *head; }}; struct owner {{ struct q *q; }};",
        "struct owner *o, struct node *n",
        "n->n",
        "o->q->head->n",
        _OBJECT + "struct q q = {&one}; struct owner o = {&q};",
        "&o, &one",
        "o->q && o->q->head",
    ),
}
STORES = {
    "assigned": "PLACE = VALUE;",
    "in a call": "put(&PLACE, VALUE);",
    "copied": "TYPE value = VALUE; memcpy(&PLACE, &value, sizeof value);",
    "by a pointer": "TYPE *to = &PLACE; *to = VALUE;",
    "increased": "PLACE += 1;",
}
CASES = [
    f"{store}: {name}"
    for store in STORES
    for name, shape in SHAPES.items()
    if not (store == "increased" and shape.kind.endswith("*"))
]
KEY = pow(2654435761, -1, 1 << 32) * 0x12345678 % (1 << 32)
WORDS = ("--entry", "f", "--time", "40", "--attack", "1", "--search-same-code")


def function(shape: Shape, *statements: str) -> str:
    """One version, with these statements behind the guard."""
    shown = "got == x" if shape.kind.endswith("*") else "got + other"
    return (
        f"#include <stdio.h>\n#include <string.h>\n{shape.types}\n"
        f"static void put({shape.kind} *to, {shape.kind} value) {{ *to = value; }}\n"
        f"int f({shape.parameters}, unsigned key)\n{{\n"
        f"    {shape.kind} got; {shape.kind} other = 0;\n"
        f"    if (0) put(&got, other);\n    if (!({shape.there})) return -1;\n"
        f"    if (key * 2654435761u != 0x12345678u) return 0;\n    "
        + "\n    ".join(statements)
        + f"\n    return {shown};\n}}\n"
    )


def shown(folder: Path, text: str, shape: Shape) -> bytes:
    """What a caller sees whose pointers lead into one object."""
    main = f'{shape.caller} printf("%d\\n", f({shape.arguments}, {KEY}u))'
    return shown_by_caller(folder, text, main)


@pytest.mark.parametrize("case", every(12, CASES))
def test_a_store_that_is_seen_through_another_pointer_is_found(case: str, tmp_path: Path) -> None:
    store, _, name = case.partition(": ")
    shape = SHAPES[name]
    stored = STORES[store].replace("PLACE", shape.writes).replace("TYPE", shape.kind)
    stored = stored.replace("VALUE", "x" if shape.kind.endswith("*") else "5")
    read = f"got = {shape.reads};"
    old, new = function(shape, stored, read), function(shape, read, stored)
    assert shown(tmp_path, old, shape) != shown(tmp_path, new, shape)
    write_versions(tmp_path, old, new)
    done = csgtest("build", "old.c", "new.c", *WORDS, folder=tmp_path)
    assert done.code == 1 and done.report["verdict"] == "different", done.out


@pytest.mark.parametrize("name", every(5, SHAPES))
def test_what_is_only_read_may_be_one_object(name: str, tmp_path: Path) -> None:
    shape = SHAPES[name]
    reads = f"got = {shape.reads};", f"other = {shape.writes};"
    old, new = function(shape, *reads), function(shape, *reads[::-1])
    assert shown(tmp_path, old, shape) == shown(tmp_path, new, shape)
    write_versions(tmp_path, old, new)
    done = csgtest("build", "old.c", "new.c", *WORDS, folder=tmp_path)
    assert done.code == 0 and done.report["verdict"] == "equivalent-within-bounds", done.out
    assert "pointers that lead" not in done.out or shape.kind.endswith("*")  # that is compared


_SAME = "⟨k | 0 + k⟩"
FREED = {
    "parameters": (
        f"int f(char *a, char *b, int k) {{ free(a); if (b != a) free(b); return {_SAME}; }}"
    ),
    "members": (
        "struct o { char *a, *b; }; int f(struct o *o, int k)"
        f"{{ free(o->a); if (o->b != o->a) free(o->b); return {_SAME}; }}"
    ),
    "both in an object": (
        "struct o { struct o *a, *b; }; int f(struct o *o, int k)"
        f"{{ free(o->a); free(o->a == o->b ? 0 : o->b); return {_SAME}; }}"
    ),
    "what is moved": (
        "int f(char *a, char *b, int k) { char *c = realloc(a, 9); if (!c) return 0;"
        f" int same = a == b; free(c); return {_SAME}; }}"
    ),
}


@pytest.mark.parametrize("name", every(2, FREED))
def test_a_pointer_to_what_was_freed_is_compared(name: str, tmp_path: Path) -> None:
    versions = (f"#include <stdlib.h>\n{version_of(FREED[name], which)}\n" for which in (0, 1))
    write_versions(tmp_path, *versions)
    done = csgtest("build", "old.c", "new.c", *WORDS, folder=tmp_path)
    assert done.code == 0 and done.report["verdict"] != "different", done.out


def test_nobody_points_into_a_structure_that_is_passed() -> None:
    text = "struct s { int m; int v[3]; }; int f(struct s s, int *p) { *p = 1; return s.v[0]; }"
    unit = parse_text(text, "passed.c")
    (entry,) = unit.functions
    found, _ = aliases(entry.parameters, stores([unit], entry), ALONE, DEPTHS)
    assert not found


def test_of_very_many_pointers_near_ones_are_tried_at_once(tmp_path: Path) -> None:
    members = " ".join(f"struct t *c{i}; int *v{i}; char *s{i};" for i in range(12))
    code = "int f(struct t *a, int x) { a->c0->k = x; return *a->v0; }"
    text = f"struct t {{ {members} int k; }}; {code}"
    unit = parse_text(text, "many.c")
    (entry,) = unit.functions
    began = time.process_time()
    tried, ways = aliases(entry.parameters, stores([unit], entry), ALONE, DEPTHS)
    assert time.process_time() - began < 2  # 22 s where all pairs of pointers are looked at
    assert len(tried) == MOST_ALIASES[0] and ways >= MOST_WAYS
    assert all(len(each.needs) <= 3 for choice in tried for each in choice)


@pytest.mark.parametrize("name", ("two members", "a member of the object itself"))
def test_emitted_tests_and_replays_share_the_same_parts(name: str, tmp_path: Path) -> None:
    shape = SHAPES[name]
    stored = f"{shape.writes} = 5;"
    read = f"got = {shape.reads};"
    write_versions(tmp_path, function(shape, stored, read), function(shape, read, stored))
    assert csgtest("build", "old.c", "new.c", *WORDS, folder=tmp_path).code == 1
    replayed = csgtest("replay", "csgtest-out", folder=tmp_path)
    assert "confirmed" in replayed.out, replayed.out
    csgtest("emit", "csgtest-out", "--as", "c", "-o", "emitted", folder=tmp_path)
    (emitted,) = (tmp_path / "emitted").glob("*.c")
    codes = []
    for version in ("old", "new"):
        source = f'-DCSGTEST_SOURCE="{tmp_path / version}.c"'
        subprocess.run(["gcc", "-w", source, "-o", tmp_path / version, emitted], check=True)
        codes.append(subprocess.run([tmp_path / version], check=False).returncode)
    assert sorted(codes) == [0, 1]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of ``owner``, an object of one of the ``types``, and the declaration of a pointer that
    can lead there. ``at``: C for what it leads to, ``number``: for a number in that."""

    types: str
    owner: str
    pointer: str
    at: str
    number: str = ""
    kind: str = "int"


_S, _M = "struct o { int n; ", "; };"
PARTS = {
    "a member of a union": Part(
        "union o { short s; long l; };", "union o", "short *P", ".s", kind="short"
    ),
    "a member of a union in a structure": Part(
        _S + "union { long l; short s; } u" + _M, "struct o", "short *P", ".u.s", kind="short"
    ),
    "a member of a union without a name": Part(
        _S + "union { double d; int i; }" + _M, "struct o", "int *P", ".i"
    ),
    "a floating number in a union": Part(
        "union o { int i; float f; };", "union o", "float *P", ".f", kind="float"
    ),
    "a structure in a union": Part(
        "struct t { short s; }; " + _S + "union { double d; struct t t; } u" + _M,
        "struct o", "struct t *P", ".u.t", ".s", "short",
    ),
    "a member of a structure in a union": Part(
        _S + "union { double d; struct { short a, b; } s; } u" + _M,
        "struct o", "short *P", ".u.s.b", kind="short",
    ),
    "an element of an array in a union": Part(
        "union o { long l; float v[2]; };", "union o", "float *P", ".v[1]", kind="float"
    ),
    "a member of a union in a union": Part(
        "union o { short s; union { long l; int i; } u; };", "union o", "int *P", ".u.i"
    ),
    "a union in an array": Part(
        _S + "union { long l; short s; } v[3]" + _M, "struct o", "short *P", ".v[1].s", kind="short"
    ),
    "an array": Part(_S + "int v[3]" + _M, "struct o", "int (*P)[3]", ".v", "[1]"),
    "an array of no length": Part(_S + "int v[3]" + _M, "struct o", "int (*P)[]", ".v", "[1]"),
    "a row": Part(_S + "int v[4][3]" + _M, "struct o", "int (*P)[3]", ".v[2]", "[1]"),
    "a row of a cube": Part(
        _S + "long v[2][2][2]" + _M, "struct o", "long (*P)[2]", ".v[1][0]", "[1]", "long"
    ),
    "a matrix of a cube": Part(
        _S + "long v[2][2][2]" + _M, "struct o", "long (*P)[2][2]", ".v[1]", "[0][1]", "long"
    ),
    "a row of a row": Part("typedef int o[2][3];", "o", "int (*P)[3]", "[1]", "[1]"),
    "a number in a row": Part("typedef long o[2][3];", "o", "long *P", "[1][2]", kind="long"),
    "a structure in an array": Part(
        "struct t { short s; }; typedef struct t o[4];",
        "o", "struct t *P", "[2]", ".s", "short",
    ),
    "a structure in a matrix": Part(
        "struct t { short s; }; " + _S + "struct t v[2][2]" + _M,
        "struct o", "struct t *P", ".v[1][0]", ".s", "short",
    ),
    "a member of a structure in a matrix": Part(
        _S + "struct { short s; } v[2][2]" + _M, "struct o", "short *P", ".v[0][1].s", kind="short"
    ),
    "an array in a structure in an array": Part(
        _S + "struct { int v[3]; } s[2]" + _M, "struct o", "int (*P)[3]", ".s[1].v", "[2]"
    ),
    "an element of a long array": Part(
        "struct o { short n; int v[9]; };", "struct o", "int *P", ".v[5]"
    ),
    "a byte of a number": Part("struct o { int n; };", "struct o", "char *P", ".n"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Holder:
    """How a function gets an object of type O, and a pointer P that is declared by T: with further
    ``types``. ``caller``: what makes them, with the ``arguments``, where P is PLACE."""

    types: str
    parameters: str
    object: str
    pointer: str
    there: str
    own: str  # the object in the caller
    caller: str
    arguments: str


HOLDERS = {
    "parameters": Holder("", "O *o, T", "(*o)", "P", "1", "one", "static O one;", "&one, PLACE"),
    "two members": Holder(
        "struct h { O *o; T; };", "struct h *h", "(*h->o)", "h->P", "h->o && h->P",
        "one", "static O one; struct h h = {&one, PLACE};", "&h",
    ),
    "a member that leads to another one": Holder(
        "struct h { T; O o; };", "struct h *h", "h->o", "h->P", "h->P",
        "h.o", "static struct h h; h.P = PLACE;", "&h",
    ),
    "a global object": Holder("O whole;", "T", "whole", "P", "1", "whole", "", "PLACE"),
}  # fmt: skip
PART_STORES = {  # what is stored, and what is read
    "through the pointer": ("LED = 5;", "PART"),
    "to the part": ("PART = 5;", "LED"),
    "to the object": ("memset(&OBJECT, 5, sizeof OBJECT);", "LED"),
    "of an object": ("ASSIGNED = *(SAME *) five;", "LED"),
}
PART_CASES = [
    f"{name}: {holder}: {store}"
    for store in PART_STORES
    for holder in HOLDERS
    for name, part in PARTS.items()
    if "leads" not in holder or not part.pointer.startswith("struct")  # that is a cycle
]


def part_versions(case: str) -> tuple[str, str, str]:
    """Two versions that differ where the pointer leads to the part, and a caller that lets it."""
    name, by, store = case.split(": ")
    part, holder = PARTS[name], HOLDERS[by]
    is_array = part.owner == "o"  # which C cannot assign
    words = {
        "LED": f"(*{holder.pointer}){part.number}",
        "PART": f"{holder.object}{part.at}{part.number}",
        "ASSIGNED": f"*(struct w *) &{holder.object}" if is_array else holder.object,
        "SAME": "struct w" if is_array else part.owner,
        "OBJECT": holder.object,
        "PLACE": f"(void *) &{holder.own}{part.at}",
        "T": part.pointer,
        "O": part.owner,
    }

    def spelt(text: str) -> str:
        return re.sub(rf"\b({'|'.join(words)})\b", lambda found: words[found[1]], text)

    stored, read = PART_STORES[store]
    value = f"{part.kind} got = {read};"
    old, new = (
        f"#include <stdio.h>\n#include <string.h>\n{part.types}\n{spelt(holder.types)}\n"
        f"struct w {{ {part.owner} whole; }};\n"
        f"int f({spelt(holder.parameters)}, unsigned key)\n{{\n"
        f"    static const long five[] = {{ {', '.join(['0x505050505050505'] * 16)} }};\n"
        f"    if (key * 2654435761u != 0x12345678u || !({holder.there})) return -1;\n"
        f"    {spelt(first)}\n    {spelt(second)}\n    return got != 0;\n}}\n"
        for first, second in ((stored, value), (value, stored))
    )
    main = f'{spelt(holder.caller)} printf("%d\\n", f({spelt(holder.arguments)}, {KEY}u))'
    return old, new, main


@pytest.mark.parametrize("case", every(43, PART_CASES))
def test_a_pointer_to_a_part_is_no_equality_without_a_bound(case: str, tmp_path: Path) -> None:
    old, new, main = part_versions(case)
    seen = {shown_by_caller(tmp_path, text, main) for text in (old, new)}
    write_versions(tmp_path, old, new)
    done = csgtest("build", "old.c", "new.c", *WORDS, "--time", "8", folder=tmp_path)
    verdict = done.report["verdict"]
    assert len(seen) == 2 and done.report["counters"]["mispredicted"] == 0
    bounds = done.report["bounds"]
    tried, ways = bounds.get("aliasing", (0, 0))
    if verdict == "equivalent-within-bounds":
        assert tried < ways or bounds.get("objects_apart") or "apart from" in done.out, done.out


@pytest.mark.parametrize("name", PARTS)
def test_a_part_is_where_gcc_has_it(name: str, tmp_path: Path) -> None:
    part = PARTS[name]
    text = f"{part.types}\nint f({part.owner} *o, {part.pointer}) {{ return 0; }}\n"
    main = f'static {part.owner} o; printf("%d", (int) ((char *) &o{part.at} - (char *) &o))'
    shown = shown_by_caller(tmp_path, f"#include <stdio.h>\n{text}", main)
    (entry,) = parse_text(text, "part.c").functions
    whole, target = (each.type for each in entry.parameters)
    assert isinstance(whole, Pointer) and isinstance(target, Pointer)
    assert leads_into(whole.target, led_to(target), ())
    offsets = {offset for _, offset in parts_alike(whole.target, led_to(target))}
    assert int(shown) in offsets or is_text(led_to(target))
