"""Does a test natively take the branches that the search says it takes?

    the search says       old: (1, 1), (4, 0)      new: (1, 1), (4, 1), (6, 1)
    natively              old: (1, 1), (4, 0)      new: (1, 1), (4, 1), (6, 0)
    Mismatch("t0007", "new", new.c:12, "true", "false")

What the search says is ``retracing``'s. A test that native testing found lies on no path of a
search: there the engine runs the input concretely, and its word is compared. Natively the united
program runs with all changes off and on and a probe wherever it decides. A version that ends with
an error of memory, or is not followed to its end, is compared up to there. A mismatch is an error
of csgtest.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace

from csg.errors import ToolchainError
from csg.language.syntax import Expression
from csg.source import Location
from csg.versions.probing import probed_text
from symexec.campaign.exploration import Finding
from symexec.campaign.pinning import Pins
from symexec.campaign.preparation import Prepared
from symexec.campaign.retracing import QUIET, Predicted, Promise, Retracer, Unfollowed
from symexec.campaign.start import Origin
from symexec.counters import Counters
from symexec.expr import TermTable
from symexec.options import InputOptions, MemoryOptions
from symexec.replay import Decided, NativeReplay, Text, hashed
from symexec.solver import EMPTY
from symexec.testcases import TestInput

_VERSIONS = ("old", "new")
_Prediction = tuple[Promise, tuple[Predicted, Predicted]]


@dataclass(frozen=True, slots=True)
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


class Promises:
    """``mismatches`` are those among the ``compared`` tests; ``left_out``: why others could not be
    compared, and how many."""

    def __init__(
        self,
        prepared: Prepared,
        replay: NativeReplay,
        options: InputOptions,
        memory: MemoryOptions = MemoryOptions(),  # noqa: B008 - it is frozen
    ) -> None:
        self.compared = 0
        self.mismatches: list[Mismatch] = []
        self.left_out: dict[str, int] = {}
        self._prepared = prepared
        self._replay = replay
        self._options = options
        self._memory = memory
        self._noted: dict[str, tuple[int, Promise | TestInput]] = {}
        self._kinds: dict[object, int] = {}
        self._changes = frozenset(change.id for change in prepared.unified.changes)
        self._sites: frozenset[int] = frozenset()
        self._retracers: list[tuple[TermTable, Retracer]] = []
        self._pins: Pins | None = None

    # ------------------------------------------------------------------ while the search goes on

    def note(self, name: str, test: TestInput, kind: object, finding: Finding) -> None:
        """Remember the path that the test is to take; ``kind``: others of it are much alike."""
        origin = finding.state.origin
        assert isinstance(origin, Origin)
        promise = Promise(name, test, origin, finding.state.path, finding.model)
        self._note(name, promise, kind)

    def note_input(self, name: str, test: TestInput, kind: object) -> None:
        """Of a test that no search has found."""
        self._note(name, test, kind)

    def _note(self, name: str, what: Promise | TestInput, kind: object) -> None:
        if not self._noted:
            self._build()
        self._kinds[kind] = self._kinds.get(kind, 0) + 1
        self._noted[name] = self._kinds[kind], what

    def _build(self) -> None:
        """Begin to compile the program with probes."""
        decisions = self._prepared.program.decisions
        numbers = {id(each.expression): site for site, each in enumerate(decisions, 1)}

        def site(asked: Expression) -> int:
            return numbers.get(id(asked), 0)

        text, placed = probed_text(self._prepared.unified, site, QUIET)
        self._replay.log_decisions(
            tuple(
                replace(each, text=text) if isinstance(each, Text) else each
                for each in self._replay.plan.unified
            )
        )
        self._sites = frozenset(placed)

    def _retracer(self, table: TermTable) -> Retracer:
        """For each search with terms of its own."""
        for known, retracer in self._retracers:
            if known is table:
                return retracer
        made = Retracer(self._prepared, table, self._memory, self._sites)
        self._retracers.append((table, made))
        return made

    # ------------------------------------------------------------------ afterwards

    def compared_one_by_one(self, in_time: Callable[[], bool]) -> Iterator[None]:
        """Compare all tests while there is time; the caller may do something after each. Natively
        they run beside the engine."""
        try:
            doubtful = yield from self._compare(self._predicted(in_time))
            for prediction, native in doubtful:
                self._judge(prediction, native)
        except ToolchainError:
            count = len(self._noted) - self.compared - sum(self.left_out.values())
            self._leave_out("the program with probes does not compile", count)

    def count(self, counters: Counters) -> None:
        counters.branches_compared = self.compared
        counters.branch_mismatches = len(self.mismatches)
        counters.branches_left_out = self.left_out

    def _leave_out(self, reason: str, count: int = 1) -> None:
        self.left_out[reason] = self.left_out.get(reason, 0) + count

    def _predicted(self, in_time: Callable[[], bool]) -> Iterator[_Prediction]:
        """The first of each kind, then the second of each ..: what the time does not allow is like
        what was compared."""
        for name, (_, noted) in sorted(self._noted.items(), key=lambda item: item[1][0]):
            if not in_time():
                self._leave_out("no time left")
                continue
            try:
                promise = noted if isinstance(noted, Promise) else self._concrete(name, noted)
                yield promise, self._retracer(promise.origin.table).predicted(promise)
            except Unfollowed as unfollowed:
                self._leave_out(str(unfollowed))

    def _concrete(self, name: str, test: TestInput) -> Promise:
        """The path of an input as it is: nothing has to be known of it."""
        if self._pins is None:
            prepared = self._prepared
            self._pins = Pins(prepared.entry, prepared.symbols, self._options, TermTable())
        start = None if test.nondet or test.objects else self._pins.pinned(test)
        if start is None:
            raise Unfollowed("inputs that the engine cannot start from")
        return Promise(name, test, Origin(start, EMPTY, self._pins.table), EMPTY, {})

    def _compare(
        self, predictions: Iterator[_Prediction]
    ) -> Generator[None, None, list[tuple[_Prediction, list[Decided]]]]:
        """Those that disagree come back, with what was seen."""
        waiting: deque[_Prediction] = deque()

        def runs() -> Iterator[tuple[TestInput, frozenset[int]]]:
            for prediction in predictions:
                waiting.append(prediction)
                yield from self._runs(prediction[0])

        doubtful = []
        seen = self._replay.decided(runs())
        for old in seen:
            native = [old, next(seen)]
            prediction = waiting.popleft()
            if any(each is not None for each in self._differences(prediction[1], native)):
                doubtful.append((prediction, native))
            else:
                self.compared += 1
            yield
        return doubtful

    def _runs(self, promise: Promise) -> list[tuple[TestInput, frozenset[int]]]:
        return [(promise.input, frozenset()), (promise.input, self._changes)]

    def _judge(self, prediction: _Prediction, native: list[Decided]) -> None:
        """A test that disagreed."""
        promise, predicted = prediction
        if native != list(self._replay.decided(self._runs(promise))):
            self._leave_out("not the same twice natively")
            return
        self.compared += 1
        parted = self._differences(predicted, native)
        for version, at, told, seen in zip(_VERSIONS, parted, predicted, native, strict=True):
            if at is not None:
                self.mismatches.append(self._mismatch(promise.test, version, at, told, seen))
                return

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
