"""By what two versions can be told apart, row by row."""

from __future__ import annotations

import pytest

from csg.errors import Location
from symexec.expr import Data, Shadowed, Term, TermTable, evaluate
from symexec.memory import FaultKind
from symexec.shadow.outcomes import Observable, differences
from symexec.state.endings import (
    Aborted,
    Access,
    AssertionFailed,
    DivisionByZero,
    Endless,
    Exit,
    MemoryFault,
    PathEnding,
    Returned,
)
from symexec.state.state import Lost, Outcome, Output

TABLE = TermTable()
X, Y = TABLE.symbol("x", 32), TABLE.symbol("y", 32)
LONG = TABLE.symbol("l", 64)
HERE = Location("new.c", 3)
THERE = Location("old.c", 9)


def outcome(
    ending: PathEnding,
    out: bytes | Term = b"",
    errors: bytes = b"",
    leaks: tuple[Lost, ...] | None = None,
) -> Outcome:
    output: Output | None = None
    for stream, item in ((2, errors), (1, out)):
        if isinstance(item, Term) or item:
            output = Output(output, stream, item)
    return Outcome(ending, output, HERE, {}, leaks)


def told(
    old: Outcome,
    new: Outcome,
    main: bool = True,
    memory: list[tuple[Data, int]] | None = None,
    files: int | Term = 0,
    texts: tuple[int | Term, int | Term] = (0, 0),
    results: int | Term | None = None,
) -> dict[str, int | Term]:
    found = differences(old, new, main, memory or [], files, texts, results)
    assert len({each for each, _ in found}) == len(found)
    return {each.value: condition for each, condition in found}


def holds(condition: int | Term, x: int = 0, y: int = 0, long: int = 0) -> bool:
    if isinstance(condition, int):
        return bool(condition)
    return evaluate(condition, {X: x, Y: y, LONG: long}, {}) == 1


@pytest.mark.parametrize(
    ("old", "new", "differ"),
    [
        (Exit(0), Exit(0), False),
        (Exit(0), Exit(1), True),
        (Exit(1), Exit(257), False),  # the parent sees the low byte
        (Exit(0), Exit(0, at_once=True), False),
        (Exit(3), Returned(3), False),  # main: both end the process
        (Exit(3), Returned(4), True),
        (Returned(None), Returned(0), False),
        (Returned(None), Returned(1), True),
        (Returned(0), Aborted(), True),
        (Aborted(), Returned(0), True),
        (Aborted(), Aborted(), False),
        (Aborted(), DivisionByZero(), True),
        (AssertionFailed("x", HERE), AssertionFailed("x", THERE), False),
        (AssertionFailed("x"), AssertionFailed("y"), True),
        (
            MemoryFault(FaultKind.NULL, "p", Access.READ),
            MemoryFault(FaultKind.NULL, "q", Access.READ),
            False,
        ),
        (
            MemoryFault(FaultKind.NULL, "p", Access.READ),
            MemoryFault(FaultKind.NULL, "p", Access.WRITE),
            False,
        ),
        (Endless(), Returned(0), True),
    ],
)
def test_how_a_program_ends(old: PathEnding, new: PathEnding, differ: bool) -> None:
    found = told(outcome(old), outcome(new))
    assert found == ({"ending": 1} if differ else {})


@pytest.mark.parametrize(
    ("old", "new", "differ"),
    [
        (Returned(1), Returned(257), True),  # a caller sees all of it
        (Returned(1), Returned(1), False),
        (Returned(None), Returned(None), False),
        (Exit(1), Returned(1), True),  # only one comes back to its caller
        (Returned(1), Exit(1), True),
        (Exit(1), Exit(257), False),  # it never returns: the process ends
        (Returned(1), Aborted(), True),
    ],
)
def test_how_a_function_ends(old: PathEnding, new: PathEnding, differ: bool) -> None:
    found = told(outcome(old), outcome(new), main=False)
    assert found == ({"ending": 1} if differ else {})


def test_results_are_conditions() -> None:
    (condition,) = told(outcome(Returned(X)), outcome(Returned(Y)), main=False).values()
    assert holds(condition, 1, 2) and not holds(condition, 2, 2) and holds(condition, 1, 257)
    (condition,) = told(outcome(Returned(X)), outcome(Returned(Y))).values()
    assert holds(condition, 1, 2) and not holds(condition, 1, 257)  # low bytes, in main
    (condition,) = told(outcome(Returned(X)), outcome(Returned(7)), main=False).values()
    assert holds(condition, 8) and not holds(condition, 7)
    (condition,) = told(outcome(Exit(X)), outcome(Exit(7))).values()
    assert holds(condition, 8) and not holds(condition, 7) and not holds(condition, 0x107)
    assert told(outcome(Returned(X)), outcome(Returned(X)), main=False) == {}


