"""The branches that a path of the search takes, one by one, compared with those of a native run."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from csg.errors import Location
from csg.language.syntax import Version
from csg.records import record
from symexec.counters import Counters
from symexec.executor.engine import Engine
from symexec.executor.machine import DEEP_NOTED, NEAR_ITS_END
from symexec.exploration.clocks import asking
from symexec.exploration.pinning import Pins
from symexec.exploration.preparation import Prepared
from symexec.exploration.start import Origin, begin
from symexec.expr import Model, Term, TermTable
from symexec.expr.nan_choices import OF_TWO_NANS, keeps_one_of_two
from symexec.ledger import Omission, Reason
from symexec.memory import NEW, OLD, FaultKind
from symexec.options import InputOptions, MemoryOptions
from symexec.replay import Decided, NativeReplay, decision, hashed
from symexec.runtime.filesystem.nodes import Node
from symexec.runtime.library import own_functions, passed_over, registry
from symexec.solver import EMPTY, PathCondition, SolverOptions, build_solver
from symexec.state.endings import Aborted, AssertionFailed, Exit, Killed, MemoryFault, Returned
from symexec.state.inputs import Guide, Guided, Start
from symexec.state.state import Chain, Outcome, State
from symexec.testcases import TestInput

# -------------------------------------------------------------------------------------- retracing
# Which branches does a path of the search take, one by one?
#
#     expected: x > 3, not(y == x); x = 4, y = 0        old: (1, 1), (4, 0)    new: (1, 1), (4, 1)
#
# A search keeps of a path the conditions that it assumed. Here the engine runs the path again
# with the test's model as its guide (``state.seeds.Guided``): each decision goes the model's way
# and must come by those very conditions, or the path is not the one that was searched. What is
# concrete in between is written down on the way, each version's decisions for themselves.
#
# What has no probe natively does not count: files that the versions share, models of library
# functions, computed gotos. Nor does what such a model calls in an order of its own (``QUIET``).


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
class ExpectedTrace:
    """What the search says of a test: it follows ``path`` from ``origin``."""

    test: str
    input: TestInput
    origin: Origin
    path: PathCondition
    model: Model


@dataclass(frozen=True, slots=True)
class Predicted:
    """The decisions of one version (``replay.decision``). ``exact``: it ends after them; else it
    may go on. ``approximated``: the first thing on the path that is approximated, and the number of
    decisions before it."""

    decisions: Sequence[int]
    exact: bool
    approximated: tuple[int, str] | None = None


class Unfollowed(Exception):
    """The reason why the engine cannot be guided along a path."""


class PathReplayer:
    """Runs paths again, with one engine for many paths. Terms and conditions are those of the
    search, which must not go on meanwhile. ``sites`` have probes."""

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
        self._elsewhere = next(_meant_otherwise(prepared), None)
        self._old: list[int] = []
        self._new: list[int] = []
        self._events = 0  # how many of the path's were looked at
        self._old_approximated: tuple[int, str] | None = None  # as in ``Predicted``
        self._new_approximated: tuple[int, str] | None = None
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

    def predicted(self, expected: ExpectedTrace) -> tuple[Predicted, Predicted]:
        """The decisions of the old and of the new version. Raises Unfollowed when the path cannot
        be repeated."""
        self._old, self._new = [], []
        state = self._run(expected)
        self._look_for_approximations(state)
        old, new = (_ends(outcome) for outcome in (state.old_outcome, state.new_outcome))
        return (
            Predicted(self._old, old, self._old_approximated),
            Predicted(self._new, new, self._new_approximated),
        )

    def _run(self, expected: ExpectedTrace) -> State:
        origin = expected.origin
        state = begin(self._engine, _with_files_of(expected, origin.start))
        state.seed = Guide(Guided(dict(expected.model), expected.path, origin.known))
        state.path = origin.known
        self._events = _length(state.events)
        deep = (0, NEAR_ITS_END) if DEEP_NOTED in state.environment else None
        self._old_approximated = self._new_approximated = self._elsewhere or deep
        for _ in range(LONGEST // QUANTUM):
            if state.frame is None:
                break
            following = self._engine.advance(state, QUANTUM)
            if len(following) != 1:
                _refuse_uninitialised(*following)
                raise Unfollowed("more than one way at once")
            (state,) = following
        _refuse_uninitialised(state)
        if not _lies_on(expected.path, state.path):
            over = state.frame is None
            raise Unfollowed("conditions that are not met again" if over else "too long")
        return state

    def _note(self, state: State, site: int, old: int, new: int) -> None:
        if site not in self._sites or (self._quiet and self._is_quiet(state)):
            return
        self._look_for_approximations(state)
        version = self._versions[site]
        if state.mode != NEW and version is not Version.NEW:
            self._old.append(decision(site, old))
        if state.mode != OLD and version is not Version.OLD:
            self._new.append(decision(site, new))

    def _look_for_approximations(self, state: State) -> None:
        """Note where the path has come to the first thing that is approximated."""
        known, self._events = self._events, _length(state.events)
        if self._events == known:
            return
        for event in Chain.items(state.events)[known:]:
            if event.reason not in (Reason.APPROXIMATED, Reason.ADDRESSES):
                continue
            if state.mode != NEW and self._old_approximated is None:
                self._old_approximated = len(self._old), event.text
            if state.mode != OLD and self._new_approximated is None:
                self._new_approximated = len(self._new), event.text

    def _is_quiet(self, state: State) -> bool:
        frame = state.frame
        while frame is not None:
            if frame.function.name in self._quiet:
                return True
            frame = frame.caller
        return False


def _meant_otherwise(prepared: Prepared) -> Iterator[tuple[int, str]]:
    """The reasons why the compiler may have made something else of the program, from the first
    decision on."""
    for omission in prepared.unmodelled:
        yield 0, omission.text
    for code in own_functions(prepared.program):
        yield 0, passed_over(code.name)
    for name in asking(prepared.program):
        yield 0, f"what {name} says"


def _with_files_of(expected: ExpectedTrace, start: Start) -> Start:
    """The start without those files that the search had not looked at when the test was made: the
    test does not have them, and a native run finds nothing there. A file that is missing in the
    model as well is left to the path, which may have decided so."""
    names = {name for name, _ in expected.input.files}
    model = dict(expected.model)
    entries = {
        key: replace(entry, exists=0)
        if isinstance(entry, Node)
        and entry.given is not None
        and entry.given.name not in names
        and not (isinstance(entry.exists, Term) and model.get(entry.exists, 0) == 0)
        else entry
        for key, entry in start.environment.items()
    }
    return replace(start, environment=entries)


def _length(events: Chain[Omission] | None) -> int:
    return 0 if events is None else events.length


def _lies_on(earlier: PathCondition, path: PathCondition) -> bool:
    while path.length > earlier.length and path.parent is not None:
        path = path.parent
    return path is earlier


def _ends(outcome: Outcome | None) -> bool:
    """Does the version end in a way after which nothing is decided natively either?"""
    return outcome is not None and isinstance(outcome.ending, _EXACT)


def _refuse_uninitialised(*states: State) -> None:
    """Raise Unfollowed: what a version does with uninitialised memory is chance."""
    if any(map(_uses_uninitialised, states)):
        raise Unfollowed("uninitialised values")


def _uses_uninitialised(state: State) -> bool:
    kinds = (event.reason for event in Chain.items(state.events))
    endings = (each.ending for each in (state.old_outcome, state.new_outcome) if each is not None)
    faults = (each.kind for each in endings if isinstance(each, MemoryFault))
    return Reason.UNINITIALISED in kinds or FaultKind.UNINITIALISED in faults


# -------------------------------------------------------------------------------------- comparing
# Compare the branches that tests are to take with those that they take natively.
#
#     the search says       old: (1, 1), (4, 0)      new: (1, 1), (4, 1), (6, 1)
#     natively              old: (1, 1), (4, 0)      new: (1, 1), (4, 1), (6, 0)
#     Judged("t0007", mismatch=Mismatch("t0007", "new", 3, new.c:12, "true", "false"))
#
# What the search says is ``retracing``'s. Natively the unified program runs with all changes off
# and on and a probe wherever it decides. A version that ends with an error of memory, or is not
# followed to its end, is compared up to there. Where they part behind something that is
# approximated (which users there are), no engine is to blame, and the test counts as left out.


NO_TIME = "no time left"
NOT_TWICE = "not the same twice natively"
GARBLED = "the program has written to the log of its branches"
SHIFTS = "a shift by the width of its operand or more is undefined (C17 6.5.7p3)"
NO_PROBES = "the program with probes does not compile"
_VERSIONS = ("old", "new")
Noted = tuple[
    str, ExpectedTrace | TestInput
]  # a test's name, and its path if a search has found it
_Prediction = tuple[ExpectedTrace, tuple[Predicted, Predicted]]


@record
class Mismatch:
    """Where the predicted and the native path differ: the ``place``-th decision of the ``version``,
    at ``location``."""

    test: str
    version: str
    place: int
    location: Location
    predicted: str
    native: str

    @property
    def text(self) -> str:
        return (
            f"{self.location}: {self.test}, {self.version} version, decision {self.place}: "
            f"predicted {self.predicted}, natively {self.native} (an error of csgtest)"
        )


@record
class Judged:
    """The result for a test. ``left_out``: why it could not be compared."""

    test: str
    left_out: str = ""
    mismatch: Mismatch | None = None


class Comparison:
    """Compares tests. ``sites`` have probes. Terms are those of the search, which must not go on
    meanwhile."""

    def __init__(
        self,
        prepared: Prepared,
        options: InputOptions,
        memory: MemoryOptions,
        sites: frozenset[int],
        limits: SolverOptions = LIMITS,
    ) -> None:
        self._prepared = prepared
        self._options = options
        self._memory = memory
        self._sites = sites
        self._limits = limits
        self._changes = frozenset(change.id for change in prepared.unified.changes)
        self._replayers: list[tuple[TermTable, PathReplayer]] = []
        self._pins: Pins | None = None

    def judged(
        self, noted: Iterable[Noted], replay: NativeReplay, in_time: Callable[[], bool]
    ) -> Iterator[Judged]:
        """The results, one test after the other while there is time. Native runs go on concurrently
        with the engine. Raises ToolchainError when the program with probes cannot be run."""
        left: list[Judged] = []
        waiting: deque[_Prediction] = deque()
        doubtful = []

        def runs() -> Iterator[tuple[TestInput, frozenset[int]]]:
            for prediction in self._predicted(noted, in_time, left):
                waiting.append(prediction)
                yield from self._runs(prediction[0])

        seen = replay.decided(runs())
        for old in seen:
            native = [old, next(seen)]
            prediction = waiting.popleft()
            if self._is_garbled(native):
                yield Judged(prediction[0].test, GARBLED)
            elif any(each is not None for each in self._differences(prediction[1], native)):
                doubtful.append((prediction, native))
            else:
                yield Judged(prediction[0].test)
            while left:
                yield left.pop(0)
            if not in_time():
                break
        seen.close()
        yield from left
        yield from (Judged(prediction[0].test, NO_TIME) for prediction in waiting)
        for prediction, native in doubtful:
            if in_time():
                yield self._judged_again(prediction, native, replay)
            else:
                yield Judged(prediction[0].test, NO_TIME)

    def _predicted(
        self, noted: Iterable[Noted], in_time: Callable[[], bool], left: list[Judged]
    ) -> Iterator[_Prediction]:
        for name, what in noted:
            if not in_time():
                left.append(Judged(name, NO_TIME))
                continue
            try:
                expected = what if isinstance(what, ExpectedTrace) else self._concrete(name, what)
                yield expected, self._replayer(expected.origin.table).predicted(expected)
            except Unfollowed as unfollowed:
                left.append(Judged(name, str(unfollowed)))

    def _concrete(self, name: str, test: TestInput) -> ExpectedTrace:
        """The path of an input that no search has followed."""
        if self._pins is None:
            prepared = self._prepared
            self._pins = Pins(prepared.entry, prepared.symbols, self._options, TermTable())
        start = None if test.nondet or test.objects else self._pins.pinned(test)
        if start is None:
            raise Unfollowed("inputs that the engine cannot start from")
        return ExpectedTrace(name, test, Origin(start, EMPTY, self._pins.table), EMPTY, {})

    def _replayer(self, table: TermTable) -> PathReplayer:
        """The replayer for paths of a search, one for each table of terms."""
        for known, replayer in self._replayers:
            if known is table:
                return replayer
        made = PathReplayer(self._prepared, table, self._memory, self._sites, self._limits)
        self._replayers.append((table, made))
        return made

    def _runs(self, expected: ExpectedTrace) -> list[tuple[TestInput, frozenset[int]]]:
        return [(expected.input, frozenset()), (expected.input, self._changes)]

    def _judged_again(
        self, prediction: _Prediction, native: list[Decided], replay: NativeReplay
    ) -> Judged:
        """The result for a test that disagreed, after a second native run."""
        expected, predicted = prediction
        if native != list(replay.decided(self._runs(expected))):
            return Judged(expected.test, NOT_TWICE)
        model = expected.model
        if expected.input.has_nan and (not model or keeps_one_of_two(model)):
            return Judged(expected.test, f"approximated: {OF_TWO_NANS}")
        differences = self._differences(predicted, native)
        for version, at, expectation, seen in zip(
            _VERSIONS, differences, predicted, native, strict=True
        ):
            if at is not None:
                behind = expectation.approximated
                if behind is not None and at >= behind[0]:
                    return Judged(expected.test, f"approximated: {behind[1]}")
                found = self._mismatch(expected.test, version, at, expectation, seen)
                return Judged(expected.test, mismatch=found)
        return Judged(expected.test)

    def _is_garbled(self, native: Sequence[Decided]) -> bool:
        """Does a log name places that no probe has? The program can reach it."""
        places = len(self._prepared.program.decisions)
        return any(not 1 <= each >> 32 <= places for seen in native for each in seen.first)

    def _differences(
        self, predicted: Sequence[Predicted], native: Sequence[Decided]
    ) -> list[int | None]:
        decisions = self._prepared.program.decisions

        def statement(each: int) -> int:
            return decisions[(each >> 32) - 1].node

        return [first_difference(*pair, statement) for pair in zip(predicted, native, strict=True)]

    def _mismatch(
        self, test: str, version: str, at: int, predicted: Predicted, native: Decided
    ) -> Mismatch:
        expectation = predicted.decisions[at] if at < len(predicted.decisions) else None
        seen = native.first[at] if at < len(native.first) else None
        site = next((each >> 32 for each in (expectation, seen) if each is not None), 1)
        words = (self._words(each, site) for each in (expectation, seen))
        return Mismatch(test, version, at + 1, self._place(site), *words)

    def _place(self, site: int) -> Location:
        return self._prepared.program.decisions[site - 1].location

    def _words(self, each: int | None, site: int) -> str:
        """``true``, or ``true at new.c:7`` where the decision is at another place than the
        site's."""
        if each is None:
            return "the end"
        value = each & 0xFFFFFFFF
        word = {0: "false", 1: "true"}.get(value, str(value))
        return word if each >> 32 == site else f"{word} at {self._place(each >> 32)}"


