"""The evaluation of the change sequence graph paper: facts, Definition 3 over tests, verdicts with
a golden version, and the tables. The programs here are small ones, not the paper's."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.fse13.facts import PAIRS, Error, Pair
from benchmarks.fse13.scoring import (
    blame,
    cause,
    critical_sequence,
    disagreements,
    exposing_tests,
    repaired,
    score,
    shares,
    statements,
)
from benchmarks.fse13.tables import document
from benchmarks.tests.building import built

PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int x = argc > 1 ? argv[1][0] - '0' : 0;
    if (x == 1)
        x = ONE;
    if (x == 2)
        x = TWO;
    if (x == 3)
        x = THREE;
    printf("%d\\n", x);
    return 0;
}
"""
#            regression at 1, incomplete fix at 2, progression at 3
VERSIONS = {
    "old": (10, 20, 30),
    "new": (11, 21, 31),
    "fixed": (10, 29, 31),
    "before": (11, 21, 31),
}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Pair]:
    """A pair with one error, in folders as the builder leaves them."""
    error = replace(PAIRS["expr.v0v1"].errors[0], id="e1", kind="output", made_by=())
    pair = replace(PAIRS["expr.v0v1"], name="small", tool="small", errors=(error,))
    folder = tmp_path_factory.mktemp("small")
    for name, values in VERSIONS.items():
        place = folder / (name if name in ("old", "new") else f"{name}-e1")
        place.mkdir()
        text = PROGRAM
        for word, value in zip(("ONE", "TWO", "THREE"), values, strict=True):
            text = text.replace(word, str(value))
        (place / "small.c").write_text(text)
        for build in ("bin", "san"):
            subprocess.run(["cc", "small.c", "-o", build], cwd=place, check=True)
    return folder, pair


def searched(folder: Path, *words: str) -> dict[str, Any]:
    asked = ("old/small.c", "new/small.c", "--sym-args", "1", "1", "1", "--time", "10")
    return built(folder, *asked, "--no-native", *words)


def test_a_report_is_scored_by_outcomes(small: tuple[Path, Pair]) -> None:
    folder, pair = small
    report = searched(folder)
    found = score(folder, pair, report)
    (error,) = found["errors"]
    by_input = {test["input"]["args"][0]: test["id"] for test in report["tests"]}
    exposed = exposing_tests(folder, pair, pair.errors[0], report["tests"])
    assert exposed == {by_input["1"]: "regression", by_input["2"]: "difference"}
    assert error["exposing"] == 2 and error["first_s"] > 0
    assert found["differing"] == 3 and found["finished"]
    assert error["cause"] == "statement"  # change 1, and the repair is x = 10 again


@pytest.mark.parametrize(
    ("line", "function", "expected"),
    [
        (8, "main", "statement"),
        (10, "main", "statement"),
        (14, "main", "function"),
        (3, "f", "elsewhere"),
    ],
)
def test_a_blamed_statement_stands_where_the_repair_does(
    line: int, function: str, expected: str, small: tuple[Path, Pair]
) -> None:
    folder, pair = small
    change = {"file": "new/small.c", "line": line, "function": function}
    assert cause(folder, pair.errors[0], [change]) == expected
    assert cause(folder, pair.errors[0], []) == ""
    made = replace(pair.errors[0], made_by=("x == 1",))
    known = {**change, "old": "if (x==1)", "new": None}
    assert cause(folder, made, [change, known]) == "known"
    assert cause(folder, made, [change]) == expected


def test_a_macro_is_repaired_where_it_is_used(tmp_path: Path) -> None:
    before = "#define ADD(x) \\\n  do { \\\n    n += (x); \\\n  } while (0)\n"
    use = "\nint f(int n)\n{\n  int unused;\n  n--;\n  n *= 2;\n  ADD(n);\n  return n;\n}\n"
    for name, text in (("before", before), ("fixed", before.replace("  do", "  check(x); do"))):
        (tmp_path / f"{name}-e1").mkdir()
        (tmp_path / f"{name}-e1" / "small.c").write_text(text + use)
    lines, functions = repaired(tmp_path, "e1", "small.c")
    assert {"ADD(n);", "n *= 2;"} <= lines and "int unused;" not in lines
    assert "f" in functions


def test_our_classes_and_the_outcomes_agree_on_every_test(small: tuple[Path, Pair]) -> None:
    folder, pair = small
    report = searched(folder, "--golden", "fixed-e1/bin")
    judged, wrong = disagreements(folder, pair, pair.errors[0], report)
    assert judged == 3 and wrong == []
    for test in report["tests"]:  # and one that does not is noticed
        if test["observed"] == "different":
            test["class"] = "progression"
    assert len(disagreements(folder, pair, pair.errors[0], report)[1]) == 2


