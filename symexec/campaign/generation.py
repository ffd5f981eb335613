"""What a search comes upon, and what runs along with it, becomes tests; then smaller witnesses."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from csg.records import record
from symexec.campaign.fuzzing_worker import SEEDED, Fuzzing
from symexec.campaign.verification import Verifier
from symexec.counters import Counters
from symexec.exploration.following import USAGE
from symexec.exploration.paths import Finding
from symexec.exploration.pinning import Trace, Tracer
from symexec.exploration.preparation import Prepared
from symexec.exploration.searching import GraphCoverage, Search
from symexec.expr.nan_choices import keeps_one_of_two
from symexec.ledger import Reason
from symexec.memory import FaultKind
from symexec.options import BuildOptions, InputOptions
from symexec.replay import NativeReplay
from symexec.search.targets import Arrival
from symexec.shadow.outcomes import Observable
from symexec.state.endings import Endless, MemoryFault
from symexec.state.state import Chain, State
from symexec.testcases import DifferenceKind, Divergence, Observed, TestCase, TestInput, decode
from symexec.testcases.inputs import Json
from symexec.triage import Patience, group, minimise, options_used, shrink
from symexec.validation import TraceValidation

# -------------------------------------------------------------------------------------- collected
# The tests of a campaign: each input once, and the same names whatever runs along with the search.
#
#     t0001, t0002 ...   of the search       s0001, e0001 ...   of symbolic execution around inputs
#     m14-0009           of the native process, which names its own
#
# An input that fuzzing found first keeps its name; when the search comes upon it,
# too, a number of its own is left out.


OWN = "t"  # prefix of the names of the search's tests
ALIKE = 100  # tests of the search with one sequence that part at one place and differ in one way
ALIKE_THERE = 500  # of those that part there and differ so, whatever their sequences are


class Collected:
    def __init__(self) -> None:
        self.differing: set[str] = set()  # names of tests whose versions were seen to differ
        self.confirmed: set[str] = set()  # of these: judged, and by nothing that was accepted
        self.seen: Counter[tuple[object, ...]] = Counter()  # tests of each kind
        self._cases: dict[str, TestCase] = {}
        self._names: dict[TestInput, str] = {}
        self._numbers: Counter[str] = Counter()
        self.modelled = True  # does the search know what the compiler makes of both versions?
        self._foreign: set[TestInput] = set()  # found by fuzzing, and not by the search so far
        self._predicted: set[str] = set()
        # those of them that a path predicts without uninitialised memory or numbers of addresses
        self._surely: set[str] = set()
        self.of_two_nans: set[str] = set()  # predicted, if the compiler keeps the first of two NaNs
        self._doubted: set[str] = set()  # replayed as tests on which no difference is predicted
        self._there: Counter[object] = Counter()
        self.left_out = 0  # tests of the search that were left out because many like them are there

    def __contains__(self, test: TestInput) -> bool:
        return test in self._names

    def name(self, test: TestInput, series: str = OWN) -> str:
        """The next name of the series."""
        self._numbers[series] += 1
        found = f"{series}{self._numbers[series]:04d}"
        self._known(test, found, series != OWN)
        return found

    def as_witness(self, found: TestCase, now: float) -> TestCase | None:
        """A smaller witness under the name of its input: that of the test that has it, or the next
        name. Where that test is explained it stays as it is. None where it has shown nothing."""
        name = self._names.get(found.input)
        known = self._cases.get(name) if name is not None else None
        if known is None or known.kind is None:
            return replace(found, id=name or self.name(found.input), found_s=now)
        if known.observed is Observed.SAME and not found.uninitialised:
            return None
        if known.kind is found.kind and known.blame is not None and known.blame.blamed:
            return replace(known, minimal=found.minimal)
        return replace(found, id=known.id, found_s=known.found_s)

    def enough(self, kind: tuple[object, ...], there: object) -> bool:
        """Are there many tests of this kind, or of what they do at that place? Then the next one,
        with a new input, is counted as left out."""
        self._there[there] += 1
        if self.seen[kind] < ALIKE and self._there[there] <= ALIKE_THERE:
            return False
        self.left_out += 1
        return True

    def take(self, case: TestCase) -> None:
        """Add a test that has a name already."""
        self._known(case.input, case.id, True)

    def _known(self, test: TestInput, name: str, foreign: bool) -> None:
        self._names[test] = name
        if foreign:
            self._foreign.add(test)

    def found_again(self, test: TestInput) -> str | None:
        """Note that the search has found an input that is there. Returns its name where fuzzing
        gave it and the search finds it for the first time, else None."""
        name = self._names[test]
        if test not in self._foreign:
            return None
        self._foreign.remove(test)
        self._numbers[OWN] += 1
        return name

    def predict(self, test: TestInput, unsure: bool, of_two_nans: bool = False) -> None:
        """Note that a path predicts a difference for this input. ``unsure``: the path uses
        uninitialised memory or the numbers of addresses, or something on it is approximated, so
        another path of the same input may be the one that runs."""
        name = self._names[test]
        self._predicted.add(name)
        if self.modelled and not unsure:
            self._surely.add(name)
        if of_two_nans:
            self.of_two_nans.add(name)

    def doubt(self, case: TestCase) -> None:
        """Note that no difference is predicted for this test so far."""
        self._doubted.add(case.id)

    def doubted(self, test: TestInput) -> TestCase | None:
        """The test of this input, if no difference was predicted for it before; only once, then
        None."""
        name = self._names[test]
        if name not in self._doubted:
            return None
        self._doubted.remove(name)
        return self._cases[name]

    def keep(self, case: TestCase) -> None:
        """Store a new test, or new results of one that is there."""
        self._cases[case.id] = case
        differs = case.observed is Observed.DIFFERENT
        _put(self.differing, case.id, differs)
        _put(self.confirmed, case.id, case.tells and not case.accounted)

    def show_behaviour(self, inner: Callable[[TestCase], bool] | None = None) -> bool:
        """Has a test shown that the versions behave differently? ``inner``: can no caller run
        it?"""
        cases = (self._cases[name] for name in self.differing)
        return any(case.tells and not (inner is not None and inner(case)) for case in cases)

    @property
    def cases(self) -> list[TestCase]:
        return list(self._cases.values())

    @property
    def predicted(self) -> list[TestCase]:
        """The tests for which a difference is predicted. One of which an interruption came before
        it was stored is none."""
        return [self._cases[name] for name in sorted(self._predicted) if name in self._cases]

    @property
    def mispredicted(self) -> list[TestCase]:
        """The tests for which a difference is predicted and not seen natively: defects of csgtest
        or of its model."""
        return [
            case
            for case in self.predicted
            if case.observed is Observed.SAME
            and case.id in self._surely
            and case.kind not in (DifferenceKind.TIMEOUT, DifferenceKind.NONDETERMINISTIC)
        ]

    @property
    def refused(self) -> dict[str, int]:
        """How many predictions of a difference were refused, for each reason."""
        return dict(Counter(case.refused or "not looked at again" for case in self.mispredicted))


def _put(names: set[str], name: str, belongs: bool) -> None:
    if belongs:
        names.add(name)
    else:
        names.discard(name)


# ------------------------------------------------------------------------------------- generation
# What a search comes upon, and what runs concurrently, becomes tests.
#
#     generation = TestGeneration(covered, tests, mode, clock, started, verifier, ..)
#  for case in generation.found(finding): ...  t0001: new, and on its way to be replayed
#     for case in generation.found_by_fuzzing(sightings): ...   n0007, s0001
#
# The first tests of a kind are replayed first; of many that are alike some are left out
# (Collected).


# prefix of the names of tests that symbolic execution made around native inputs
SERIES = {SEEDED: "s", USAGE: "e"}
ENOUGH = 3  # tests found around native inputs that are alike
FIRST = 2  # tests of a kind that are mutated natively


@record
class Sighting:
    """A finding as data, which any process may have come upon. ``nodes``: those of the graph that
    its path has visited; ``differs_in``: in what the versions are predicted to differ;
    ``inexact``: something on the path is approximated, or depends on where objects lie.
    ``of_two_nans``: it may depend on which of two NaNs the compiler keeps."""

    input: TestInput
    nodes: tuple[int, ...]
    divergence: Divergence | None
    differs_in: tuple[Observable, ...]
    uninitialised: bool
    endless: bool
    fault: str
    inexact: bool = False
    of_two_nans: bool = False

    @property
    def unsure(self) -> bool:
        """May another path of the same input be the one that runs natively?"""
        return self.uninitialised or self.inexact or self.of_two_nans


def sighting(finding: Finding) -> Sighting:
    state = finding.state
    test = decode(state.inputs, finding.model)
    return Sighting(
        test,
        tuple(nodes_of(state)),
        _divergence(finding),
        finding.differs_in,
        _uses_uninitialised(state),
        _repeats(state),
        _fault(state),
        _is_inexact(state),
        test.has_nan and keeps_one_of_two(finding.model),
    )


class TestGeneration:
    """Makes tests from findings. ``started``: when the campaign began, on ``clock``. ``endless``:
    inputs on which one version is proved to run for ever. There may be no verifier, no validation
    and no fuzzing."""

    def __init__(
        self,
        covered: GraphCoverage,
        tests: Collected,
        mode: str,
        clock: Callable[[], float],
        started: float,
        verifier: Verifier | None,
        validation: TraceValidation | None,
        fuzzing: Fuzzing | None,
    ) -> None:
        self.endless: set[TestInput] = set()
        self._covered = covered
        self._tests = tests
        self._mode = mode
        self._clock = clock
        self._started = started
        self._verifier = verifier
        self._validation = validation
        self._fuzzing = fuzzing

    def found(self, finding: Finding, source: str = "") -> Iterator[TestCase]:
        """The tests made from a finding. ``source``: what found it, if not the search."""
        yield from self.seen(sighting(finding), source, finding)

    def seen(
        self, sighted: Sighting, source: str = "", finding: Finding | None = None
    ) -> Iterator[TestCase]:
        """The same, of what this process has a ``finding`` of, or another one has come upon."""
        test, tests = sighted.input, self._tests
        if sighted.endless:
            self.endless.add(test)
        if test in tests:
            if not source:
                self._found_again(sighted, finding)
            return
        nodes = sighted.nodes
        self._covered.add(nodes)
        place, sequence = sighted.divergence, self._covered.graph.names_of(nodes)
        kind: tuple[object, ...] = (place, sighted.differs_in, sequence)
        if source == SEEDED:
            kind = (source, place, sighted.differs_in)
            if tests.seen[kind] >= ENOUGH:
                return
        elif tests.enough(kind, (place, sighted.differs_in)):
            return
        case = TestCase(
            id=tests.name(test, SERIES.get(source, OWN)),
            input=test,
            sequence=sequence,
            divergence=place,
            found_s=self._clock() - self._started,
            source=source or self._mode,
            uninitialised=sighted.uninitialised,
            endless=sighted.endless,
            fault=sighted.fault,
        )
        if sighted.differs_in:
            tests.predict(test, sighted.unsure, sighted.of_two_nans)
        if not source and self._fuzzing is not None and tests.seen[kind] < FIRST:
            self._fuzzing.keep(test)
        self._validate(case.id, test, kind, finding)
        yield from self._submitted(case, kind, unlikely=not sighted.differs_in)

    def _validate(self, name: str, test: TestInput, kind: object, finding: Finding | None) -> None:
        """Let the branches of a test be compared with its path, where that is at hand, or else with
        those that the engine takes on its input."""
        if self._validation is None:
            return
        if finding is not None:
            self._validation.note(name, test, kind, finding)
        else:
            self._validation.note_input(name, test, kind)

    def _found_again(self, sighted: Sighting, finding: Finding | None) -> None:
        test = sighted.input
        if sighted.differs_in:
            self._tests.predict(test, sighted.unsure, sighted.of_two_nans)
        name = self._tests.found_again(test)
        if name is not None:
            self._validate(name, test, None, finding)
        case = self._tests.doubted(test) if sighted.differs_in else None
        if case is not None and self._verifier is not None:
            known = replace(case, uninitialised=sighted.uninitialised, fault=sighted.fault)
            self._verifier.submit(known, (1, 0))

    def found_by_fuzzing(self, found: Iterable[TestCase | Finding]) -> Iterator[TestCase]:
        for each in found:
            if isinstance(each, Finding):
                yield from self.found(each, SEEDED)
            elif each.input not in self._tests:
                self._tests.take(each)
                case = replace(each, found_s=each.found_s - self._started)
                if self._validation is not None:
                    self._validation.note_input(case.id, case.input, ("native", case.divergence))
                yield from self._submitted(case, ("native", case.divergence, options_used(case)))

    def _submitted(
        self, case: TestCase, kind: tuple[object, ...], unlikely: bool = False
    ) -> Iterator[TestCase]:
        """Hand in a new test; the first ones of a kind are replayed first."""
        self._tests.keep(case)
        self._tests.seen[kind] += 1
        if unlikely:
            self._tests.doubt(case)
        yield case
        if self._verifier is not None:
            self._verifier.submit(case, (self._tests.seen[kind], int(unlikely)))


# --------------------------------------------------------------------------------------- portions
# A part of a search that another process does: a few prefixes, for a few seconds.
#
#     Portion(3, (b"..", b".."), 2.0, ..)  ->  Found(3, sightings, left=(b"..",), ..)
#
# It is pure: whoever has the prepared pair and the options comes to the same. What all have seen so
# far goes with it, so that a target that anybody has reached steers everybody.


@record
class Seen:
    """What a search goes by that others may know: nodes of the graph that a test or a path has
    visited, blocks that were covered, divergences that have tests."""

    witnessed: frozenset[int] = frozenset()
    reached: frozenset[int] = frozenset()
    covered: frozenset[tuple[str, int]] = frozenset()
    divergences: frozenset[tuple[int, str]] = frozenset()

    @staticmethod
    def by(search: Search) -> Seen:
        return Seen(
            frozenset(search.covered.witnessed),
            frozenset(search.targets.reached),
            frozenset(search.engine.covered),
            frozenset(search.exploration.tested_divergences),
        )

    def tell(self, search: Search) -> None:
        """Let a search know it as well."""
        search.covered.witnessed |= self.witnessed
        search.targets.reached |= self.reached
        search.engine.covered |= self.covered
        search.exploration.tested_divergences |= self.divergences


@record
class Portion:
    """A part of a search. ``resting``: prefixes of states whose rest is concrete; ``seconds`` may
    be used, ``left`` are those until the whole search ends."""

    number: int
    prefixes: tuple[bytes, ...]
    resting: tuple[bytes, ...]
    seconds: float
    left: float
    seen: Seen


@record
class Found:
    """What came of a portion. ``left`` and ``resting``: the prefixes of what waits; ``unfit``:
    those that could not be followed; ``traces``: of paths on which the versions diverge."""

    number: int
    sightings: tuple[Sighting, ...]
    left: tuple[bytes, ...]
    resting: tuple[bytes, ...]
    unfit: tuple[bytes, ...]
    seen: Seen
    counters: Counters
    traces: frozenset[int]


class Workers(Protocol):
    """Other processes that search along (``fleet.sharing``). ``begin`` gets what they need;
    ``step`` gives them states of a search, takes over what they give back, and yields what they
    have found. ``busy``: prefixes of theirs are left; ``lost``: how many came to no end, because
    processes have died on them; ``processes``: those that search now, with this one."""

    @property
    def processes(self) -> int: ...

    @property
    def lost(self) -> int: ...

    @property
    def busy(self) -> bool: ...

    def begin(self, search: Search, prepared: Prepared, options: BuildOptions) -> None: ...

    def step(self, seconds: float) -> Iterator[Found]: ...

    def end(self) -> Iterator[Found]:
        """Take what is ready when the search is over. What is left counts as cut off."""

    def form(self) -> dict[str, Json]:
        """The part of report.json."""

    def notes(self) -> list[str]: ...

    def close(self) -> None: ...


def nodes_of(found: State | Arrival) -> list[int]:
    """The nodes of the graph that a path has visited, in order."""
    return Chain.items(found.sequence)


def _uses_uninitialised(state: State | Arrival) -> bool:
    """Did one version end where it used uninitialised memory?"""
    return any(each.kind is FaultKind.UNINITIALISED for each in _faults(state))


def _is_inexact(state: State | Arrival) -> bool:
    """Has the path met something that is approximated, or where objects lie? Or does a version end
    with an error that no sanitizer need see: an overlap too, of which nobody knows where gcc copies
    in one piece."""
    if any(each.unseen or each.kind is FaultKind.OVERLAP for each in _faults(state)):
        return True
    inexact = (Reason.ADDRESSES, Reason.APPROXIMATED)
    return isinstance(state, State) and any(
        event.reason in inexact for event in Chain.items(state.events)
    )


def _fault(state: State | Arrival) -> str:
    """The memory error with which one version ends, while the other does not; "" where there is
    none."""
    faults = _faults(state)
    return faults[0].kind if len(faults) == 1 else ""


def _faults(state: State | Arrival) -> list[MemoryFault]:
    outcomes = (state.old_outcome, state.new_outcome)
    endings = (each.ending for each in outcomes if each is not None)
    return [each for each in endings if isinstance(each, MemoryFault)]


def _repeats(state: State | Arrival) -> bool:
    """Is one version proved never to end, while the other ends?"""
    ends = [each.ending for each in (state.old_outcome, state.new_outcome) if each is not None]
    return len(ends) == 2 and sum(isinstance(each, Endless) for each in ends) == 1


def _divergence(finding: Finding) -> Divergence | None:
    divergence = finding.divergence
    if divergence is None:
        return None
    return Divergence(
        divergence.kind, divergence.location.file, divergence.location.line, divergence.directions
    )


# ------------------------------------------------------------------------------ smaller witnesses
# A smaller witness for each group of differences, found natively and followed by the engine.
#
# t0002  foo(-2147483648)       the first test of its group
# t0006  foo(-46341)            as small as the time allows; same endings, same blame, same place

SHARE = 0.15  # of the time that the run has taken so far
LEAST, MOST = 1.0, 3.0  # seconds
QUICK = 0.005  # seconds that the engine may take for an input to be asked again and again
EXPLAIN = 0.5  # seconds that the blame of a smaller input may take in any case
SOURCE = "minimised"


def share_of(elapsed: float) -> float:
    """The seconds for all groups together."""
    return min(MOST, max(LEAST, SHARE * elapsed))


class Shrinker:
    """Finds smaller witnesses. ``deadline`` is on the clock; witnesses not reached by then stay as
    they are, and are not known to be minimal. ``inner``: see ``group``."""

    def __init__(
        self,
        prepared: Prepared,
        options: InputOptions,
        replay: NativeReplay,
        changes: Sequence[int],
        requires: Mapping[int, frozenset[int]],
        clock: Callable[[], float] = time.monotonic,
        inner: Callable[[TestCase], bool] | None = None,
    ) -> None:
        self._replay = replay
        self._options = options
        self._changes = changes
        self._requires = requires
        self._clock = clock
        self._inner = inner
        self._tracer = Tracer(prepared, options, clock)

    def smaller(self, cases: Sequence[TestCase], deadline: float) -> Iterator[TestCase]:
        """For each group, the most important first, its witness with a smaller input, if there is
        one, or else the witness, ``minimal`` or not; then so for further symptoms. The new cases
        have the ids of the old ones."""
        by_id = {case.id: case for case in cases}
        groups = group(cases, self._inner)
        first = [each.witness for each in groups]
        names = [*first, *(one.witness for each in groups for one in each.also)]
        for place, name in enumerate(names):
            left = deadline - self._clock()
            witness = by_id[name]
            if witness.accounted:  # the report is not written for each of them
                continue
            if left <= 0:
                yield replace(witness, minimal=False)
            else:
                waiting = len(first if place < len(first) else names) - place
                yield self._shrunk(witness, left / waiting)

    def _shrunk(self, case: TestCase, seconds: float) -> TestCase:
        """The smaller test: looked for by the engine where that is quick (0.2 ms for a small
        function; a native run takes 5 ms), then by native runs, which alone say that it is
        minimal."""
        began = self._clock()
        start = self._by_engine(case, seconds / 2)
        seconds -= self._clock() - began
        found = shrink(
            case,
            self._replay,
            self._changes,
            self._requires,
            Patience(64, self._clock() + max(seconds, 0.0) + EXPLAIN, self._clock),
            self._admitted,
            seconds,
            self._clock,
            start,
        )
        if found.input == case.input:
            return found
        trace = self._tracer.trace(found.input)
        sequence = trace.sequence if trace is not None else case.sequence
        return replace(found, sequence=sequence, source=SOURCE)

    def _by_engine(self, case: TestCase, seconds: float) -> TestInput | None:
        """A smaller input on which the versions diverge at the same place, and end alike."""
        self._tracer.trace(case.input)  # compiles what it needs
        began = self._clock()
        wanted = self._tracer.trace(case.input)
        if wanted is None or self._clock() - began > QUICK:
            return None

        def alike(test: TestInput) -> bool:
            trace = self._tracer.trace(test) if self._admitted(test) else None
            return trace is not None and _seen(trace) == _seen(wanted)

        test, _ = minimise(case.input, alike, seconds, self._clock)
        return test if test != case.input else None

    def _admitted(self, test: TestInput) -> bool:
        asked = self._options.arguments
        if asked is not None and len(test.args) < asked.minimum:
            return False
        return self._tracer.pins.admits(test)


def _seen(trace: Trace) -> tuple[object, ...]:
    """What has to be equal for two inputs to be witnesses of one difference, as the engine sees
    it."""
    divergence = trace.divergence
    place = (divergence.kind, divergence.file, divergence.line) if divergence is not None else None
    return place, trace.endings