def test_a_crash_is_no_status_whatever_the_other_one_is() -> None:
    for main in (True, False):
        for old, new in ((Aborted(), Exit(X)), (Exit(X), Aborted())):
            assert told(outcome(old), outcome(new), main) == {"ending": 1}


def test_results_of_two_widths_are_left_to_replay() -> None:
    found = told(outcome(Returned(X)), outcome(Returned(LONG)), main=False)
    assert found == {"ending": 1}


def test_pointers_are_compared_by_whoever_knows_how() -> None:
    old, new = outcome(Returned(1)), outcome(Returned(2))
    assert told(old, new, main=False, results=0) == {}
    assert told(old, old, main=False, results=1) == {"ending": 1}


def test_texts_differ_by_the_given_conditions() -> None:
    end = outcome(Returned(0))
    assert told(end, end, texts=(1, 0)) == {"output": 1}
    assert told(end, end, texts=(0, X)) == {"stderr": X}
    assert told(end, end, texts=(X, 1)) == {"output": X, "stderr": 1}


def test_what_is_left_in_memory() -> None:
    end = outcome(Returned(0))
    assert told(end, end, memory=[]) == {}
    assert told(end, end, memory=[(X, 32), (5, 8)]) == {}
    assert told(end, end, memory=[(Shadowed(1, 2), 32)]) == {"memory": 1}
    pairs: list[tuple[Data, int]] = [(Shadowed(X, 3), 32), (Shadowed(Y, 4), 32)]
    (condition,) = told(end, end, memory=pairs).values()
    assert holds(condition, 3, 5) and holds(condition, 2, 4) and not holds(condition, 3, 4)
    # a pair is compared in its own width
    narrow = TABLE.symbol("w", 8)
    (condition,) = told(end, end, memory=[(Shadowed(narrow, 255), 8)]).values()
    assert isinstance(condition, Term) and evaluate(condition, {narrow: 255}, {}) == 0


def test_files_differ_by_the_given_condition() -> None:
    end = outcome(Returned(0))
    assert told(end, end, files=1) == {"files": 1}
    assert told(end, end, files=0) == {}


def test_leaks_are_counted_where_somebody_looked() -> None:
    one, other = Lost("p", HERE), Lost("q", THERE)

    def lost(*leaks: Lost) -> Outcome:
        return outcome(Returned(0), leaks=leaks)

    assert told(lost(one), lost()) == {"leaks": 1}
    assert told(lost(), lost(one)) == {"leaks": 1}
    assert told(lost(one), lost(other)) == {}  # which ones cannot be compared
    assert told(lost(one), lost(one, other)) == {"leaks": 1}
    assert told(lost(one), outcome(Returned(0))) == {}
    assert told(outcome(Returned(0)), lost(one)) == {}


def test_two_endless_runs_are_compared_as_far_as_both_have_come() -> None:
    old, new = outcome(Endless(), b"a"), outcome(Endless(), b"b")
    assert told(old, new, files=1, texts=(1, 0)) == {"output": 1}
    assert told(old, new, files=1) == {}
    both = {"ending": 1, "output": 1}
    assert told(old, outcome(Returned(0), b"b"), texts=(1, 0)) == both
    assert told(outcome(Returned(0), b"a"), new, texts=(1, 0)) == both


def test_the_ending_comes_first_and_stderr_last() -> None:
    """Of several ways to tell the versions apart the first is asked for an input."""
    old = outcome(Returned(0), b"a", b"x", (Lost("p", HERE),))
    new = outcome(Returned(1), b"b", b"y", ())
    memory = [(Shadowed(1, 2), 8)]
    found = differences(old, new, True, memory, 1, (1, 1), state=memory)
    assert [each for each, _ in found] == [
        Observable.ENDING, Observable.OUTPUT, Observable.MEMORY,
        Observable.FILES, Observable.LEAKS, Observable.ERRORS, Observable.STATE,
    ]  # fmt: skip
    assert [each.value for each in Observable] == [
        "ending", "output", "stderr", "memory", "files", "leaks", "state",
    ]  # fmt: skip
