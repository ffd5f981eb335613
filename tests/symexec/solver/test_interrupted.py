"""A query may be interrupted at any instruction, as the watchdog does it: whatever is asked
afterwards is answered as if it had never been asked."""

from __future__ import annotations

import ctypes
import random
import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from symexec.expr import Term, TermTable, binary, compare, evaluate, negate
from symexec.solver import Answer, PathCondition, SolverOptions, bitwuzla_backend
from symexec.solver.bitwuzla_backend import BitwuzlaBackend
from symexec.solver.chain import build_backend, build_solver
from symexec.watchdog import Spent, What
from tests.nightly import daily

# Finalisers are interrupted, too; the watchdog keeps Python from telling of it.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
WIDTHS = (4, 4, 3)
Query = tuple[PathCondition, Term]


def interrupted(call: Callable[[], object], after: int) -> bool:
    """Call it, and raise Spent at that instruction of csgtest's own code."""
    left = [after]

    def step(frame: FrameType, event: str, argument: object) -> Any:
        frame.f_trace_opcodes = True
        if event == "opcode":
            left[0] -= 1
            if left[0] == 0:
                raise Spent(What.TIME)
        return step

    def enter(frame: FrameType, event: str, argument: object) -> Any:
        return step if "symexec" in frame.f_code.co_filename else None

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        call()
    except Spent:
        return True
    finally:
        sys.settrace(before)
    return False


def queries(source: Any, rng: random.Random) -> list[Query]:
    """Queries along branching paths, so that conditions are taken back and others are added."""
    paths, found = [PathCondition()], []
    while len(found) < 12:
        path = rng.choice(paths[-4:])
        condition = source.build(1, rng.randint(1, 3)).folded
        if isinstance(condition, int):
            continue
        found.append((path, condition))
        for each in (condition, negate(condition)):
            longer = path.assuming(each)
            if build_solver("z3").check(longer) is Answer.SAT:
                paths.append(longer)
    return found


def truth(name: str, query: Query) -> Answer:
    """The answer of the other library to this query alone."""
    return build_solver({"z3": "bitwuzla", "bitwuzla": "z3"}[name]).check(*query)


@pytest.mark.parametrize("name", ["bitwuzla", "z3"])
@pytest.mark.parametrize("seed", daily(range(12), 2))
def test_what_is_asked_after_an_interruption_is_answered_rightly(
    random_terms: Any, name: str, seed: int
) -> None:
    source = random_terms(seed, WIDTHS)
    rng = random.Random(seed)
    asked = queries(source, rng)
    right = [truth(name, each) for each in asked]
    backend = build_backend(name, SolverOptions(rebuild_after=7))
    stopped = 0
    for _ in range(50):
        at = rng.randrange(len(asked))
        path, condition = asked[at]
        stopped += interrupted(
            lambda path=path, condition=condition: backend.check(path, condition, 10.0),
            int(2 ** rng.uniform(0, 12)),
        )
        for _ in range(rng.randint(0, 2)):
            at = rng.randrange(len(asked))
            assert backend.check(*asked[at], 10.0) is right[at], (seed, at)
    assert stopped > 20


@pytest.mark.parametrize("name", ["bitwuzla", "z3"])
@pytest.mark.parametrize("seed", daily(range(12), 2))
def test_so_it_is_by_the_whole_chain(random_terms: Any, name: str, seed: int) -> None:
    source = random_terms(seed, WIDTHS)
    rng = random.Random(seed)
    asked = queries(source, rng)
    right = [truth(name, each) for each in asked]
    chain = build_solver(name)
    for _ in range(50):
        at = rng.randrange(len(asked))
        path, condition = asked[at]
        interrupted(
            lambda path=path, condition=condition: chain.model(path, condition),
            int(2 ** rng.uniform(0, 12)),
        )
        at = rng.randrange(len(asked))
        path, condition = asked[at]
        assert chain.check(path, condition) is right[at], (seed, at)
        model = chain.model(path, condition)
        assert (model is not None) == (right[at] is Answer.SAT)
        if model is not None:
            full = {symbol: model.get(symbol, 0) for symbol in source.symbols()}
            assert all(evaluate(term, full) for term in (*path.terms(), condition))


@pytest.mark.parametrize("seed", daily(range(12), 2))
def test_terms_that_are_made_after_an_interruption_mean_what_they_say(
    random_terms: Any, seed: int
) -> None:
    source = random_terms(seed)
    rng = random.Random(seed)
    stopped = 0
    for _ in range(150):
        state = source.random.getstate()
        stopped += interrupted(lambda: source.build(8, 4), int(2 ** rng.uniform(0, 12)))
        if rng.random() < 0.5:  # the same term again
            source.random.setstate(state)
        made = source.build(8, 4)
        for _ in range(5):
            model = {each: rng.getrandbits(each.width) for each in source.symbols()}
            folded = made.folded
            value = folded if isinstance(folded, int) else evaluate(folded, model)
            assert value == evaluate(made.raw, model)
    assert stopped > 50


def asked(backend: BitwuzlaBackend, bits: int, prime: int) -> Answer:
    """Are there two numbers of so many bits whose product this is? Of few bits that is easy."""
    table = TermTable()
    one, other = table.symbol("one", 2 * bits), table.symbol("other", 2 * bits)
    path = PathCondition()
    for each in (one, other):
        for low, high in ((1, each), (each, 1 << bits)):
            fact = compare("ult", 2 * bits, low, high)
            assert isinstance(fact, Term)
            path = path.assuming(fact)
    question = compare("eq", 2 * bits, binary("mul", 2 * bits, one, other), prime)
    assert isinstance(question, Term)
    return backend.check(path, question, 60.0)


@pytest.mark.parametrize("order", [(Spent(What.TIME), KeyboardInterrupt()),
                                   (KeyboardInterrupt(), Spent(What.TIME))])  # fmt: skip
def test_signals_that_wait_for_the_library_end_a_query(
    order: tuple[BaseException, BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both handlers raise while the library asks whether to give up. Ctrl-C is not lost."""
    signals = dict(zip((signal.SIGUSR1, signal.SIGUSR2), order, strict=True))  # the lower one first
    begun, calls = time.monotonic(), [0]
    unblock = ctypes.CDLL(None).pthread_sigmask  # Python's own would handle one signal at once
    both = sum(1 << number - 1 for number in signals)

    def handle(number: int, frame: object) -> None:
        raise signals[signal.Signals(number)]

    def over(limits: object) -> bool:
        calls[0] += 1
        if calls[0] == 1000:
            signal.pthread_sigmask(signal.SIG_BLOCK, signals)
            for number in signals:
                signal.pthread_kill(threading.get_ident(), number)
            unblock(signal.SIG_UNBLOCK, (ctypes.c_ulong * 16)(both), None)
        return time.monotonic() > begun + 30

    before = {number: signal.signal(number, handle) for number in signals}
    monkeypatch.setattr(bitwuzla_backend._Limits, "over", over)
    backend = BitwuzlaBackend()
    try:
        with pytest.raises(KeyboardInterrupt):
            asked(backend, 60, (1 << 107) - 1)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert time.monotonic() < begun + 30
    assert asked(backend, 4, 211) is Answer.UNSAT