def first_difference(
    predicted: Predicted, native: Decided, statement: Callable[[int], int]
) -> int | None:
    """The index of the first decision that differs, from 0; None when the paths agree as far as
    both are known. ``statement`` gives the statement of a decision."""
    decisions, seen = predicted.decisions, native.first
    for at, (one, other) in enumerate(zip(decisions, seen, strict=False)):
        if (
            one != other
            and (apart := _unless_reordered(predicted, seen, at, statement)) is not None
        ):
            return apart
    if native.cut:
        return None
    if len(decisions) > native.count or (predicted.exact and len(decisions) < native.count):
        return min(len(decisions), native.count)
    if predicted.exact and native.count > len(seen) and hashed(decisions) != native.hash:
        return len(seen)
    return None


def _unless_reordered(
    predicted: Predicted, seen: Sequence[int], at: int, statement: Callable[[int], int]
) -> int | None:
    """``at``; or None where the statement there makes the same decisions in another order: C17
    6.5p3 leaves the order of its operands open, and compilers use that."""
    decisions = predicted.decisions
    here = statement(decisions[at])
    begin = end = at
    while begin and statement(decisions[begin - 1]) == here:
        begin -= 1
    while end < len(decisions) and statement(decisions[end]) == here:
        end += 1
    until = end
    if end == len(decisions) and not predicted.exact:  # it may have been left in mid-statement
        while until < len(seen) and statement(seen[until]) == here:
            until += 1
    missing = Counter(decisions[begin:end]) - Counter(seen[begin:until])
    return at if missing else None
