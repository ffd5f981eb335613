"""How far tests come with the lines of a patch and in a graph; the way to an output."""

from __future__ import annotations

from csg.errors import Location
from csg.ir import ChangeInfo
from csg.unify.changes.patch import FilePatch, Line, Patch
from symexec.ledger import Verdict
from symexec.report.coverage import functions_of, patch_files, statuses
from symexec.report.model import Report
from symexec.report.words import way_to_output
from symexec.state.state import DivergenceKind
from symexec.testcases import (
    Blame,
    DifferenceKind,
    Divergence,
    Observation,
    Observed,
    TestCase,
    TestInput,
)

CHANGES = tuple(
    ChangeInfo(number, "added", "f", Location("new.c", number), None, "", f"s{number};")
    for number in range(1, 8)
)
NODES = [
    {"id": f"c{n}", "kind": "change", "file": "new.c", "line": n, "function": "f", "text": f"s{n};",
     "changes": [n]}
    for n in range(1, 7)
] + [
    {"id": "i1", "kind": "interaction", "file": "new.c", "line": 20, "function": "g", "text": "t;",
     "changes": [1, 2]},
    {"id": "o1", "kind": "output", "file": "new.c", "line": 30, "function": "", "text": "u;",
     "changes": [1, 2]},
]  # fmt: skip
COVERAGE = {"nodes": {"witnessed": ["c1", "c2", "c3"], "reached": ["c4"], "infeasible": ["c5"]}}


def made(name: str, way: str, **fields: object) -> TestCase:
    return TestCase(name, TestInput(args=(b"x",)), sequence=tuple(way.split()), **fields)  # type: ignore[arg-type]


DIFFERING = made(
    "t1",
    "i1 c1 i1 c2 i1 o1",
    divergence=Divergence(DivergenceKind.CONTROL, "new.c", 20, "diff-false"),
    old=Observation(exit=0),
    new=Observation(exit=1),
    observed=Observed.DIFFERENT,
    kind=DifferenceKind.DIFFERENCE,
    blame=Blame(((1, 2),)),
)
PARTING = made(
    "t2", "c3", divergence=Divergence(DivergenceKind.CONTROL, "new.c", 20), observed=Observed.SAME
)


def report() -> Report:
    lines = [Line(0, change.id, change.new_text, (change.id,)) for change in CHANGES]
    lines += [Line(8, 8, "both"), Line(9, 0, "/* comment */"), Line(0, 9, "s1; s6;", (1, 6))]
    return Report(
        "old.c",
        "new.c",
        verdict=Verdict.DIFFERENT,
        changes=CHANGES,
        csg={"nodes": NODES, "edges": [], "coverage": COVERAGE},
        tests=[PARTING, DIFFERING],
        patch=Patch((FilePatch("old.c", "new.c", (tuple(lines),)),)),
        sources=({}, {"new.c": [f"line {number}" for number in range(1, 31)]}),
    )


def test_the_best_that_came_of_a_change_counts() -> None:
    assert statuses(report()) == {
        1: "differs",
        2: "differs",
        3: "diverges",
        4: "met",
        5: "nowhere",
        6: "never",
        7: "text",
    }


def test_lines_have_the_best_of_their_changes() -> None:
    (file,) = patch_files(report())
    (hunk,) = file.hunks
    found = [(line.sign, line.status) for line in hunk]
    assert found[7:] == [(" ", ""), ("-", "text"), ("+", "differs")]
    assert file.summary.startswith(
        "Lines: 3 on the way to a differing output; 1 met with different"
    )


def test_a_node_has_its_source_and_its_tests_those_that_differ_first() -> None:
    (first, nodes), *others = functions_of(report())
    assert first == "f" and [name for name, _ in others] == ["g", "file scope"]
    assert nodes[0].source[0] == (1, "line 1", True) and nodes[0].tests == (("t1", True),)
    assert nodes[2].tests == (("t2", False),) and nodes[5].tests == ()


def test_the_way_leads_from_the_changes_to_blame_to_an_output() -> None:
    assert [(step.node, step.place) for step in way_to_output(report(), DIFFERING)] == [
        ("c1", "new.c:1"),
        ("c2", "new.c:2"),
        ("i1", "new.c:20"),
        ("", "new.c:20"),
        ("o1", "new.c:30"),
    ]
    parting = way_to_output(report(), DIFFERING)[3]
    assert "true in the old version and false in the new one" in parting.words
