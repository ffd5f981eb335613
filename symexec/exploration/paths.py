"""Search the paths of a program until none is left or the time is over.

    for finding in exploration.run([state], deadline):
        ...                          # a path that ended, or a divergence seen for the first time

States that can neither reach a change nor carry one are dropped on the way (``prunes``, made by
``search.strategies.pruner``), and others where memory is short. For an
input at a divergence, inputs on the other side of zero that diverge there in the same way are asked
for as well: where arithmetic wraps, one path often holds inputs from both ends of a type.

    int y = change(x - 1, x + 1); if (y > 7)      found x = INT_MAX, asked for as well: x < 0
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from csg.errors import NOWHERE, Location
from symexec.counters import Counters
from symexec.executor.engine import Engine
from symexec.exploration.doubts import MOST_ALIKE, Doubt, tried
from symexec.exploration.failures import lacking
from symexec.exploration.handed_out import carried_over
from symexec.exploration.observable import Caller, Compared
from symexec.exploration.start import Parked
from symexec.exploration.undecided_paths import QUIET, ConcreteRest, Course, Endlessness
from symexec.expr import Model, Operand, Term, compare, evaluate, negate
from symexec.ledger import PARKED, WAITING, Omission, Reason
from symexec.memory import BOTH, OLD
from symexec.search import Chosen, Searcher
from symexec.search.targets import Arrival, Targets
from symexec.shadow.outcomes import Observable
from symexec.state.endings import Cut, Endless, MemoryFault, Unsupported, row
from symexec.state.inputs import Input, InputKind
from symexec.state.state import Divergence, DivergenceKind, State
from symexec.watchdog import Spent, Watchdog, What

MOST = 4  # inputs with a sign at most, for which the other sign is asked for


def opposite_signs(inputs: Iterable[Input], model: Model) -> Iterator[Operand]:
    """Conditions that the input has the opposite sign, one for each signed number among parameters
    and globals."""
    turned = 0
    for each in inputs:
        if (
            each.kind not in (InputKind.PARAMETER, InputKind.GLOBAL)
            or not each.scalar
            or turned == MOST
        ):
            continue
        term = each.terms[0]
        if not each.signed or each.floating or not isinstance(term, Term):
            continue
        turned += 1
        negative = compare("slt", each.width, term, 0)
        is_negative = model.get(term, 0) >> (each.width - 1)
        yield negate(negative) if is_negative else negative  # type: ignore[misc]


PAUSE = 0.1  # seconds between two moments for the caller
QUANTUM = 4_000  # chunks that a state runs before another may have its turn
WIDER = 1_000  # turns within the bounds alone
GLANCE = 0.01  # seconds to wait where others have all that is left
FEW = 4  # waiting states that can take no memory worth speaking of
REVIVED = 64  # parked states that are found again at once


@dataclass(frozen=True, slots=True)
class Finding:
    """A path with an input that follows it. ``differs_in``: in what the versions are predicted to
    differ, empty for a divergence without an observable effect. ``ended`` is False for a divergence
    whose path is still being explored, and for an output that a path has reached (``state`` is as
    it was there)."""

    state: State | Arrival
    model: Model
    differs_in: tuple[Observable, ...]
    divergence: Divergence | None
    ended: bool


@dataclass(frozen=True, slots=True)
class Testing:
    """When a path becomes a test before it ends. ``targets``: None where no output is looked for.
    ``goes_on``: the path goes on behind an output, and the paths of one sequence make one test;
    else each path that reaches an output makes a test and is dropped there (FSE 2013, Algorithm 2,
    lines 15 to 20)."""

    targets: Targets | None = None
    goes_on: bool = True
    divergences: bool = True
    opposites: bool = True

    @staticmethod
    def of(search: Chosen, targets: Targets, goes_on: bool = False) -> Testing:
        return Testing(
            targets if targets.start else None,
            goes_on or search.has("continuation"),
            search.has("divergences"),
            search.has("opposites"),
        )


class Exploration:
    """One search. ``caller`` compares the outcomes of two versions; None: there is one program.
    ``glides``: a state that has forked runs on to its next decision before it waits. ``wider``
    makes initial states beyond the bounds, for a search that takes long; those left at its end are
    not counted. ``rests``: a state whose rest is concrete becomes a test at once, and waits behind
    all others (undecided_paths.py). ``parked`` holds states for which there is no room, until all
    others have come to their ends; None: such states are dropped. ``watchdog`` ends a turn that
    takes too much time or memory, and says when states have to go. ``behind``: the changes that may
    run behind a place. Whatever is left out goes to the ledger of ``counters``."""

    def __init__(
        self,
        engine: Engine,
        searcher: Searcher,
        counters: Counters,
        caller: Caller | None,
        watchdog: Watchdog,
        prunes: Callable[[State], bool] | None = None,
        on_end: Callable[[State], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
        glides: bool = False,
        wider: Callable[[], list[State]] | None = None,
        rests: bool = False,
        testing: Testing = Testing(),
        parked: Parked | None = None,
        behind: Callable[[Location], Collection[int]] = lambda place: (),
    ) -> None:
        self.engine = engine
        self.searcher = searcher
        self.counters = counters
        self.compares = caller is not None
        self.exhausted = False
        self._caller = caller
        self._prunes = prunes
        self._on_end = on_end
        self._clock = clock
        self._glides = glides
        self._wider = wider
        self._rest = ConcreteRest(engine.solver) if rests else None
        self._testing = testing
        if testing.targets is not None:
            testing.targets.arrivals = []
        self._shown: set[tuple[int, int]] = set()
        self._turn = 0
        self._states = 0
        self.tested_divergences: set[tuple[int, str]] = set()
        # do other processes have states of this search?
        self.is_helped: Callable[[], bool] = lambda: False
        self.is_over: Callable[[], bool] = lambda: False  # before the deadline
        self._points: set[object] = set()
        self._endlessness = Endlessness(engine)
        self.traces: set[int] = set()  # of the paths on which the versions diverge
        self._alike: dict[tuple[str, Location], int] = {}  # doubts that came to nothing
        self._watchdog = watchdog
        self._behind = behind
        self.parked = parked

    def run(self, initial: list[State], deadline: float) -> Iterator[Finding]:
        return (finding for finding in self.turns(initial, deadline) if finding is not None)

    def turns(self, initial: list[State], deadline: float) -> Iterator[Finding | None]:
        """The findings; now and then None, so that the caller can do other work."""
        pause = 0.0
        self._begin(initial)
        while not self._empty() or self.parked or self.is_helped():
            now = self._clock()
            if now >= deadline or self.is_over() or not self._has_room():
                self._give_up()
                return
            if now >= pause or self._empty():
                pause = now + PAUSE
                yield None
            if self.searcher.empty() and self.parked:
                if not self._revive(self.parked):
                    self._give_up()
                    return
                continue
            if self._empty():
                time.sleep(GLANCE)
                continue
            found: list[Finding] = []
            in_time = self._take_turn(found)
            yield from found
            if not in_time:
                self._give_up()
                return
        self.exhausted = not self._give_up() and not self.counters.forgotten

    # ------------------------------------------------------------------ one turn

    def _take_turn(self, found: list[Finding]) -> bool:
        """Run one state for a while; its findings are appended to ``found``. Returns False when the
        time ended during the turn. A path that the time ends, or that takes too much memory, counts
        as cut off."""
        state: State | None = None
        at_rest = False
        place, unknown = NOWHERE, self.counters.unknown
        try:
            with self._watchdog.guard(memory=False):
                self._turn += 1
                if self._turn == WIDER and self._wider is not None:
                    self._begin(self._wider())
                state, at_rest = self._select()
                place = self.engine.location(state)
            covered = self.engine.newly_covered
            alive: list[State] = []
            with self._watchdog.guard(attends=True):
                for finding in self._run(state, at_rest, alive):
                    found.append(finding)
            with self._watchdog.guard(memory=False):
                if at_rest and alive == [state] and self._rest is not None:
                    self._rest.add(state)
                else:
                    self.searcher.update(state, alive, self.engine.newly_covered > covered)
        except Spent as spent:
            if spent.what is What.TIME:
                self.counters.waiting += state is not None
                self.counters.cuts += state is not None
                self._omit(Reason.TIME, "a path was running when the time was over", place)
                return False
            self._let_go(state, at_rest)
        except MemoryError:  # more memory at once than the system has
            self._let_go(state, at_rest)
        finally:
            unanswered = self.counters.unknown - unknown
            self._omit(Reason.UNKNOWN, "the solver did not answer a query", place, unanswered)
        return True

    def _omit(self, reason: Reason, text: str, place: Location = NOWHERE, count: int = 1) -> None:
        self.counters.ledger.record(Omission(reason, text, place), count)

    def _run(self, state: State, at_rest: bool, alive: list[State]) -> Iterator[Finding]:
        """Run one turn of a state. ``alive`` gets the successors that wait for their next turn."""
        known = len(state.divergences)
        seed = state.seed
        unknown = self.counters.unknown
        successors, rests = self._advance(state, at_rest)
        arrived = self._arrivals()
        if rests and (self._testing.goes_on or not arrived):
            yield from self._reached(each for each in arrived if self._is_new(each))
            yield from self._rested(state)
            return
        # more such queries are to be expected
        if self.engine.is_expensive or self.counters.unknown > unknown:
            for successor in successors:
                successor.deferred += 1
        if successors == [state] and state.frame is not None and state.seed is seed:
            finding, successors = self._went_on(state)
            if finding is not None:
                yield finding
        else:
            self._endlessness.forget(state)
        arrived += self._arrivals()
        if arrived and not self._testing.goes_on:
            self._endlessness.forget(state)
            self.counters.dropped += 1
            self._omit(Reason.OUTPUT, "a path stopped at an output", self.engine.location(state))
            yield from self._reached(arrived[:1])
            return
        self.counters.forks += max(0, len(successors) - 1)
        if self._glides and len(successors) > 1:
            for successor in successors:
                if successor.frame is not None:
                    self.engine.glide(successor)
        if arrived and any(successor.frame is not None for successor in successors):
            yield from self._reached(each for each in arrived if self._is_new(each))
        for successor in successors:
            if successor is not state:
                self._number(successor)
            if successor.frame is None:
                yield from self._ended(successor)
                continue
            if len(successor.divergences) > known:
                if seed is not None and self._met_before(successor):
                    continue
                yield from self._diverged(successor, always=seed is not None)
            if self._prunes is not None and self._prunes(successor):
                self.counters.pruned += 1
                self._note_events(successor)
                continue
            alive.append(successor)

    # ------------------------------------------------------------------ memory

    def _let_go(self, state: State | None, at_rest: bool) -> None:
        """Drop a state that took more memory within one turn than there is."""
        assert state is not None
        self._endlessness.forget(state)
        self._forgotten(1)
        if not at_rest:
            self.searcher.update(state, (), covers=False)
        self.engine.solver.restart()

    def _has_room(self) -> bool:
        """Where memory is short, park states of the lowest priority. Returns False when there are
        too few of them, so that the memory is not theirs."""
        if not self._watchdog.tight:
            return True
        resting = self._rest.states() if self._rest is not None else []
        waiting = len(self.searcher.states())
        if len(resting) + waiting < FEW:
            self._forgotten(1)
            return False
        retained = (len(resting) + waiting) // 2
        if self._rest is not None and resting:  # states at rest wait behind all others
            room = max(0, retained - waiting)
            self._rest.keep(room)
            self._park(resting[room:], resting=True)
        if retained < waiting:
            self._keep(retained)
        resting.clear()
        self.engine.solver.restart()
        self._watchdog.relieved()
        return True

    def _keep(self, retained: int) -> None:
        """Keep the ``retained`` states that would be selected next, whatever the searcher is; drop
        the others."""
        order = list(self._taken_out())
        for state in order[retained:]:
            self._endlessness.forget(state)
        self._park(order[retained:])
        self.searcher.update(None, order[:retained], covers=False)

    def _park(self, states: Sequence[State], resting: bool = False) -> None:
        """Write states down as their decisions, or else drop them."""
        parked = 0 if self.parked is None else self.parked.park(states, resting)
        self.counters.parked += parked
        self._forgotten(len(states) - parked)

    def _revive(self, parked: Parked) -> bool:
        """Find parked states again. Returns False where the time is over meanwhile."""
        before = len(parked)
        try:
            with self._watchdog.guard():
                revived = parked.revived(REVIVED)
        except (Spent, MemoryError) as spent:
            self._forgotten(before - len(parked))
            self.engine.solver.restart()
            return not (isinstance(spent, Spent) and spent.what is What.TIME)
        self.adopt(revived.states, revived.resting)
        self._forgotten(revived.lost)
        return True

    def _taken_out(self) -> Iterator[State]:
        """The waiting states in the order in which they would be selected; each leaves the
        searcher."""
        while not self.searcher.empty():
            state = self.searcher.select()
            self.searcher.update(state, (), covers=False)
            yield state

    def _forgotten(self, count: int) -> None:
        self.counters.forgotten += count
        self.counters.cuts += count
        self._omit(Reason.MEMORY, PARKED, count=count)

    def _begin(self, initial: list[State]) -> None:
        for state in initial:
            self._number(state)
        self.searcher.update(None, initial, covers=False)

    # ------------------------------------------------------------------ sharing with others

    def stays_within(self) -> None:
        """Make no initial states beyond the bounds: another process does."""
        self._wider = None

    @property
    def waiting(self) -> int:
        """How many states wait, those at rest aside."""
        return len(self.searcher.states())

    def shed(self, count: int) -> list[State]:
        """Give away every second of the states that would run next, so many at most; one stays."""
        given: list[State] = []
        retained: list[State] = []
        if count <= 0:
            return given
        for state in self._taken_out():
            if len(retained) > len(given) and state.seed is None:
                self._endlessness.forget(state)
                given.append(state)
                if len(given) == count:
                    break
            else:
                retained.append(state)
        self.searcher.update(None, retained, covers=False)
        return given

    def adopt(self, states: list[State], resting: Sequence[State] = ()) -> None:
        """Take over states; ``resting``: those that are at rest."""
        self._begin(states)
        for state in resting:
            self._number(state)
            if self._rest is not None:
                self._rest.add(state)
            else:
                self.searcher.update(None, [state], covers=False)

    def held(self) -> tuple[list[State], list[State]]:
        """All states that wait, and those at rest. They stay."""
        return self.searcher.states(), [] if self._rest is None else self._rest.states()

    def give_up(self, numbers: Collection[int]) -> None:
        """Give away the states of these numbers."""
        retained = []
        for state in list(self._taken_out()):
            if state.id in numbers:
                self._endlessness.forget(state)
            else:
                retained.append(state)
        self.searcher.update(None, retained, covers=False)
        if self._rest is not None:
            for state in self._rest.drained():
                if state.id not in numbers:
                    self._rest.add(state)

    def drain(self) -> tuple[list[State], list[State]]:
        """Give away all states, and those at rest."""
        found = list(self._taken_out())
        resting = [] if self._rest is None else self._rest.drained()
        for state in (*found, *resting):
            self._endlessness.forget(state)
        return found, resting

    # ------------------------------------------------------------------ whose turn it is

    def _empty(self) -> bool:
        return self.searcher.empty() and (self._rest is None or self._rest.empty())

    def _waiting(self) -> list[State]:
        states, at_rest = self.held()
        return [*states, *at_rest]

    def _select(self) -> tuple[State, bool]:
        """The next state, and whether it is one at rest."""
        rest = self._rest
        if rest is not None and (rest.due or self.searcher.empty()):
            return rest.select(), True
        return self.searcher.select(), False

    def _advance(self, state: State, at_rest: bool) -> tuple[list[State], bool]:
        """One turn of a state: its successors, and whether its rest turned out to be concrete."""
        rest = self._rest
        if rest is None:
            return self.engine.advance(state, QUANTUM), False
        path, steps = state.path, state.steps
        successors, rests = self.engine.advance(state, QUANTUM if at_rest else QUIET), False
        goes_on = successors == [state] and state.frame is not None
        if not at_rest and goes_on and not self.engine.is_expensive:
            rests = rest.reached(state, path)
            if not rests:
                successors = self.engine.advance(state, QUANTUM - QUIET)
        rest.count(state.steps - steps, at_rest)
        return successors, rests

    def _rested(self, state: State) -> Iterator[Finding]:
        """Put a state to those at rest, and yield an input: a native replay sees how it ends."""
        assert self._rest is not None
        if self._prunes is not None and self._prunes(state):
            self.counters.pruned += 1
            self._note_events(state)
            return
        self._rest.add(state)
        self.counters.rested += 1
        model = self.engine.solver.model(state.path)
        if model is not None:
            divergence = state.divergences[-1] if state.divergences else None
            yield Finding(state, model, (), divergence, ended=False)

    def _give_up(self) -> int:
        """Count the paths that are still waiting as cut off, and return how many they are. Those
        that are parked have been dropped for want of memory."""
        if self.parked is not None:
            self._forgotten(len(self.parked))
        waiting = [state for state in self._waiting() if not state.beyond]
        self.counters.waiting += len(waiting)
        self.counters.cuts += len(waiting)
        for state in waiting:
            self._omit(Reason.TIME, WAITING, self.engine.location(state))
        return len(waiting)

    def unfinished(self, deadline: float) -> Iterator[Finding]:
        """The paths that are left, each with an input that follows it so far, as long as there is
        time."""
        for state in self._waiting():
            if self._clock() >= deadline:
                return
            model = None
            with suppress(Spent), self._watchdog.guard():
                model = self.engine.solver.model(state.path)
            if model is not None:
                yield Finding(state, model, (), None, ended=False)

    def _number(self, state: State) -> None:
        self._states += 1
        state.id = self._states
        self.counters.states += 1

    def _went_on(self, state: State) -> tuple[Finding | None, list[State]]:
        """For a state that has used up its turn: does it run for ever? Returns a finding, if any,
        and the states to go on with."""
        course, successors = self._endlessness.look(state)
        match course:
            case Course.ENDLESS | Course.SILENT:
                if state.mode != BOTH:
                    ever = "the old version" if state.mode == OLD else "the new version"
                    text = f"{ever} runs for ever: its state repeats"
                    state.note(Reason.ENDLESS, text, self.engine.location(state))
                return None, list(self.engine.end(state, Endless(course is Course.ENDLESS)))
            case Course.ALONE if self.compares and not self.engine.after_new:
                running = "old" if state.mode == OLD else "new"
                return self._one_sided(state, f"{running}-goes-on"), successors
            case _:
                return None, successors

    # ------------------------------------------------------------------ findings

    def _arrivals(self) -> list[Arrival]:
        """The outputs that the last turn has reached, in order."""
        targets = self._testing.targets
        if targets is None or not targets.arrivals:
            return []
        found, targets.arrivals = targets.arrivals, []
        return found

    def _is_new(self, arrival: Arrival) -> bool:
        """Is it the first path with its sequence on which a differing value reaches this output?"""
        if not arrival.changed or not arrival.shadows:
            return False
        key = (arrival.node, arrival.folded)
        known = key in self._shown
        self._shown.add(key)
        return not known

    def _reached(self, arrivals: Iterable[Arrival]) -> Iterator[Finding]:
        for arrival in arrivals:
            model = self.engine.solver.model(arrival.path)
            if model is not None:
                divergence = arrival.divergences[-1] if arrival.divergences else None
                yield Finding(arrival, model, (), divergence, ended=False)

    def _one_sided(self, state: State, directions: str) -> Finding | None:
        """A finding for a path on which one version may never end: native replay decides."""
        model = self.engine.solver.model(state.path)
        if model is None:
            return None
        if state.divergences:
            return Finding(state, model, (), state.divergences[-1], ended=False)
        outcome = state.new_outcome or state.old_outcome
        place = self.engine.location(state) if outcome is None else outcome.location
        return Finding(
            state, model, (), Divergence(DivergenceKind.ENDING, place, -1, directions), ended=False
        )

    def _met_before(self, state: State) -> bool:
        """Has an earlier seed reached this divergence by the same path?"""
        divergence = state.divergences[-1]
        key = (divergence.node, divergence.directions, state.inputs, tuple(state.path.terms()))
        known = key in self._points
        self._points.add(key)
        self.counters.divergence_points += not known
        return known

    def _diverged(self, state: State, always: bool = False) -> Iterator[Finding]:
        """The first time that the versions diverge here in this direction (for ``always``, each
        time, as around a seed): yield tests at once, for the path beyond may be long."""
        divergence = state.divergences[-1]
        key = (divergence.node, divergence.directions)
        if (key in self.tested_divergences or not self._testing.divergences) and not always:
            return
        self.tested_divergences.add(key)
        solver = self.engine.solver
        model = solver.model(state.path)
        if model is None:
            return
        yield Finding(state, model, (), divergence, ended=False)
        if not self._testing.opposites:
            return
        for condition in opposite_signs(state.inputs, model):
            other = self._model(state, condition)
            if other is not None:
                yield Finding(state, other, (), divergence, ended=False)

    def _ended(self, state: State) -> Iterator[Finding]:
        outcome = state.new_outcome or state.old_outcome
        assert outcome is not None
        self._note_unseen(state)
        compared = self._compared(state)
        self._note_events(state)
        if not self._counts(state):
            yield from self._half_cut(state)
            return
        self.counters.paths += 1
        if not self.compares:
            model = self.engine.solver.model(state.path)
            if model is not None:
                yield Finding(state, model, (), None, ended=True)
            return
        if state.divergences:
            self.traces.add(state.trace)
            self.counters.diff_paths = len(self.traces)
            if self.engine.after_new:
                text = "the new version went on alone"
                self._omit(Reason.ONE_VERSION, text, state.divergences[0].location)
        self._count_failure(state)
        yield from compared
        if state.divergences and not any(finding.differs_in for finding in compared):
            model = self.engine.solver.model(state.path)
            if model is not None:
                yield Finding(state, model, (), state.divergences[0], ended=True)

    def _note_events(self, state: State) -> None:
        """Say what a path that is not followed any further leaves out."""
        self._note_carried(state)
        if self._on_end is not None and state.events is not None:
            self._on_end(state)

    def _count_failure(self, state: State) -> None:
        """Count a path on which both versions end with the same error of memory. It is an omission
        if values differ there or a change may lie behind it: nobody has compared what follows. Not
        so where both read behind a text that is all of its object: other paths have more there."""
        old, new = state.old_outcome, state.new_outcome
        if old is None or new is None or old.ending != new.ending:
            return
        if isinstance(new.ending, MemoryFault):
            if any(each.tight and each.name == new.ending.given for each in state.inputs):
                return
            place = f"{new.ending.kind} at {new.location}"
            self.counters.both_fail[place] = self.counters.both_fail.get(place, 0) + 1
            if state.shadows or self._behind(new.location):
                self._omit(Reason.FAILS_ALIKE, lacking(new.ending), new.location)

    def _note_unseen(self, state: State) -> None:
        """Note an event where results may differ that no native run can look at; else they would
        pass for equal."""
        if self._caller is None or not state.shadows:
            return
        for event, condition in self._caller.unseen(state):
            if self._model(state, condition) is not None:
                state.note(event.reason, event.text, event.location)

    def _note_carried(self, state: State) -> None:
        """Note an event for each object that the path has read as earlier calls leave it."""
        for event in carried_over(self.engine.program, state.memory.taken):
            state.note(event.reason, event.text, event.location)

    def _note_addresses(self, state: State, compared: Compared) -> None:
        """Note an event where results may differ by the numbers of addresses."""
        assert state.new_outcome is not None
        doubts = ((doubt.observable, doubt.condition) for doubt in compared.doubts)
        for observable, condition in (*compared.sure, *doubts):
            if self.engine.addresses.within(condition):
                text = f"the {observable.value} depends on an address"
                state.note(Reason.ADDRESSES, text, state.new_outcome.location)

    def _counts(self, state: State) -> bool:
        """Was the path followed to its end, in every version that runs on it?"""
        for outcome in (state.old_outcome, state.new_outcome):
            if outcome is None or row(outcome.ending).complete:
                continue
            if isinstance(outcome.ending, Unsupported):
                self.counters.unsupported += 1
            elif row(outcome.ending).stopped:
                self.counters.cuts += 1
                if isinstance(outcome.ending, Cut):
                    self._omit(Reason.CUT, outcome.ending.why, outcome.location)
            return False
        return True

    def _half_cut(self, state: State) -> Iterator[Finding]:
        """One version was not followed to its end and the other was: yield an input for native
        replay to decide."""
        old, new = state.old_outcome, state.new_outcome
        if not self.compares or old is None or new is None:
            return
        finding = None
        if row(old.ending).stopped and row(new.ending).complete:
            finding = self._one_sided(state, "old-is-cut")
        elif row(new.ending).stopped and row(old.ending).complete:
            finding = self._one_sided(state, "new-is-cut")
        if finding is not None:
            yield finding

    def _compared(self, state: State) -> list[Finding]:
        """A finding for each part of the results that differs, unless the input of an earlier one
        shows that as well; then those for what may differ, which notes an event where no input
        shows it."""
        old, new = state.old_outcome, state.new_outcome
        if self._caller is None or old is None or new is None or not state.shadows:
            return []
        if not all(row(outcome.ending).complete for outcome in (old, new)):
            return []
        compared = self._caller.distinguishes(state)
        if state.memory.exposed:
            self._note_addresses(state, compared)
        found: list[Finding] = []
        for differs_in, condition in compared.sure:
            if any(_holds(condition, finding.model) for finding in found):
                continue
            model = self._model(state, condition)
            if model is not None:
                found.append(self._differing(state, model, differs_in))
        for doubt in compared.doubts:
            if not any(doubt.differs(finding.model) for finding in found):
                found += self._tried(state, doubt)
        return found

    def _differing(
        self, state: State, model: Model, differs_in: Observable, surely: bool = True
    ) -> Finding:
        assert state.new_outcome is not None
        divergence = state.divergences[0] if state.divergences else None
        place = divergence or Divergence(
            DivergenceKind.OUTPUT, state.new_outcome.location, -1, differs_in.value
        )
        return Finding(state, model, (differs_in,) if surely else (), place, ended=True)

    def _tried(self, state: State, doubt: Doubt) -> Iterator[Finding]:
        """Inputs for what may differ. Where none of them surely does, the path notes an event."""
        assert state.new_outcome is not None
        location = state.new_outcome.location
        key = doubt.text, location
        if self._alike.get(key, 0) >= MOST_ALIKE:
            state.note(Reason.APPROXIMATED, doubt.text, location)
            return
        doubtful = False

        def solve(condition: Operand) -> Model | None:
            nonlocal doubtful
            model = self._model(state, condition)
            doubtful = doubtful or model is not None
            return model

        for trial in tried(doubt, solve):
            yield self._differing(state, trial.model, doubt.observable, trial.differs)
            if trial.differs:
                return
        if doubtful:
            self._alike[key] = self._alike.get(key, 0) + 1
            state.note(Reason.APPROXIMATED, doubt.text, location)

    def _model(self, state: State, condition: int | Term) -> Model | None:
        if isinstance(condition, int):
            return self.engine.solver.model(state.path) if condition else None
        return self.engine.solver.model(state.path, condition)


def _holds(condition: int | Term, model: Model) -> bool:
    return bool(condition if isinstance(condition, int) else evaluate(condition, model))
