"""Branches are compared in a copy of the search, with the same outcome as afterwards."""

from __future__ import annotations

import os
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from symexec import validation as package
from symexec.options import BuildOptions, InputOptions, Range, SearchOptions
from symexec.replay import LITERAL
from symexec.testcases import TestInput
from symexec.validation import TraceValidation
from symexec.validation.expected_traces import ExpectedTrace
from tests.symexec.generated.branches import Promising

LOOPS = (
    "int f(int a, int b) { int s = 0; for (int i = 0; i < a; i++) { int k = b; "
    "while (k-- > LIMIT) s++; do s += 2; while (s < 5); } return s; }"
)
SOON = 30.0  # seconds that are enough


def never() -> bool:
    return False


@pytest.fixture
def temporary() -> Iterator[Path]:
    """A folder that programs may be run in without a sandbox."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture
def explored(
    tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[TraceValidation]:
    """The search is over, nothing has been compared, and a snapshot can be taken at once."""
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    monkeypatch.setattr(package, "FIRST", SOON)
    files = []
    for name, limit in (("old.c", "0"), ("new.c", "1")):
        files.append(tmp_path / name)
        files[-1].write_text(LOOPS.replace("LIMIT", limit))
    inputs = InputOptions("f", (Range("a", 0, 5), Range("b", 0, 5)))
    with Promising(BuildOptions(*files, (), inputs, SearchOptions(time=20), replay=False)) as job:
        job.explore()
        validation = job.validation
        assert validation is not None and job.replay is not None
        job.replay.wait("decisions", LITERAL)
        validation._next = 0.0
        yield validation
        validation.close()


def stepped(validation: TraceValidation, true: Callable[[], bool]) -> None:
    until = time.monotonic() + SOON
    while not true():
        assert time.monotonic() < until, validation.failure
        validation.step()
        time.sleep(0.01)


def process_of(validation: TraceValidation) -> int:
    assert validation._snapshot is not None
    number = validation._snapshot._worker._process._number  # type: ignore[attr-defined]
    assert isinstance(number, int)
    return number


def test_all_that_is_there_is_compared_while_the_search_goes_on(explored: TraceValidation) -> None:
    stepped(explored, lambda: explored.compared == len(explored._noted))
    stepped(explored, lambda: explored._snapshot is None)
    for _ in explored.compared_one_by_one(never):
        raise AssertionError("nothing is left for afterwards")
    assert explored.compared > 5
    assert not (explored.left_out or explored.mismatches or explored.failure)


def test_what_comes_later_waits_for_the_next_snapshot(explored: TraceValidation) -> None:
    explored.step()
    assert explored._snapshot is not None
    seen = len(explored._snapshot.noted)
    explored.note_input("n1", TestInput(parameters=(("a", 2), ("b", 3))), "native")
    stepped(explored, lambda: explored._snapshot is None)
    assert explored.compared == seen
    explored._next = 0.0
    stepped(explored, lambda: explored.compared == seen + 1)


def test_afterwards_it_is_waited_for_and_the_rest_compared(explored: TraceValidation) -> None:
    explored.step()
    explored.note_input("n1", TestInput(parameters=(("a", 2), ("b", 3))), "native")
    for _ in explored.compared_one_by_one(lambda: True):
        pass
    assert explored.compared == len(explored._noted) and explored._snapshot is None


def test_without_time_left_its_tests_are_left_out(explored: TraceValidation) -> None:
    explored.step()
    for _ in explored.compared_one_by_one(never):
        pass
    assert explored.compared + explored.left_out["no time left"] == len(explored._noted)


def test_a_mismatch_is_heard_of(explored: TraceValidation) -> None:
    name, wrong = next(
        (name, each)
        for name, (_, each) in explored._noted.items()
        if isinstance(each, ExpectedTrace) and dict(each.input.parameters)["a"]
    )
    other = TestInput(parameters=(("a", 0), ("b", 5)))
    explored._noted = {name: (1, replace(wrong, input=other))}
    stepped(explored, lambda: explored.compared == 1)
    (mismatch,) = explored.mismatches
    assert (mismatch.test, mismatch.version, mismatch.place) == (name, "old", 1)
    assert (mismatch.predicted, mismatch.native) == ("true", "false")


def test_one_that_dies_is_told_and_its_tests_are_compared_afterwards(
    explored: TraceValidation,
) -> None:
    explored.step()
    os.kill(process_of(explored), signal.SIGKILL)
    stepped(explored, lambda: explored._snapshot is None)
    assert explored.failure == "its process has died"
    explored._next = 0.0
    explored.step()
    assert explored._snapshot is None  # no other one
    for _ in explored.compared_one_by_one(lambda: True):
        pass
    assert explored.compared == len(explored._noted)


def test_it_ends_in_the_midst_and_leaves_nothing(
    explored: TraceValidation, temporary: Path
) -> None:
    before = set(temporary.iterdir())
    explored.step()
    number = process_of(explored)
    stepped(explored, lambda: explored.compared > 0)
    explored.close()
    assert set(temporary.iterdir()) == before
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)
