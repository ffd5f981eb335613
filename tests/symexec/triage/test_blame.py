"""Blame on real pairs: the unified programs are written by hand with the macros that
``csgtest unify --ids`` prints."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from csg.frontend import parse_text
from csg.programs import SourceFile
from csg.unify import printed, unify
from symexec.replay import NativeReplay, Pair, ReplayPlan, Text, probed, probes
from symexec.testcases import Blame, Observation, TestCase, TestInput
from symexec.triage import Patience, examine, native_blame, shrink
from symexec.triage.blame import Ids, blame
from tests.command_line import write_versions

PRELUDE = """
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined CSGTEST_OLD
#define change_(id, o, n) (o)
#define execute_(id, v) ((v) == 0)
#elif defined CSGTEST_NEW
#define change_(id, o, n) (n)
#define execute_(id, v) ((v) == 1)
#else
static unsigned char csgtest_mask[9];
#define change_(id, o, n) (csgtest_mask[id] ? (n) : (o))
#define execute_(id, v) (csgtest_mask[id] == (v))
__attribute__((constructor)) static void csgtest_read_mask(void)
{
    const char *text = getenv("CSGTEST_MASK");
    for (int at = 1; at < 9; at++)
        csgtest_mask[at] = !text || (*text && *text++ == '1');
}
#endif
enum { OLD, NEW };
"""

# The range parser's shape: an overflow needs the larger limit and the smaller table together.
INTERACTION = """
int main(int argc, char **argv)
{
    int limit = change_(1, 4, 8);
    char *table = malloc(change_(2, 16, 4));
    int x = argc > 1 ? atoi(argv[1]) : 0;
    if (execute_(3, NEW))
        x = x + 0;
    for (int i = 0; i < x && i < limit; i++)
        table[i] = 'a';
    puts(x > 0 ? "some" : "none");
    return 0;
}
"""

SINGLE = """
int main(int argc, char **argv)
{
    int x = argc > 1 ? atoi(argv[1]) : 0;
    if (change_(1, x > 10, x >= 10))
        puts("large");
    if (change_(2, x > 20, x >= 20))
        puts("huge");
    return 0;
}
"""


def replay_of(folder: Path, body: str, mask: str | None = None) -> NativeReplay:
    text = PRELUDE + body
    write_versions(folder, "#define CSGTEST_OLD\n" + text, "#define CSGTEST_NEW\n" + text)
    unified = text if mask is None else PRELUDE + mask
    return NativeReplay(
        ReplayPlan(
            (SourceFile(folder / "old.c"),),
            (SourceFile(folder / "new.c"),),
            unified=(Text(unified),),
            wall_s=0.5,
        )
    )


def examined(folder: Path, body: str, argument: bytes, changes: int = 3) -> TestCase:
    with replay_of(folder, body) as replay:
        case = TestCase("t1", TestInput(args=(argument,)))
        return examine(case, replay, range(1, changes + 1), patience=Patience())


def test_an_interaction_needs_both_changes(tmp_path: Path) -> None:
    case = examined(tmp_path, INTERACTION, b"100")
    assert case.kind == "regression" and case.new is not None
    assert case.new.sanitizer == "heap-buffer-overflow"
    assert case.blame == Blame(((1, 2),), (1, 2), complete=True, runs=case.blame.runs)
    assert case.blame.interaction
    assert case.blame.runs <= 8


def test_one_change_of_two_is_to_blame(tmp_path: Path) -> None:
    case = examined(tmp_path, SINGLE, b"10", changes=2)
    assert (case.kind, case.observed) == ("difference", "different")
    assert case.blame is not None
    assert (case.blame.minimal, case.blame.reproducing) == (((1,),), (1,))
    assert not case.blame.interaction
    assert examined(tmp_path, SINGLE, b"20", changes=2).blame.minimal == ((2,),)  # type: ignore[union-attr]


def test_nothing_is_blamed_where_nothing_differs(tmp_path: Path) -> None:
    case = examined(tmp_path, SINGLE, b"15", changes=2)
    assert (case.kind, case.observed, case.blame) == ("path-only", "same", None)


def test_a_mask_program_that_is_not_the_old_one_gives_no_blame(tmp_path: Path) -> None:
    with replay_of(tmp_path, SINGLE, SINGLE.replace("large", "LARGE")) as replay:
        case = TestCase("t1", TestInput(args=(b"11",)))
        case = examine(case, replay, (1, 2), patience=Patience())
        assert case.blame is None  # equal anyway
        case = TestCase("t1", TestInput(args=(b"20",)))
        case = examine(case, replay, (1, 2), patience=Patience())
        assert case.blame is not None and case.blame.blamed == ()
        assert "is not the old one (stdout)" in case.blame.note


def test_a_witness_shrinks_and_keeps_its_class_and_blame(tmp_path: Path) -> None:
    with replay_of(tmp_path, INTERACTION) as replay:
        case = TestCase("t1", TestInput(args=(b"7654", b"more"), stdin=b"unused"))
        case = examine(case, replay, (1, 2, 3), patience=Patience())
        small = shrink(case, replay, (1, 2, 3), seconds=5)
        assert small.input == TestInput(args=small.input.args)
        assert len(small.input.args) == 1 and len(small.input.args[0]) == 1
        assert small.blame is not None and small.blame.blamed == (1, 2)
        assert small.minimal
        kept = shrink(case, replay, (1, 2, 3), allowed=lambda test: False)
        assert kept == replace(case, minimal=True)


def test_a_witness_stays_where_no_patience_is_left_to_blame_a_smaller_one(tmp_path: Path) -> None:
    with replay_of(tmp_path, INTERACTION) as replay:
        case = TestCase("t1", TestInput(args=(b"7654", b"more"), stdin=b"unused"))
        case = examine(case, replay, (1, 2, 3), patience=Patience())
        patience = Patience(64, 10.0, lambda: 11.0)
        assert shrink(case, replay, (1, 2, 3), patience=patience).input == case.input


OLD, NEW, CRASH = Observation(exit=0), Observation(exit=1), Observation(signal="SIGABRT")
OTHER = Observation(exit=2)


@pytest.mark.parametrize(
    ("new", "shown", "minimal", "reproducing"),
    [
        # 1 and 2 each make a difference; 2 alone gives what the new version shows
        (NEW, {(1,): OTHER, (2,): NEW, (1, 2): NEW}, ((2,), (1,)), (2,)),
        # each makes a difference, together they make the new one
        (NEW, {(1,): OTHER, (2,): OTHER, (1, 2): NEW}, ((1,), (2,)), (1, 2)),
        # a harmless difference of 1 alone does not clear 2 of the crash that both make
        (CRASH, {(1,): OTHER, (1, 2): CRASH}, ((1, 2),), (1, 2)),
        # the changes cancel out in part: nothing below all of them shows anything
        (NEW, {(1, 2): NEW}, ((1, 2),), (1, 2)),
    ],
)
def test_rules_of_blame(
    new: Observation,
    shown: dict[tuple[int, ...], Observation],
    minimal: tuple[tuple[int, ...], ...],
    reproducing: tuple[int, ...],
) -> None:
    def run(ids: Ids) -> Observation:
        return shown.get(tuple(sorted(ids)), OLD)

    found = blame(Pair(OLD, new), run, (1, 2))
    assert (found.minimal, found.reproducing) == (minimal, reproducing)


def test_what_shows_the_new_behaviour_comes_before_what_is_smaller() -> None:
    shown = {frozenset({1}): OTHER, frozenset({2, 3}): NEW, frozenset({1, 2, 3}): NEW}
    found = blame(Pair(OLD, NEW), lambda ids: shown.get(ids, OLD), (1, 2, 3))
    assert (found.minimal, found.blamed) == (((2, 3), (1,)), (2, 3))


def test_changes_that_the_new_version_does_not_come_by_are_not_blamed() -> None:
    """3 is beside its way, and would show something else in the old version; 2 requires it."""

    def run(ids: Ids) -> Observation:
        return NEW if 2 in ids else OTHER if ids & {1, 3} else OLD

    needs = {2: frozenset({3})}
    everywhere = blame(Pair(OLD, NEW), run, (1, 2, 3, 4), needs)
    assert everywhere.minimal == ((1,), (3,))
    found = blame(Pair(OLD, NEW), run, (1, 2, 3, 4), needs, met=frozenset({1, 2}))
    assert found.minimal == ((2, 3), (1,))
    unseen = blame(Pair(OLD, NEW), run, (1, 2, 3, 4), needs, met=frozenset({1}))
    assert unseen.minimal == everywhere.minimal  # the new version does not do what it does by these


def test_a_function_that_nothing_calls_any_more_is_not_blamed(tmp_path: Path) -> None:
    body = "".join(f"    x += {1 << i};\n" for i in range(5))
    old = f"int first(int x)\n{{\n{body}    return x;\n}}\n"
    other = "int second(int x)\n{\n    return x * 100;\n}\n"
    main = "int main(int argc, char **argv)\n{{\n    return {}(argc + argv[0][0] * 0);\n}}\n"
    new = old.replace(body, "") + other + main.format("second")
    old += main.format("first")
    unified = unify(parse_text(old, "old.c"), parse_text(new, "new.c"))
    ids = [change.id for change in unified.changes]
    assert len(ids) > 5
    write_versions(tmp_path, old, new)
    source = Text(printed(unified, ids=True))
    plan = ReplayPlan(
        (SourceFile(tmp_path / "old.c"),),
        (SourceFile(tmp_path / "new.c"),),
        unified=(source,),
        probed=(probed(source, len(ids)),),
        unseen=frozenset(ids) - probes(source.text),
    )
    requires = {change.id: frozenset(change.requires) for change in unified.changes}
    with NativeReplay(plan) as replay:
        found = native_blame(replay, TestInput(), replay.pair(TestInput()), ids, requires)
    functions = {change.id: change.function for change in unified.changes}
    assert found.minimal and {functions[each] for each in found.blamed} >= {"main"}
    assert "first" not in {functions[each] for ids in found.minimal for each in ids}


def test_no_mask_program_no_blame(tmp_path: Path) -> None:
    files = write_versions(tmp_path, "int main(void) { return 1; }", "int main(void) { return 2; }")
    with NativeReplay(ReplayPlan((SourceFile(files[0]),), (SourceFile(files[1]),))) as replay:
        case = examine(TestCase("t1", TestInput()), replay, (1,), patience=Patience())
    assert case.kind == "difference"
    assert case.blame is not None and "no unified program" in case.blame.note
