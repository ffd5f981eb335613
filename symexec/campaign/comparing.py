"""Compare the branches that tests are to take with those that they take natively.

    the search says       old: (1, 1), (4, 0)      new: (1, 1), (4, 1), (6, 1)
    natively              old: (1, 1), (4, 0)      new: (1, 1), (4, 1), (6, 0)
    Judged("t0007", mismatch=Mismatch("t0007", "new", 3, new.c:12, "true", "false"))

What the search says is ``retracing``'s. Natively the united program runs with all changes off and
on and a probe wherever it decides. A version that ends with an error of memory, or is not followed
to its end, is compared up to there.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence

from csg.records import record
from csg.source import Location
from symexec.campaign.pinning import Pins
from symexec.campaign.preparation import Prepared
from symexec.campaign.retracing import LIMITS, Predicted, Promise, Retracer, Unfollowed
from symexec.campaign.start import Origin
from symexec.expr import TermTable
from symexec.options import InputOptions, MemoryOptions
from symexec.replay import Decided, NativeReplay, hashed
from symexec.solver import EMPTY, SolverOptions
from symexec.testcases import TestInput

NO_TIME = "no time left"
NOT_TWICE = "not the same twice natively"
NO_PROBES = "the program with probes does not compile"
_VERSIONS = ("old", "new")
Noted = tuple[str, Promise | TestInput]  # a test's name, and its path if a search has found it
_Prediction = tuple[Promise, tuple[Predicted, Predicted]]


@record
class Mismatch:
    """``location``: where the predicted path and the native one part, the ``place``-th decision of
    the ``version``."""

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
    """What became of a test. ``left_out``: why it could not be compared."""

    test: str
    left_out: str = ""
    mismatch: Mismatch | None = None


class Comparison:
    """``sites`` have probes. Terms are those of the search, which must not go on meanwhile."""

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
        self._retracers: list[tuple[TermTable, Retracer]] = []
        self._pins: Pins | None = None

    def judged(
        self, noted: Iterable[Noted], replay: NativeReplay, in_time: Callable[[], bool]
    ) -> Iterator[Judged]:
        """One test after the other while there is time. Natively they run beside the engine.
        ToolchainError when the program with probes cannot be run."""
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
            if any(each is not None for each in self._differences(prediction[1], native)):
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
                promise = what if isinstance(what, Promise) else self._concrete(name, what)
                yield promise, self._retracer(promise.origin.table).predicted(promise)
            except Unfollowed as unfollowed:
                left.append(Judged(name, str(unfollowed)))

    def _concrete(self, name: str, test: TestInput) -> Promise:
        """The path of an input as it is: nothing has to be known of it."""
        if self._pins is None:
            prepared = self._prepared
            self._pins = Pins(prepared.entry, prepared.symbols, self._options, TermTable())
        start = None if test.nondet or test.objects else self._pins.pinned(test)
        if start is None:
            raise Unfollowed("inputs that the engine cannot start from")
        return Promise(name, test, Origin(start, EMPTY, self._pins.table), EMPTY, {})

    def _retracer(self, table: TermTable) -> Retracer:
        """For each search with terms of its own."""
        for known, retracer in self._retracers:
            if known is table:
                return retracer
        made = Retracer(self._prepared, table, self._memory, self._sites, self._limits)
        self._retracers.append((table, made))
        return made

    def _runs(self, promise: Promise) -> list[tuple[TestInput, frozenset[int]]]:
        return [(promise.input, frozenset()), (promise.input, self._changes)]

    def _judged_again(
        self, prediction: _Prediction, native: list[Decided], replay: NativeReplay
    ) -> Judged:
        """A test that disagreed."""
        promise, predicted = prediction
        if native != list(replay.decided(self._runs(promise))):
            return Judged(promise.test, NOT_TWICE)
        parted = self._differences(predicted, native)
        for version, at, told, seen in zip(_VERSIONS, parted, predicted, native, strict=True):
            if at is not None:
                found = self._mismatch(promise.test, version, at, told, seen)
                return Judged(promise.test, mismatch=found)
        return Judged(promise.test)

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
        told = predicted.decisions[at] if at < len(predicted.decisions) else None
        seen = native.first[at] if at < len(native.first) else None
        site = next((each >> 32 for each in (told, seen) if each is not None), 1)
        words = (self._words(each, site) for each in (told, seen))
        return Mismatch(test, version, at + 1, self._place(site), *words)

    def _place(self, site: int) -> Location:
        return self._prepared.program.decisions[site - 1].location

    def _words(self, each: int | None, site: int) -> str:
        """``true``, or ``true at new.c:7`` where that is another place than the site's."""
        if each is None:
            return "the end"
        value = each & 0xFFFFFFFF
        word = {0: "false", 1: "true"}.get(value, str(value))
        return word if each >> 32 == site else f"{word} at {self._place(each >> 32)}"


def first_difference(
    predicted: Predicted, native: Decided, statement: Callable[[int], int]
) -> int | None:
    """The decision with which the paths part, from 0; None when they agree as far as both are
    known. ``statement`` is that of a decision."""
    told, seen = predicted.decisions, native.first
    for at, (one, other) in enumerate(zip(told, seen, strict=False)):
        if one != other and (apart := _apart(predicted, seen, at, statement)) is not None:
            return apart
    if native.cut:
        return None
    if len(told) > native.count or (predicted.exact and len(told) < native.count):
        return min(len(told), native.count)
    if predicted.exact and native.count > len(seen) and hashed(told) != native.hash:
        return len(seen)
    return None


def _apart(
    predicted: Predicted, seen: Sequence[int], at: int, statement: Callable[[int], int]
) -> int | None:
    """``at``, unless the statement there decides the same in another order: of its operands C17
    6.5p3 leaves that open, and compilers use it."""
    told = predicted.decisions
    here = statement(told[at])
    begin = end = at
    while begin and statement(told[begin - 1]) == here:
        begin -= 1
    while end < len(told) and statement(told[end]) == here:
        end += 1
    until = end
    if end == len(told) and not predicted.exact:  # it may have been left in mid-statement
        while until < len(seen) and statement(seen[until]) == here:
            until += 1
    missing = Counter(told[begin:end]) - Counter(seen[begin:until])
    return at if missing else None
