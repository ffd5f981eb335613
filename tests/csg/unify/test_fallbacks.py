"""What happens when two versions cannot be told apart in one tree."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from csg.frontend import parse_file, parse_text
from csg.language.syntax import Compound, Execute, Version
from csg.language.traversal import walk
from csg.unify import Unified, check, unify, unify_compiled
from csg.unify import compiled as compiling
from csg.unify.matching.normal import normal_body
from csg.unify.unifier import everything_twice
from tests.csg.unify.building import Builds

PROGRAMS = Path(__file__).parents[2] / "programs"

OLD = """
static int n;
static int h(int x) { n++; return x + 1; }
int main(void) { int s = 0; for (int i = 0; i < 5; i++) s += h(i); return s + n; }
"""
NEW = """
static int n;
static int h(int x) { n += 2; return x + 2; }
int main(void) { int s = 0; for (int i = 0; i < 5; i++) s += h(i); return s - n; }
"""


def pair() -> Unified:
    return unify(parse_text(OLD, "old.c"), parse_text(NEW, "new.c"))


def test_a_function_asked_to_be_whole_is_two_copies() -> None:
    unified = unify(parse_text(OLD), parse_text(NEW), whole=frozenset({"h"}))
    assert [each.region for each in unified.fallbacks] == ["h"]
    names = [function.symbol.name for function in unified.unit.functions]
    assert names == ["h__old", "h__new", "h", "main"]
    copy, *inside = [change for change in unified.changes if change.function == "h"]
    assert (copy.granularity, {change.granularity for change in inside}) == (
        "function",
        {"statement"},
    )
    assert [(change.old_text, change.new_text) for change in inside] == [
        ("n++;", ""),
        ("", "n += 2;"),
        ("return x + 1;", ""),
        ("", "return x + 2;"),
    ]
    together = {change.id for change in (copy, *inside)}
    assert {change.requires | {change.id} for change in (copy, *inside)} == {frozenset(together)}
    assert check(unified, thorough=True) == []


def test_a_sizeof_of_either_version_s_variable_holds_both(tmp_path: Path) -> None:
    old = """
        #include <string.h>
        int main(void)
        {
            long counts[4];
            memset(counts, 0, sizeof counts);
            for (int i = 9; i > 0; i--) { unsigned char at = i; counts[at & 3]++; }
            return (double) counts[1] / 3 > 1.0;
        }
        """
    builds = Builds(tmp_path, old, old.replace("long counts", "unsigned long long counts"))
    assert (builds.unified.fallbacks, check(builds.unified, thorough=True)) == ([], [])
    builds.check()


def test_the_whole_program_twice(tmp_path: Path) -> None:
    builds = Builds(tmp_path, OLD, NEW)
    builds.unified = everything_twice(parse_text(OLD), parse_text(NEW))
    assert check(builds.unified, thorough=True) == []
    builds.check()


@pytest.mark.parametrize("name", ["linked_list", "gotos", "variable_arguments"])
def test_a_real_program_twice(name: str) -> None:
    path = str(PROGRAMS / f"{name}.c")
    unified = everything_twice(parse_file(path), parse_file(path))
    assert check(unified, thorough=True) == []
    assert compiling.compile_error(unified) is None


def test_a_lost_statement_is_noticed() -> None:
    unified = pair()
    function = unified.unit.functions[-1]
    shorter = Compound(function.body.items[:-1])
    unified.unit.functions[-1] = replace(function, body=shorter)
    assert [str(each) for each in check(unified)] == [
        "OLD of 'main': is another tree",
        "NEW of 'main': is another tree",
    ]


def test_a_region_of_the_wrong_version_is_noticed() -> None:
    unified = unify(
        parse_text("int f(int x) { return x; }"),
        parse_text("int f(int x) { x = x + 7; return x; }"),
    )
    function = unified.unit.functions[0]
    region = next(node for node in walk(function.body) if isinstance(node, Execute))
    items = tuple(
        replace(item, version=Version.OLD) if item is region else item
        for item in function.body.items
    )
    unified.unit.functions[0] = replace(function, body=Compound(items))
    assert {each.version for each in check(unified)} == set(Version)


def test_what_does_not_compile_becomes_two_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter([("h", "'t' undeclared"), None])
    monkeypatch.setattr(compiling, "compile_error", lambda unified, compiler: next(answers))
    unified = unify_compiled(parse_text(OLD), parse_text(NEW))
    assert [each.region for each in unified.fallbacks] == ["h"]
    assert "does not compile: 't' undeclared" in unified.fallbacks[-1].reason


def test_a_program_that_is_run_twice_is_one_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "compile_error", lambda unified, compiler: ("", "no"))
    unified = unify_compiled(parse_text(OLD), parse_text(NEW))
    assert [(each.region, each.reason) for each in unified.fallbacks] == [
        ("program", "its unified form does not compile: no")
    ]


def test_the_compiler_s_error_names_the_function(tmp_path: Path) -> None:
    unified = pair()
    function = unified.unit.functions[0]
    without = Compound(function.body.items[1:])
    body = Compound((replace(without, items=(*without.items, *_undeclared())),))
    unified.unit.functions[0] = replace(function, body=body)
    trouble = compiling.compile_error(unified)
    assert trouble is not None
    assert trouble[0] == "h"
    assert "undeclared" in trouble[1]


def _undeclared() -> tuple[object, ...]:
    other = parse_text("int f(void) { int loose = 3; loose++; return loose; }")
    return other.functions[0].body.items[1:]


def test_chains_and_loops_a_thousand_deep() -> None:
    def chain(count: int, without: int) -> str:
        arms = [f"if (x == {i}) y = {i * 3}; else" for i in range(count) if i != without]
        return f"int f(int x) {{ int y = 0; {' '.join(arms)} y = -1; return y; }}"

    unified = unify(parse_text(chain(1000, -1)), parse_text(chain(1000, 500)))
    assert [(change.kind, change.hunk) for change in unified.changes] == [("deleted", 1)] * 2


def test_a_function_with_a_variable_number_of_arguments_gets_two_names() -> None:
    old = "int f(int n, ...) { return n; } int main(void) { return f(2, 3); }"
    new = old.replace("return n", "return n + 1")
    assert unify(parse_text(old), parse_text(new)).splits == {}
    forced = unify(parse_text(old), parse_text(new), whole=frozenset("f"))
    assert forced.splits == {"f": ("f__old", "f__new")}
    assert check(forced, thorough=True) == []


MOVED_OLD = """
int opened(int), taken(int), first(void), more(void);
int f(int name)
{
    BEFORE
    int file = opened(name | 1);
    unsigned count = 0, n;
    if (file < 0) return 0;
    while ((n = taken(file))) count += n;
    return count;
}
int main(int argc, char **argv) { return f(argc); }
"""
MOVED_NEW = """
int opened(int), taken(int), first(void), more(void);
int f(int name)
{
    BEFORE
    int flags = name | 1;
    unsigned count = 0, n;
    int file;
    if (more()) flags |= 4;
    file = opened(flags);
    if (file < 0) return 0;
    while ((n = taken(file))) count += n;
    return count;
}
int main(int argc, char **argv) { return f(argc); }
"""


@pytest.mark.parametrize(
    "before", ["", "int other = 5; name += other;", "again: if (first()) goto again;"]
)
def test_a_call_may_be_before_or_behind_a_constant_first_value(before: str) -> None:
    old, new = (text.replace("BEFORE", before) for text in (MOVED_OLD, MOVED_NEW))
    unified = unify(parse_text(old, "old.c"), parse_text(new, "new.c"))
    assert not unified.fallbacks
    assert check(unified, thorough=True) == []


@pytest.mark.parametrize(
    ("statement", "moves"),
    [("g();", True), ("again: if (g()) goto again;", False), ("setjmp(0);", False)],
)
def test_a_first_value_that_a_jump_could_set_again_stays(statement: str, moves: bool) -> None:
    text = f"int g(void), setjmp(int *); int f(void) {{ {statement} int n = 3; return n; }}"
    body = parse_text(text).functions[0].body
    assert (normal_body(body) != normal_body(body, early=True)) == moves
