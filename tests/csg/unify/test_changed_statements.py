"""A change is a changed statement: numbers, heads, hunks, what needs what, and masks that hold."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from random import Random

import pytest

from csg.pipeline import graph_of, program_of
from csg.programs import SourceFile
from csg.unify import Unified, printed
from csg.unify.changes.explaining import spanning
from csg.unify.output.annotated import published
from csg.unify.output.printing import mask_text
from symexec.replay import NativeReplay, ReplayPlan, Text
from symexec.testcases import TestInput
from symexec.triage import native_blame, shows_as_new
from symexec.triage.blame import closed
from tests.command_line import write_versions
from tests.csg.unify.building import Builds, run, unification
from tests.nightly import daily


def body(old: str, new: str) -> Unified:
    frame = "int g(int);\nint f(int x, int y)\n{{\n    int z = 0;\n{}\n    return z;\n}}\n"
    return unification(frame.format(old), frame.format(new))


def told(unified: Unified) -> list[tuple[int, int, str, str]]:
    """Of each change its number, its hunk, and its texts."""
    return [(c.id, c.hunk, c.old_text, c.new_text) for c in unified.changes]


def test_two_lines_are_two_changes() -> None:
    unified = body("z = x + y;", "x = x * 2; y = y * 3;\nz = x + y;")
    assert told(unified) == [(1, 1, "", "x = x * 2;"), (2, 1, "", "y = y * 3;")]


def test_a_head_and_what_it_holds() -> None:
    unified = body("g(z);", "if (x > 3) {\n    y = 3;\n    while (y < z)\n        y++;\n}\ng(z);")
    assert told(unified) == [
        (1, 1, "", "if (x > 3) {"),
        (2, 1, "", "y = 3;"),
        (3, 1, "", "while (y < z)"),
        (4, 1, "", "y++;"),
    ]
    needs = {c.id: set(c.requires) for c in unified.changes}
    assert needs == {1: set(), 2: {1}, 3: {1, 4}, 4: {1, 3}}  # a loop needs what ends it


def test_taking_a_block_away_takes_its_statements() -> None:
    unified = body("if (x > 3) {\n    y = 3;\n    g(y);\n}\ng(z);", "g(z);")
    assert [c.old_text for c in unified.changes] == ["if (x > 3) {", "y = 3;", "g(y);"]
    assert [set(c.requires) for c in unified.changes] == [{2, 3}, set(), set()]


def test_statements_in_each_other_s_place_are_modified() -> None:
    unified = body("g(x);\nif (x) g(1);\n", "z = x * y;\nwhile (z > 7) z -= y + 9;\n")
    assert next((c.kind, c.old_text, c.new_text) for c in unified.changes) == (
        "modified",
        "g(x);",
        "z = x * y;",
    )


def test_a_declaration_that_computes_nothing_is_no_change_but_what_sets_it_is_needed() -> None:
    unified = body("g(z);", "int t;\nt = g(x);\nz = t;\ng(z);")
    assert told(unified) == [(1, 1, "", "t = g(x);"), (2, 1, "", "z = t;")]
    assert [set(c.requires) for c in unified.changes] == [set(), {1}]


def test_a_function_that_one_version_has() -> None:
    old = "int f(int x)\n{\n    return x;\n}\n"
    new = (
        "static int h(int a)\n{\n    if (a > 3)\n        return 3;\n    g(a);\n    return a;\n}\n"
        "int f(int x)\n{\n    return h(x);\n}\n"
    )
    unified = unification("int g(int);\n" + old, "int g(int);\n" + new)
    assert [(c.function, c.new_text) for c in unified.changes] == [
        ("h", "static int h(int a)"),
        ("h", "if (a > 3)"),
        ("h", "return 3;"),
        ("h", "g(a);"),
        ("h", "return a;"),
        ("f", "return h(x);"),
    ]
    needs = {c.id: set(c.requires) for c in unified.changes}
    assert needs == {1: {5}, 2: {1, 5}, 3: {1, 2, 5}, 4: {1, 5}, 5: {1}, 6: {1, 5}}


def test_the_readable_form_is_one_region_and_the_papers_form_one_guard() -> None:
    unified = body("g(z);", "x = g(1);\nif (x) y = 2; else y = 3;\ng(z);")
    assert (
        "if (execute(NEW)) {\n        x = g(1);\n        if (x) {\n            y = 2;\n"
        in printed(unified)
    )
    papers = printed(published(unified))
    assert "if (change(0, 1)) {\n        x = g(1);\n        if (x) {" in papers
    assert "execute(NEW)" not in papers


def test_a_long_function_that_changed_a_lot_is_unified() -> None:
    lines = "\n".join(f"    z += g({n} * x) - y; if (z == {n}) return z;" for n in range(30))
    others = "\n".join(f"    while (x < g({n})) {{ x++; z ^= {n}; }}" for n in range(30))
    unified = body(lines, others)
    assert unified.fallbacks == []
    assert spanning(unified) == []


# ------------------------------------------------------------------ graph and runs

LINES = """\
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{{
    int x = argc, y = atoi(argv[1]), z;
{}    z = x + y;
    printf("%d\\n", z > 8);
    return 0;
}}
"""


def test_two_added_lines_make_an_interaction_location() -> None:
    unified = unification(LINES.format(""), LINES.format("    x = x * 2;\n    y = y * 3;\n"))
    program = program_of(unified)
    places = {
        program.nodes[node.node].text: node.changes for node in graph_of(program).interactions
    }
    assert places["z = x + y;"] == {1, 2}


def test_blame_tells_two_added_lines_apart(tmp_path: Path) -> None:
    old, new = LINES.format(""), LINES.format("    x = x * 2;\n    y = y * 3;\n")
    unified = unification(old, new)
    files = write_versions(tmp_path, old, new)
    plan = ReplayPlan(
        (SourceFile(files[0]),),
        (SourceFile(files[1]),),
        unified=(Text(printed(unified, ids=True)),),
    )
    blamed = {}
    with NativeReplay(plan) as replay:
        for argument in (b"2", b"4", b"5"):
            test = TestInput(args=(argument,))
            found = native_blame(replay, test, replay.pair(test), [1, 2], {})
            blamed[argument] = found.minimal
    # x is 2: 2 + 2, 4 + 6: together; 2 + 4, 2 + 12: the second; 2 + 5, 4 + 5 or 2 + 15: each
    assert blamed == {b"2": ((1, 2),), b"4": ((2,),), b"5": ((1,), (2,))}


# ------------------------------------------------------------------ moved statements

# A statement, and a macro in its place with the same one, or another one that sets the same.
ADVANCES = [
    ("s++;", "#define ADVANCE(p) do { (p)++; if (!*(p)) return -1; } while (0)\n"),
    ("++s;", "#define ADVANCE(p) do { if (!(p)[1]) return -1; (p) += 1; } while (0)\n"),
]
SKIPPING = """\
#include <stdio.h>
static int count(const char *s)
{
    int n = 0;
    while (*s) {
        if (*s == '%') {
            ADVANCE
        }
        n++;
        s++;
    }
    return n;
}
int main(int argc, char **argv) { printf("%d", count(argv[1])); return 0; }
"""


@pytest.mark.parametrize(("statement", "macro"), ADVANCES)
def test_a_macro_in_the_place_of_a_statement_is_to_blame_as_a_whole(
    statement: str, macro: str, tmp_path: Path
) -> None:
    old, new = (SKIPPING.replace("ADVANCE", each) for each in (statement, "ADVANCE(s);"))
    new = macro + new
    unified = unification(old, new)
    needs = {change.id: change.requires for change in unified.changes}
    files = write_versions(tmp_path, old, new)
    plan = ReplayPlan(
        (SourceFile(files[0]),),
        (SourceFile(files[1]),),
        unified=(Text(printed(unified, ids=True)),),
    )
    with NativeReplay(plan) as replay:
        test = TestInput(args=(b"ab%",))
        pair = replay.pair(test)
        found = native_blame(replay, test, pair, sorted(needs), needs)
        assert shows_as_new(replay, test, pair, frozenset(found.blamed))
    assert found.blamed == (1, 2, 3, 4) and not found.interaction


COUNTED = """\
#include <stdio.h>
static int runs;
static int m(int x) {{ runs++; return x + 1; }}
static int f(int x, int y)
{{
    int z = 1;
    if (x > 2) {{
        {}
    }}
    return x + y + z;
}}
int main(void)
{{
    for (int i = 1; i < 5; i++)
        for (int k = -1; k < 4; k++) {{
            int shown = f(i, k);
            printf("%d:%d ", runs, shown);
            runs = 0;
        }}
    return 0;
}}
"""
MOVED = ("m(y);", "y += m(x);", "z = m(y) + z;", "while (z++ < 2) m(z);")
AROUND = (
    "do { S if (y > 1) return -1; } while (0);",
    "do { if (y > 1) return -1; S } while (0);",
    "if (y < 2) { S } else return -2;",
    "for (int i = 0; i < 2; i++) { S y--; }",
    "switch (y) { case 1: y = 7; default: S }",
)


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("moved", daily(MOVED, 1))
@pytest.mark.parametrize("back", [False, True], ids=["into", "out of"])
def test_a_program_runs_a_moved_statement_as_often_as_a_version(
    moved: str, around: str, back: bool, tmp_path: Path
) -> None:
    """Whatever may be switched on together does: no program has the statement neither where it was
    nor where it is, or in both places."""
    texts = [COUNTED.format(each) for each in (moved, around.replace("S", moved))]
    builds = Builds(tmp_path, *(texts[::-1] if back else texts))
    needs = {change.id: change.requires for change in builds.unified.changes}
    masked = builds.build(printed(builds.unified, ids=True), "masked")
    sets = {
        closed(frozenset(chosen), needs)
        for count in range(len(needs) + 1)
        for chosen in combinations(needs, count)
    }
    shown = {each: run(masked, [], b"", mask_text(each)).output.split() for each in sets}
    assert shown[frozenset()] != shown[frozenset(needs)]
    runs = {each: [text.partition(b":")[0] for text in texts] for each, texts in shown.items()}
    versions = runs[frozenset()], runs[frozenset(needs)]
    for each, counts in runs.items():
        pairs = zip(counts, *versions, strict=True)
        assert all(count in known for count, *known in pairs), (sorted(each), counts, versions)


# ------------------------------------------------------------------ generated pairs

STATEMENTS = (
    "x = x + N;", "y = g(x - N);", "z = z * 3 - N;", "if (x > N) y++;",
    "if (y < N) { z += x; x--; } else z--;", "for (int i = 0; i < N; i++) z ^= i;",
    "int tN = y; z += tN;", "while (x > N + 5) x -= 3;", "if (z == N) return x;",
    "switch (x & 3) { case 1: y += N; break; case 2: z--; default: x++; }",
    "do { y++; } while (y < N);",
)  # fmt: skip
HEAD = """\
#include <stdio.h>
static int g(int x) { return x * 3 % 7; }
static int f(int x, int y)
{
    int z = 1;
"""
TAIL = """
    return x + y + z;
}
int main(void)
{
    for (int i = -3; i < 9; i++)
        for (int k = -1; k < 4; k++)
            printf("%d ", f(i, k));
    return 0;
}
"""


def generated(seed: int) -> tuple[str, str]:
    """Two functions whose bodies have lines in common: one statement of the table on each line."""
    random = Random(seed)

    def line(number: int) -> str:
        return "    " + random.choice(STATEMENTS).replace("N", str(number))

    old = [line(number) for number in range(random.randrange(2, 9))]
    new = list(old)
    for number in range(10, 10 + random.randrange(1, 6)):
        at = random.randrange(len(new) + 1)
        match random.randrange(3):
            case 0 if at < len(new):
                del new[at]
            case 1 if at < len(new):
                new[at] = line(number)
            case _:
                new.insert(at, line(number))
    return HEAD + "\n".join(old) + TAIL, HEAD + "\n".join(new) + TAIL


@pytest.mark.parametrize("seed", daily(range(12), 5))
def test_generated_statements(seed: int, tmp_path: Path) -> None:
    old, new = generated(seed)
    builds = Builds(tmp_path, old, new)
    unified = builds.unified
    for only_old, texts, lines in (
        (True, old, {c.old_location.line for c in unified.changes if c.old_location}),
        (False, new, {c.new_location.line for c in unified.changes if c.new_location}),
    ):
        assert _differing(old, new, only_old) <= lines, texts  # no changed line without a number
    assert spanning(unified) == []
    needs = {change.id: change.requires for change in unified.changes}
    masked = builds.build(printed(unified, ids=True), "masked")
    random = Random(seed)
    for _ in range(6):
        chosen = frozenset(each for each in needs if random.random() < 0.5)
        mask = frozenset(each for each in chosen if needs[each] <= chosen)
        seen = run(masked, [], b"", mask_text(mask))
        assert seen.status in (0, -9, -24) and not seen.messages, (mask, seen)
    builds.check()


def _differing(old: str, new: str, only_old: bool) -> set[int]:
    """Lines that the other text has nowhere: a naive diff. Of lines that stand elsewhere as well it
    is a choice which of them moved."""
    mine, other = (old, new) if only_old else (new, old)
    there = set(other.split("\n"))
    return {
        number
        for number, line in enumerate(mine.split("\n"), 1)
        if line.strip() and line not in there
    }