@pytest.mark.parametrize(
    ("visited", "exposing", "expected"),
    [
        # all that expose it come by a, b and c; that a is needed nobody has seen
        ({"t1": "abc", "t2": "abdc", "t3": "ab", "t4": "ac"}, "t1 t2", "bc"),
        ({"t1": "abc", "t2": "acb", "t3": "a", "t4": "d"}, "t1 t2", "ab"),  # one order of two
        ({"t1": "abc", "t2": "abc"}, "t1", ""),  # no test skips anything
        ({"t1": "ab", "t2": "b"}, "t1", ""),  # only a is seen to matter
        ({"t1": "ab", "t2": "cd", "t3": "ef"}, "t1 t2", ""),  # nothing in common
        ({"t1": "ab", "t2": "", "t3": "b", "t4": "a"}, "t1 t2", "ab"),  # t2 is not known
        ({"t1": "ab", "t2": "a"}, "", ""),
    ],
)
def test_definition_3(visited: dict[str, str], exposing: str, expected: str) -> None:
    known = {name: tuple(nodes) for name, nodes in visited.items()}
    found = critical_sequence(known, dict.fromkeys(exposing.split(), "regression"))
    assert "".join(found) == expected


def test_shares_of_critical_sequences() -> None:
    visited = {"t1": ("a", "b"), "t2": ("a", "c", "b"), "t3": ("b", "a"), "t4": (), "t5": ("a",)}
    assert shares(visited, [("a", "b"), ()], {"t1", "t5"}) == {
        "critical": 2, "critical_exposing": 1, "other": 2, "other_exposing": 1, "unknown": 1,
    }  # fmt: skip


def test_statements_are_changes_at_their_first_time() -> None:
    test = {"sequence": ["c2", "i1", "c1", "c2", "o1"]}
    assert statements(test, frozenset({"c1", "c2"})) == ("c2", "c1")


def test_a_test_without_a_blame_has_that_of_its_group() -> None:
    asked, other = {"id": "t2", "blamed": [4, 5]}, {"id": "t1", "blamed": []}
    report = {"groups": [{"tests": ["t3"], "blamed": [9]}, {"tests": ["t1", "t7"], "blamed": [8]}]}
    assert blame([other, asked], report) == [4, 5]
    assert blame([other], report) == [8]
    assert blame([], report) == []


def test_the_facts_are_those_of_the_paper() -> None:
    errors = [error for pair in PAIRS.values() for error in pair.errors]
    assert (len(PAIRS), len(errors)) == (6, 11)
    assert sum(error.interaction for error in errors) == 7
    assert sum(bool(error.guided.exposing) for error in errors) == 11
    assert sum(bool(error.isolated.exposing) for error in errors) == 7
    for pair in PAIRS.values():
        assert abs(pair.critical.tests + pair.other.tests - 100) < 0.01
        for error in pair.errors:
            assert (error.kind == "memory") == bool(error.function)
            assert _exposed_by_its_inputs(error)


def _exposed_by_its_inputs(error: Error) -> bool:
    """Each known input is a differential error by its outcomes."""
    outcomes = [known.outcomes for known in error.inputs]
    return all(each["new"] not in (each["old"], each["fixed"]) for each in outcomes)


def test_the_document_tells_what_is_missing() -> None:
    pair = PAIRS["cut.v1v2"]
    seen = {
        "id": pair.errors[0].id, "exposing": 3, "how": {"regression": 3}, "first_s": 2.5,
        "source": "native", "input": {"args": ["-b0"], "stdin": ""}, "blamed": ["cut.c:9"],
            "cause": "function",
        "critical": ["c1", "c2"],
    }  # fmt: skip
    missed = {**seen, "id": pair.errors[1].id, "exposing": 0, "first_s": None, "source": None}
    run = {
        "pair": pair.name, "mode": "build", "seed": 0, "time": 30.0, "load": 0.5, "error": None,
        "score": {
            "tests": 9, "differing": 4, "groups": 2, "errors": [seen, missed],
            "sequences": {"critical": 3, "critical_exposing": 3, "other": 6, "other_exposing": 0},
        },
    }  # fmt: skip
    golden = {"error": "cut-v1v2-v3", "golden": {"judged": 7, "disagreeing": ["t0003: wrong"]}}
    text = document([json.loads(json.dumps(run)), golden], "Here.")
    assert "| build | 0 | 1 of 6 | 1 of 2 | 2.5 | 0 | 0.5 |" in text
    assert (
        "| 0 | 30 | 9 / 4 / 3 | 2.5 | native | yes (no) | c1, c2 | cut.c:9 | function | 2 "
        '| `cut "-b0"` |' in text
    )
    assert "| 9 / 4 / 0 | - | - | - (yes) |" in text
    assert "| cut.v1 → cut.v2 | critical | 33.3 % / 100.0 % | 12.6 % / 33.33 % |" in text
    assert "| cut-v1v2-v3 | 7 | 1 | `t0003: wrong` |" in text


def test_each_error_has_a_cause() -> None:
    """Pieces of statements are long enough to mean one; blanks aside."""
    for pair in PAIRS.values():
        for error in pair.errors:
            assert error.made_by and all(len("".join(each.split())) >= 8 for each in error.made_by)
