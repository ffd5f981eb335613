"""Which branches does a path of the search take, one by one?

    promise: x > 3, not(y == x); x = 4, y = 0        old: (1, 1), (4, 0)    new: (1, 1), (4, 1)

A search keeps of a path the conditions that it assumed. Here the engine runs the path again with
the test's model as its guide (``state.seeds.Guided``): each decision goes the model's way and must
come by those very conditions, or the path is not the one that was searched. What is concrete in
between is written down on the way, each version's decisions for themselves.

What has no probe natively does not count: files that the versions share, models of library
functions, computed gotos. Nor does what such a model calls in an order of its own (``QUIET``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from csg.language.syntax import Version
from symexec.campaign.preparation import Prepared
from symexec.campaign.start import Origin, begin
from symexec.counters import Counters
from symexec.environment.nodes import Node
from symexec.environment.registry import registry
from symexec.environment.starts import Start
from symexec.executor.engine import Engine
from symexec.executor.undefined import USED
from symexec.expr import Model, TermTable
from symexec.memory import NEW, OLD
from symexec.options import MemoryOptions
from symexec.replay import decision
from symexec.solver import PathCondition, SolverOptions, build_solver
from symexec.state.endings import (
    Aborted,
    AssertionFailed,
    Exit,
    Killed,
    MemoryFault,
    Returned,
)
from symexec.state.seeds import Guide, Guided
from symexec.state.state import Chain, Event, Outcome, State
from symexec.testcases import TestInput

QUANTUM = 5_000
LONGEST = 200_000  # chunks of a path that are run again; it is compared as far as that goes
LIMITS = SolverOptions(limit_s=0.5)  # a guide leaves few queries
# They call back, in an order that is the library's own.
QUIET = frozenset(
    {"qsort", "qsort_r", "bsearch", "lfind", "lsearch", "tsearch", "tfind", "tdelete", "twalk",
     "tdestroy", "ftw", "nftw", "fts_open", "fts_read", "scandir", "glob"}
)  # fmt: skip
_EXACT = (Exit, Returned, Aborted, Killed, AssertionFailed)


@dataclass(frozen=True, slots=True)
class Promise:
    """What the search says of a test: it follows ``path`` from its ``origin``."""

    test: str
    input: TestInput
    origin: Origin
    path: PathCondition
    model: Model


@dataclass(frozen=True, slots=True)
class Predicted:
    """The decisions of one version (``replay.decision``). ``exact``: it ends behind them; else it
    may go on."""

    decisions: Sequence[int]
    exact: bool


class Unfollowed(Exception):
    """A path that the engine cannot be guided along; the reason."""


class Retracer:
    """One engine for many paths. Terms and conditions are those of the search, so none may go on
    meanwhile. ``sites`` have probes."""

    def __init__(
        self,
        prepared: Prepared,
        table: TermTable,
        memory: MemoryOptions,
        sites: frozenset[int],
        limits: SolverOptions = LIMITS,
    ) -> None:
        program, counters = prepared.program, Counters()
        self._versions = [None, *(each.version for each in program.decisions)]
        self._sites = sites
        functions = program.functions
        self._quiet = {name for name in QUIET & functions.keys() if functions[name].library}
        self._old: list[int] = []
        self._new: list[int] = []
        self._engine = Engine(
            program,
            registry(),
            build_solver(options=limits, counters=counters),
            table,
            counters,
            {},
            State.visit,
            memory=memory,
            decided=self._note,
        )

    def predicted(self, promise: Promise) -> tuple[Predicted, Predicted]:
        """Of the old and of the new version; Unfollowed when the path cannot be repeated."""
        self._old, self._new = [], []
        state = self._run(promise)
        old, new = (_ends(outcome) for outcome in (state.old_outcome, state.new_outcome))
        return Predicted(self._old, old), Predicted(self._new, new)

    def _run(self, promise: Promise) -> State:
        origin = promise.origin
        state = begin(self._engine, _with_files_of(promise.input, origin.start))
        state.seed = Guide(Guided(dict(promise.model), promise.path, origin.known))
        state.path = origin.known
        for _ in range(LONGEST // QUANTUM):
            if state.frame is None:
                break
            following = self._engine.advance(state, QUANTUM)
            if len(following) != 1:
                _refuse_unwritten(*following)
                raise Unfollowed("more than one way at once")
            (state,) = following
        _refuse_unwritten(state)
        if not _lies_on(promise.path, state.path):
            over = state.frame is None
            raise Unfollowed("conditions that are not met again" if over else "too long")
        return state

    def _note(self, state: State, site: int, old: int, new: int) -> None:
        if site not in self._sites or (self._quiet and self._is_quiet(state)):
            return
        version = self._versions[site]
        if state.mode != NEW and version is not Version.NEW:
            self._old.append(decision(site, old))
        if state.mode != OLD and version is not Version.OLD:
            self._new.append(decision(site, new))

    def _is_quiet(self, state: State) -> bool:
        frame = state.frame
        while frame is not None:
            if frame.function.name in self._quiet:
                return True
            frame = frame.caller
        return False


def _with_files_of(test: TestInput, start: Start) -> Start:
    """The start without those files that the search has not looked at by the time of the test: the
    test does not have them, and natively nothing is there when the program goes on."""
    names = {name for name, _ in test.files}
    entries = {
        key: replace(entry, exists=0)
        if isinstance(entry, Node) and entry.given is not None and entry.given.name not in names
        else entry
        for key, entry in start.environment.items()
    }
    return replace(start, environment=entries)


def _lies_on(earlier: PathCondition, path: PathCondition) -> bool:
    while path.length > earlier.length and path.parent is not None:
        path = path.parent
    return path is earlier


def _ends(outcome: Outcome | None) -> bool:
    """In a way after which nothing is decided natively either?"""
    return outcome is not None and isinstance(outcome.ending, _EXACT)


def _refuse_unwritten(*states: State) -> None:
    """What a version does with what nobody wrote is chance."""
    if any(map(_uses_unwritten, states)):
        raise Unfollowed("uninitialised values")


def _uses_unwritten(state: State) -> bool:
    told = (event.kind for event in Chain.items(state.events) if isinstance(event, Event))
    endings = (each.ending for each in (state.old_outcome, state.new_outcome) if each is not None)
    faults = (each.kind for each in endings if isinstance(each, MemoryFault))
    return USED in told or USED in faults
