"""Verification while the search runs: its contract, and what happens when something goes wrong."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import pytest

from csg.errors import ToolchainError
from csg.programs import SourceFile
from symexec.campaign.verification import Verifier
from symexec.replay import PLAIN, NativeReplay, ReplayPlan
from symexec.replay.build import UNDEFINED
from symexec.state.state import DivergenceKind
from symexec.testcases import Divergence, TestCase, TestInput
from symexec.triage import Refusal

SMALL = """
#include <stdlib.h>
int main(int argc, char **argv)
{
    int x = argc > 1 ? atoi(argv[1]) : 0;
    while (x == 1000)
        ;
    return x > LIMIT;
}
"""
HANGS = SMALL.replace("x == 1000", "x >= 1000 && LIMIT == 6")
SOON = 60.0  # seconds that are enough


@pytest.fixture
def verifier(tmp_path: Path) -> Iterator[Callable[..., Verifier]]:
    """Of two programs that differ for 6."""
    made: list[tuple[Verifier, NativeReplay]] = []

    def make(seconds: float = SOON, text: str = SMALL) -> Verifier:
        files = []
        for name, limit in (("old", "5"), ("new", "6")):
            file = tmp_path / f"{name}.c"
            file.write_text(text.replace("LIMIT", limit))
            files.append((SourceFile(file),))
        replay = NativeReplay(ReplayPlan(*files, wall_s=0.1, unsandboxed=True))
        found = Verifier(replay, [], {}, time.monotonic() + seconds)
        made.append((found, replay))
        return found

    yield make
    for found, replay in made:
        found.close()
        replay.close()


def case(number: int, name: str = "") -> TestCase:
    given = TestInput(args=(str(number).encode(),))
    return TestCase(name or f"t{number}", given, (), None, found_s=0.0)


def drained(verifier: Verifier) -> dict[str, str]:
    return {each.id: each.observed for each in verifier.drain()}


def process_of(verifier: Verifier) -> int:
    number = verifier._process._process._number  # type: ignore[attr-defined]
    assert isinstance(number, int)
    return number


def test_every_test_comes_back_once_with_what_was_seen(
    verifier: Callable[..., Verifier],
) -> None:
    verifying = verifier()
    for number in (4, 6, 7):
        verifying.submit(case(number), (1, 0))
    assert verifying.busy
    assert drained(verifying) == {"t4": "same", "t6": "different", "t7": "same"}
    assert not verifying.busy
    assert list(verifying.finished()) == list(verifying.drain()) == []


def test_finished_never_waits_and_leaves_nothing_out(verifier: Callable[..., Verifier]) -> None:
    verifying = verifier()
    verifying.submit(case(6), (1, 0))
    began = time.monotonic()
    found = list(verifying.finished())
    assert time.monotonic() - began < 0.2
    while verifying.busy:
        assert time.monotonic() < began + SOON
        found += verifying.finished()
        time.sleep(0.01)
    assert {each.observed for each in found} == {"different"}


def test_the_first_of_a_kind_come_first(verifier: Callable[..., Verifier]) -> None:
    """All are there before the builds are."""
    verifying = verifier()
    for number in range(3):
        verifying.submit(case(number, f"a{number}"), (number + 1, 0))
        verifying.submit(case(number, f"b{number}"), (number + 1, 1))
    found = [each.id for each in verifying.drain()]
    assert found == ["a0", "b0", "a1", "b1", "a2", "b2"]


def test_a_difference_comes_before_it_is_explained(verifier: Callable[..., Verifier]) -> None:
    verifying = verifier()
    verifying.submit(case(6), (1, 0))
    first, *others = verifying.drain()  # the last once more, when it has been asked about C's rules
    assert (first.observed, first.blame) == ("different", None)
    assert others and all(each.observed == "different" and each.blame for each in others)
    assert not verifying.busy


# Writes one byte too many for 6 in the new version; both print the same without a sanitizer.
SLACK = """
#include <stdlib.h>
int main(int argc, char **argv)
{
    int x = argc > 1 ? atoi(argv[1]) : 0;
    char *bytes = malloc(x > 5 && LIMIT == 6 ? x : x + 1);
    bytes[x] = 1;
    return bytes[x] - 1;
}
"""


def test_alike_in_the_fast_builds_is_no_word_about_errors_of_memory(
    verifier: Callable[..., Verifier],
) -> None:
    """Nobody predicts a difference of forty tests and three more: builds without sanitizers are
    asked first. Of one it is predicted later; the others are looked at in a quiet moment."""
    verifying = verifier(text=SLACK)
    for build in ("old", "new"):
        verifying._lend(build, PLAIN)
        verifying._replay.wait(build, PLAIN)
    for number in range(40):
        verifying.submit(case(1, f"n{number}"), (number, 1))
    for number in (6, 7):
        verifying.submit(case(number), (50, 1))
    found = drained(verifying)
    assert len(found) == 42 and found["t6"] == "same"
    verifying.submit(case(6), (1, 0))
    found.update(drained(verifying))
    assert found["t6"] == "different"
    began = time.monotonic()
    while found["t7"] != "different" and time.monotonic() < began + SOON:
        found.update({each.id: each.observed for each in verifying.finished()})
        time.sleep(0.01)
    assert found["t7"] == "different"
    assert all(observed == "same" for name, observed in found.items() if name.startswith("n"))


def test_no_test_waits_for_builds_that_judge_another(verifier: Callable[..., Verifier]) -> None:
    """What C leaves undefined is asked of a build of its own; what others show is told before."""
    verifying, held = verifier(), []
    lend = verifying._lend

    def held_back(build: str, style: str) -> None:
        if style == UNDEFINED:
            held.append((build, style))
        else:
            lend(build, style)

    verifying._lend = held_back  # type: ignore[method-assign]
    for number in (6, 1, 2):
        verifying.submit(case(number), (0, 0))
    began, seen = time.monotonic(), dict[str, str]()
    while len(seen) < 3 and time.monotonic() < began + SOON:
        seen.update({each.id: each.observed for each in verifying.finished()})
        time.sleep(0.01)
    assert seen == {"t6": "different", "t1": "same", "t2": "same"} and verifying.busy
    for build, style in held:
        lend(build, style)
    assert drained(verifying) == {"t6": "different"} and not verifying.busy


def test_a_request_that_comes_again_is_answered_again(verifier: Callable[..., Verifier]) -> None:
    """As of a test of which a difference is predicted later: nobody waits for the deadline."""
    verifying = verifier()
    for _ in range(3):
        verifying.submit(case(6), (0, 0))
        assert drained(verifying)["t6"] == "different" and not verifying.busy


def test_what_is_refused_says_why(verifier: Callable[..., Verifier]) -> None:
    verifying = verifier()
    for number in (4, 7):
        verifying.submit(case(number), (1, 0))
    verifying.submit(case(5), (1, 1))
    found = {each.id: each.refused for each in verifying.drain()}
    assert found == {"t4": Refusal.ALIKE.value, "t7": Refusal.ALIKE.value, "t5": ""}


def test_what_ends_in_neither_version_goes_behind_others_once_that_is_known(
    verifier: Callable[..., Verifier],
) -> None:
    verifying = verifier(text=SMALL.replace("x == 1000", "x >= 1000"))
    for number in (1000, 1001, 1002, 6, 7):
        verifying.submit(case(number), (number % 2 + 1, 0))
    found = list(dict.fromkeys(each.id for each in verifying.drain()))
    assert found[0] == "t1000"
    assert set(found[1:3]) == {"t6", "t7"} and set(found[3:]) == {"t1001", "t1002"}


def test_one_of_a_likeness_is_explained_at_once_and_the_next_when_nobody_waits(
    verifier: Callable[..., Verifier],
) -> None:
    """All tests come before the first is examined: the builds are not there yet."""
    verifying = verifier(text=SMALL.replace("x > LIMIT", "x / 10 > LIMIT"))
    for number in (60, 61, 62, 4, 5):
        verifying.submit(case(number), (1, 0))
    told = [(each.id, each.blame is not None) for each in verifying.drain()]
    found = [each for each, _ in groupby(told)]
    assert found[:3] == [("t60", False), ("t60", True), ("t61", False)]
    last = {name: place for place, (name, _) in enumerate(found)}
    assert max(last["t4"], last["t5"]) < min(last["t61"], last["t62"])
    assert dict(found)["t61"] and dict(found)["t62"]


def test_what_takes_long_goes_behind_others_when_enough_is_explained(
    verifier: Callable[..., Verifier],
) -> None:
    """Of those that do not end three are examined at once: each takes thirty times its limit."""
    verifying = verifier(text=HANGS)
    place = Divergence(DivergenceKind.CONTROL, "new.c", 7, "diff-true")
    for number in range(5):
        verifying.submit(replace(case(1000 + number), divergence=place), (1, 0))
    for number in (6, 7):
        verifying.submit(case(number), (1, 0))
    found = list(dict.fromkeys(each.id for each in verifying.drain()))
    assert found == ["t1000", "t1001", "t1002", "t6", "t7", "t1003", "t1004"]
    assert not verifying.busy


def test_what_the_time_does_not_allow_comes_back_as_it_was(
    verifier: Callable[..., Verifier],
) -> None:
    verifying = verifier(seconds=-0.1)
    verifying.submit(case(6), (1, 0))
    began = time.monotonic()
    assert drained(verifying) in ({}, {"t6": "not-replayed"})
    assert time.monotonic() - began < 1.0


def test_a_version_that_does_not_compile_is_told(verifier: Callable[..., Verifier]) -> None:
    verifying = verifier(text=SMALL.replace("x > LIMIT", "x > nowhere"))
    verifying.submit(case(6), (1, 0))
    with pytest.raises(ToolchainError, match="nowhere"):
        drained(verifying)
    assert not verifying.busy


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_process_that_dies_is_told_and_not_waited_for(
    number: signal.Signals, verifier: Callable[..., Verifier]
) -> None:
    verifying = verifier()
    verifying.submit(case(6), (1, 0))
    assert drained(verifying) == {"t6": "different"}
    os.kill(process_of(verifying), number)
    verifying.submit(case(7), (1, 0))
    began = time.monotonic()
    with pytest.raises(ToolchainError, match="has died"):
        drained(verifying)
    assert time.monotonic() - began < 5.0
    assert not verifying.busy
    verifying.close()


def test_a_defect_of_the_process_keeps_its_lines(
    verifier: Callable[..., Verifier], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise UnicodeDecodeError("utf-8", memoryview(b"x"), 0, 1, "a defect")

    monkeypatch.setattr("symexec.campaign.verification.observe", broken)
    verifying = verifier()
    verifying.submit(case(6), (1, 0))
    with pytest.raises(RuntimeError, match=r"UnicodeDecodeError.*a defect") as told:
        drained(verifying)
    assert "in broken" in told.value.__notes__[0]


def test_it_ends_in_the_midst_of_a_run_and_leaves_nothing(
    verifier: Callable[..., Verifier], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    verifying = verifier()
    verifying.submit(case(6), (1, 0))
    assert drained(verifying)
    verifying.submit(case(1000), (1, 0))
    time.sleep(0.3)
    boxes = list(tmp_path.glob("csgtest-sandbox-*"))
    began = time.monotonic()
    verifying.close()
    assert time.monotonic() - began < 2.0
    assert len(list(tmp_path.glob("csgtest-sandbox-*"))) == len(boxes) - 1
