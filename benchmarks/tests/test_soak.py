"""The soak's judge can fail: it notices each thing that must not be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from benchmarks.soak.__main__ import drawn
from benchmarks.soak.faults import FAULTS, Expects
from benchmarks.soak.judging import Opinion, agree, judged
from benchmarks.soak.process import Conditions, Done, Endless, Place, adopt, run
from benchmarks.soak.results import DOCUMENT, Records, document
from benchmarks.soak.subjects import Grid, Lines, OutOfBounds
from benchmarks.soak.units import Outcome, named
from oracles.truth import Point, Ran
from symexec.testcases import TestInput
from symexec.triage.examine import HIDDEN

GRID: dict[Point, tuple[Ran, Ran]] = {
    (n,): (Ran("0", b""), Ran(str(int(n == 2)), b"")) for n in range(4)
}
COUNTERS = {"prepared_s": 1.0, "mispredicted": 0, "branch_mismatches": 0, "waiting": 0}


def report(verdict: str, *tests: dict[str, Any], **counters: object) -> dict[str, Any]:
    return {
        "verdict": verdict,
        "finished": True,
        "counters": {**COUNTERS, **counters},
        "bounds": {"time_s": 10.0},
        "notes": [],
        "tests": list(tests),
    }


def shows(x: int, new: str = "1") -> dict[str, Any]:
    seen = {"exit": 0, "signal": None, "stdout": "", "stderr": "", "returned": "0"}
    return {
        "id": "t0001",
        "input": {"args": [], "stdin": "", "files": {}, "parameters": {"x": x}},
        "sequence": [],
        "divergence": None,
        "old": seen,
        "new": {**seen, "returned": new},
        "observed": "different",
        "class": "difference",
    }


RIGHT = Done(1, "", "", 2.0, 2.0, (), False, report("different", shows(2)))
SAME = replace(RIGHT, code=0, report=report("equivalent-within-bounds"))
DIFFERENT = Grid(GRID, ["x"])
ALIKE = Grid({point: (was, was) for point, (was, _) in GRID.items()}, ["x"])
WRONG: list[tuple[str, Grid, Done, str]] = [
    ("a wrong proof", DIFFERENT, SAME, "1 of 4 inputs differ"),
    ("a difference that is none", ALIKE, RIGHT, "none of 4 inputs differs"),
    ("one test that shows nothing", DIFFERENT,
     replace(RIGHT, report=report("different", shows(2), shows(1))), "but is not"),
    ("a test beyond the bounds", DIFFERENT,
     replace(RIGHT, report=report("different", shows(9))), "no point of the grid"),
    ("a difference that is called none", DIFFERENT,
     replace(RIGHT, report=report("different", shows(2), {**shows(2), "observed": "same"})),
     "is called alike"),
    ("another result", DIFFERENT,
     replace(RIGHT, report=report("different", shows(2, "7"))), "new returns 1, not 7"),
    ("a traceback", DIFFERENT,
     replace(RIGHT, err="Traceback (most recent call last):\n"), "Traceback"),
    ("an internal error", DIFFERENT, replace(RIGHT, err="internal error"), "internal error"),
    ("a leftover process", DIFFERENT, replace(RIGHT, left=("process x",)), "process x is left"),
    ("a strange exit code", DIFFERENT, replace(RIGHT, code=3), "ends with 3"),
    ("a crash", DIFFERENT, replace(RIGHT, code=-11), "ends with -11"),
    ("silence", DIFFERENT, replace(RIGHT, code=2, report=None), "and says only ''"),
    ("no report", DIFFERENT, replace(RIGHT, report=None), "there is no report"),
    ("half a report", DIFFERENT, replace(RIGHT, report=None, broken="no JSON"), "no JSON"),
    ("a code that is not the report's", DIFFERENT, replace(RIGHT, code=0), "exit code 0, but"),
    ("an unexplained nothing", ALIKE,
     replace(SAME, report=report("no-difference-found")), "nothing says why"),
    ("a self-accusation", DIFFERENT,
     replace(RIGHT, report=report("different", shows(2), mispredicted=1)), "mispredicted: 1"),
    ("what forks hide", DIFFERENT,
     replace(RIGHT, report=report("different", {**shows(2), "notes": [HIDDEN]})), "execve alone"),
    ("control characters", DIFFERENT, replace(RIGHT, out="\x1b[2J"), "move a cursor"),
    ("a budget that does not hold", DIFFERENT, replace(RIGHT, cpu=99.0), "s of CPU time"),
    ("a secret", DIFFERENT, replace(RIGHT, out="the secret"), "'secret' is shown"),
]  # fmt: skip


@pytest.mark.parametrize(("truth", "done", "told"), [each[1:] for each in WRONG],
                         ids=[each[0] for each in WRONG])  # fmt: skip
def test_what_must_not_be_is_noticed(truth: Grid, done: Done, told: str) -> None:
    opinion = judged(done, truth, Expects.RIGHT, must_not_appear=["secret"])
    assert any(told in each for each in opinion.complaints), opinion.complaints


def test_what_is_right_is_no_failure() -> None:
    assert judged(RIGHT, DIFFERENT, Expects.RIGHT).complaints == []
    assert judged(SAME, ALIKE, Expects.RIGHT).complaints == []
    stops = {"exit": 99, "sanitizer": "heap-buffer-overflow"}
    both_stop = {**shows(2), "observed": "same"}
    for name in ("old", "new"):
        both_stop[name] = {**both_stop[name], **stops}
    behind = replace(RIGHT, report=report("different", shows(2), both_stop))
    assert judged(behind, DIFFERENT, Expects.RIGHT).complaints == []
    refused = replace(RIGHT, code=2, err="csgtest: error: no room", report=None)
    assert judged(refused, DIFFERENT, Expects.HONEST).complaints == []
    assert judged(refused, DIFFERENT, Expects.RIGHT).complaints != []
    stopped = replace(RIGHT, code=130, report=None, stopped=True)
    assert judged(stopped, DIFFERENT, Expects.ENDED).complaints == []
    assert judged(replace(stopped, stopped=False), DIFFERENT, Expects.ENDED).complaints != []


def test_opinions_are_held_against_each_other() -> None:
    one, other, weak = (Opinion(each) for each in ("different", "no-change", "no-difference-found"))
    assert list(agree(one, other)) and not list(agree(one, weak)) and not list(agree(other, weak))
    assert not list(agree(other, Opinion("different", undefined=True)))


@dataclass
class Script:
    """A stand-in of csgtest."""

    folder: Path

    def __call__(self, text: str, **conditions: Any) -> Done:
        place = Place(self.folder, self.folder / "tmp.cache")
        command = ("/bin/sh", "-c", text, "sh")
        return run([], place, Conditions(grace=0.2, **conditions), Random(1), command)


@pytest.fixture
def script(tmp_path: Path) -> Any:
    adopt()
    yield Script(tmp_path)
    adopt(False)


def test_what_a_run_leaves_is_seen(script: Callable[..., Done]) -> None:
    assert script("exit 1").left == () and script("sleep 0.05 & exit 1").left == ()
    done = script("setsid sleep 60 & touch tmp/t core home/h; echo said; exit 1")
    assert (done.code, done.out) == (1, "said\n")
    assert done.left == ("process sleep 60", "file core", "file home/h", "file tmp/t")
    with pytest.raises(Endless):
        script("sleep 60", patience=0.1)


def test_names_of_units_say_everything() -> None:
    units = [drawn(3, number) for number in range(40)]
    assert units == [drawn(3, number) for number in range(40)]
    assert [named(str(each)) for each in units] == units
    assert {each.fault for each in units} > {"none"} and len(FAULTS) > 40
    with pytest.raises(OutOfBounds):
        DIFFERENT.differs(TestInput())


def test_the_page_counts_what_happened(tmp_path: Path) -> None:
    records = Records(tmp_path / "outcomes")
    fails = Outcome("functions:none:3", ("different",), 9, 10, 0, ("wrong",), "", 2.0, 2.0)
    records.add(replace(fails, unit="functions:none:1", complaints=()), 60)
    records.add(fails, 120)
    for at in (180, 240):
        records.add(replace(fails, unit=f"shapes:load:{at}", complaints=()), at)
    assert records.summary().startswith("4 minutes, 4 units, 1 of them failed, 1 still do")
    assert records.summary().endswith("2 minutes, 2 units")
    records.add(replace(fails, complaints=()), again=True)
    records.note("functions:none:3", "was mended")
    again = Records(tmp_path / "outcomes")
    assert (again.failing(), again.failed()) == ([], ["functions:none:3"])
    assert "| functions:none:3 | `` wrong `` | right | was mended |" in document(again)
    assert again.next_number(0) == 241
    assert DOCUMENT.read_text().startswith(document(again).split("|")[0])


def test_a_program_that_differs_from_itself_tells_nothing(tmp_path: Path) -> None:
    once = "#include <stdio.h>\n#include <unistd.h>\nint main(void) { %s return 0; }\n"
    same, pid = once % "", once % r'printf("%d", getpid());'
    assert Lines((same, pid), tmp_path).differs(TestInput()) is None
    assert Lines((same, same.replace("0;", "1;")), tmp_path).differs(TestInput()) is True


def test_memory_that_a_program_leaves_at_its_end_is_no_difference(tmp_path: Path) -> None:
    same = "#include <stdlib.h>\nint main(void) { void *lost = malloc(9); free(lost); return 0; }\n"
    texts = same, same.replace("free(lost)", "lost = NULL")
    assert Lines(texts, tmp_path).differs(TestInput()) is False
