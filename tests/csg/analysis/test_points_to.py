"""Where ``probe`` points when it is passed to ``show``, in the words of ``PointsTo.names``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random
from textwrap import dedent

import pytest

from csg.analysis import call_graph, constraints, points_to
from csg.analysis.constraints import BLUR, Inclusions
from csg.analysis.objects import ANYWHERE, ObjectKind, Objects, bits
from csg.frontend import parse_text
from csg.ir import Call, Program
from csg.lower import lower
from csg.pipeline import program_of, unify_files
from csg.programs import Versions
from generators.random_c import program as random_c
from tests.csg.analysis.random_programs import random_program

CASES = {
    "one object": ("int x; void f(void) { show(&x); }", ["x"]),
    "two ways": ("int x, y; void f(int c) { show(c ? &x : &y); }", ["x", "y"]),
    "through memory": ("int x; int *p; void f(void) { p = &x; show(p); }", ["x"]),
    "a field": ("struct s { int a, b; } s; void f(void) { show(&s.b); }", ["s+4"]),
    "an array is one place": ("int a[9]; void f(int i) { show(a + i); show(a + 3); }", ["a"]),
    "fields hold their own pointers": (
        "struct s { int *p, *q; } s; int x, y; void f(void) { s.p = &x; s.q = &y; show(s.q); }",
        ["y"],
    ),
    "a copied struct": (
        "struct s { int *p; } s, t; int x; void f(void) { s.p = &x; t = s; show(t.p); }",
        ["x"],
    ),
    "a parameter": ("int x; void g(int *p) { show(p); } void f(void) { g(&x); }", ["x"]),
    "a result": ("int x; int *g(void) { return &x; } void f(void) { show(g()); }", ["x"]),
    "an initialiser": ("int x; int *table[] = {0, &x}; void f(int i) { show(table[i]); }", ["x"]),
    "the heap": ("void *malloc(unsigned long); void f(void) { show(malloc(4)); }", ["f:0:0"]),
    "a library function's result": (
        "char *strchr(const char *, int); char s[9]; void f(void) { show(strchr(s, 47)); }",
        ["s"],
    ),
    "pointers copied by the library": (
        "void *memcpy(void *, const void *, unsigned long); int x; int *p = &x, *q;"
        "void f(void) { memcpy(&q, &p, 8); show(q); }",
        ["x"],
    ),
    "the end that strtol finds": (
        "long strtol(const char *, char **, int); char s[9];"
        "void f(void) { char *end; strtol(s, &end, 10); show(end); }",
        ["s"],
    ),
    "variadic arguments": (
        "#include <stdarg.h>\nint x; void g(int n, ...) { va_list l; va_start(l, n);"
        " show(va_arg(l, int *)); va_end(l); } void f(void) { g(1, &x); }",
        ["x"],
    ),
    "both versions": ("int x, y; void f(void) { int *p = change(&x, &y); show(p); }", ["x", "y"]),
    "an unknown function gives back what it got": (
        "int x; void *mystery(void *); void f(void) { show(mystery(&x)); }",
        ["outside", "x"],
    ),
    "what the caller passes to the entry point": (
        "void f(int *p) { show(p); }",
        ["parameter 1"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_pointer_points_to(name: str) -> None:
    text, expected = CASES[name]
    program = lower([parse_text("void show(void *);\n" + dedent(text))], entry="f")
    pointers = points_to(program)
    found: set[str] = set()
    for function, code in program.functions.items():
        for block in code.blocks:
            for item in block.instructions:
                if isinstance(item, Call) and item.callee == "show":
                    found.update(pointers.names(function, item.arguments[0]))
    assert sorted(found) == expected


class Closure:
    """Inclusion constraints solved by trying each of them until nothing changes, with the interface
    of ``Inclusions``. Each pointer that moves in a loop comes to all offsets that objects have."""

    def __init__(self, objects: Objects) -> None:
        self.objects = objects
        self.sets: list[set[int]] = []
        self.copies: list[tuple[int, int, int]] = []
        self.arrivals: list[tuple[int, Callable[[int], None]]] = []
        self.cells: dict[int, int] = {}
        self.summaries: dict[int, int] = {}

    def variables(self, count: int) -> int:
        self.sets += [set() for _ in range(count)]
        return len(self.sets) - count

    def include(self, variable: int, locations: int) -> None:
        self.sets[variable].update(bits(locations))

    def copy(self, target: int, source: int, distance: int = 0) -> None:
        if (target, source, distance) not in self.copies:
            self.copies.append((target, source, distance))

    def load(self, target: int, pointer: int) -> None:
        def read(location: int) -> None:
            number, offset = self.objects.locations[location]
            if offset == ANYWHERE:
                self.copy(target, self.summary(location))
            else:
                self.copy(target, self.cell(location))
                self.copy(target, self.cell(self.objects.location(number, ANYWHERE)))

        self.wait(pointer, read)

    def store(self, pointer: int, source: int) -> None:
        self.wait(pointer, lambda location: self.copy(self.cell(location), source))

    def copy_contents(self, target: int, source: int) -> None:
        held = self.variables(1)
        self.wait(source, lambda location: self.copy(held, self.summary(location)))
        anywhere = self.objects.anywhere
        self.wait(target, lambda location: self.copy(self.cell(anywhere(location)), held))

    def wait(self, variable: int, arrival: Callable[[int], None]) -> None:
        self.arrivals.append((variable, arrival))

    def cell(self, location: int) -> int:
        if location not in self.cells:
            self.cells[location] = self.variables(1)
            self.copy(self.summary(location), self.cells[location])
        return self.cells[location]

    def summary(self, location: int) -> int:
        number = self.objects.locations[location][0]
        if number not in self.summaries:
            self.summaries[number] = self.variables(1)
        return self.summaries[number]

    def contents(self) -> dict[int, int]:
        return {number: _mask(self.sets[held]) for number, held in self.summaries.items()}

    def solve(self) -> None:
        before = None
        while before != (before := (len(self.copies), sum(map(len, self.sets)))):
            for target, source, distance in self.copies:
                for location in list(self.sets[source]):
                    self.sets[target].add(self._moved(location, distance))
            for variable, arrival in list(self.arrivals):
                for location in sorted(self.sets[variable]):
                    arrival(location)

    def _moved(self, location: int, distance: int) -> int:
        if distance == BLUR:
            return self.objects.anywhere(location)
        return self.objects.moved(location, distance)


def _mask(locations: Iterable[int]) -> int:
    return sum(1 << location for location in locations)


def shown(objects: Objects, locations: int) -> dict[str, frozenset[int]]:
    """The objects of these locations, each with the offsets; somewhere in an object is anywhere."""
    found: dict[str, set[int]] = {}
    for location in bits(locations):
        number, offset = objects.locations[location]
        thing = objects.objects[number]
        found.setdefault(f"{thing.kind} {thing.owner} {thing.name}", set()).add(offset)
    return {
        name: frozenset((ANYWHERE,)) if ANYWHERE in offsets else frozenset(offsets)
        for name, offsets in found.items()
    }


def solved_alike(program: Program, monkeypatch: pytest.MonkeyPatch) -> int:
    """Both solvers find the same locations; how many pointers there are."""
    ours = points_to(program)
    with monkeypatch.context() as patch:
        patch.setattr(constraints, "NEW_EDGES", 0)
        eagerly = points_to(program)
        patch.setattr(constraints, "Inclusions", Closure)
        closure = points_to(program)
    assert ours.callees == eagerly.callees == closure.callees
    count = 0
    for name, function in program.functions.items():
        first = ours.first_register[name]
        for variable in range(first, first + function.registers + 2):
            found = shown(ours.objects, ours.sets[variable])
            assert found == shown(eagerly.objects, eagerly.sets[variable])
            assert found == shown(closure.objects, _mask(closure.sets[variable])), (
                name,
                variable - first,
            )
            count += bool(found)
    for number, locations in closure.held.items():
        thing = closure.objects.objects[number]
        there = ours.objects.numbers[thing.kind, thing.name, thing.owner]
        assert shown(ours.objects, ours.held.get(there, 0)) == shown(closure.objects, locations)
    return count


@pytest.mark.parametrize("seed", range(40))
def test_random_programs_are_solved_as_by_closure(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    solved_alike(random_program(seed), monkeypatch)


def random_constraints(
    inclusions: Inclusions | Closure, random: Random
) -> list[dict[str, frozenset[int]]]:
    """Constraints among a few variables, some of them made when others are solved."""
    objects = inclusions.objects
    starts = [
        objects.location(objects.add(ObjectKind.GLOBAL, f"g{n}", "", size, flat), 0)
        for n, (size, flat) in enumerate([(4, True), (16, False), (24, False), (40, False)])
    ]
    first = inclusions.variables(14)
    for _ in range(3):
        for _ in range(random.randrange(4, 14)):
            one, other = (first + random.randrange(14) for _ in range(2))
            match random.randrange(6):
                case 0:
                    inclusions.include(one, 1 << random.choice(starts))
                case 1:
                    inclusions.copy(one, other)
                case 2:
                    inclusions.copy(one, other, random.choice((8, -8, 16, BLUR)))
                case 3:
                    inclusions.load(one, other)
                case 4:
                    inclusions.store(one, other)
                case _:
                    inclusions.copy_contents(one, other)
        inclusions.solve()
    return [
        shown(objects, each if isinstance(each, int) else _mask(each))
        for each in inclusions.sets[first : first + 14]
    ]


@pytest.mark.parametrize("first", range(0, 2000, 500))
def test_random_constraints_are_solved_as_by_closure(
    first: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(constraints, "NEW_EDGES", 0)
    for seed in range(first, first + 500):
        found = random_constraints(Inclusions(Objects()), Random(seed))
        assert found == random_constraints(Closure(Objects()), Random(seed)), seed


LISTS = """
void *malloc(unsigned long);
struct link { struct link *next, *before; };
struct item { int *value; struct link link; struct item *(*step)(struct item *, int **); };
int x, y, z, *numbers[5], **where = numbers;
struct link head = { &head, &head };
struct item *same(struct item *at, int **to) { *to = at->value; return at; }
struct item *later(struct item *at, int **to) {
    struct link *link = &at->link;                  /* forth .. */
    for (int n = 0; n < 9; n++) link = link->next;
    at = (struct item *) ((char *) link - 8);       /* .. and back: the offsets stay apart */
    *to = &z;
    return at->step(at, to);
}
struct item *add(int *value) {
    struct item *made = malloc(sizeof *made);
    made->value = value; made->step = value == &x ? same : later;
    made->link.next = &head; made->link.before = head.before;
    head.before->next = &made->link; head.before = &made->link;
    return made;
}
int *walk(int n) {
    for (int **p = numbers; n--; where = p) { *p = &y; p = p + 1; }
    return *where;
}
int *f(int n) {
    struct item *first = add(&x), *second = add(&y), copy = *first;
    struct item *found = copy.step(n ? first : second, where);
    for (char *at = (char *) found; *at; at += 4) where = (int **) at;
    return n > 3 ? walk(n) : *where ? found->value : **(int ***) &copy;
}
"""


def test_lists_loops_and_recursion_are_solved_as_by_closure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert solved_alike(lower([parse_text(LISTS)], entry="f"), monkeypatch) > 40


@pytest.mark.parametrize("seed", range(3))
def test_pairs_in_c_are_solved_as_by_closure(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, mutation in (("old.c", None), ("new.c", 1)):
        (tmp_path / name).write_text(random_c(seed, mutation), encoding="utf-8")
    versions = Versions(tmp_path / "old.c", tmp_path / "new.c")
    assert solved_alike(program_of(unify_files(versions)), monkeypatch) > 20


CALLS = {
    "int a(void) { return 1; } int b(void) { return 2; }"
    "int f(int c) { int (*p)(void) = c ? a : b; return p(); }": {"a", "b"},
    "int a(void) { return 1; } int b(void) { return 2; }"
    "static int (*table[])(void) = { b }; int f(int i) { a(); return table[i](); }": {"a", "b"},
    "int cmp(const void *a, const void *b) { return 0; } void qsort(void *, unsigned long,"
    "unsigned long, int (*)(const void *, const void *)); int a[3];"
    "int f(void) { qsort(a, 3, 4, cmp); return 0; }": {"cmp"},
}


@pytest.mark.parametrize("text", CALLS)
def test_calls_through_pointers_are_resolved(text: str) -> None:
    program = lower([parse_text(text)], entry="f")
    calls = call_graph(program, points_to(program))
    assert {callee for found in calls.callees.values() for callee in found} == CALLS[text]
