"""The main job: search for inputs on which two versions differ, and prove each natively.

    job = BuildJob(options)
    for case in job.cases(progress):     # a test, and again when its replay, or its cause, is known
        ...
    job.verdict, job.counters, job.events

Whoever runs the job decides what to do with the tests (``report.session`` keeps them on disk).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import count
from typing import TypeVar

from csg.analysis import DependenceGraph, Distances, dependence_graph, guard_names, guards
from csg.errors import CsgtestError, UsageError
from csg.ir import Program
from csg.language.completing import complete_records
from csg.language.syntax import TranslationUnit
from csg.pipeline import graph_of, program_of, shared_entry
from csg.programs import FilePair
from csg.source import Location
from csg.unite import read_pair, unite
from csg.versions import Unified, printed
from csg.versions.compiled import MASKED, Confirmation, confirmed, located
from symexec.campaign.beside import SEEDED, Beside
from symexec.campaign.builds import files_to_build, golden_files
from symexec.campaign.collected import OWN, Collected
from symexec.campaign.companion import Companion
from symexec.campaign.examples import ALONG, Examples, are_drawn
from symexec.campaign.exploration import PAUSE, Exploration, Finding, Testing
from symexec.campaign.graph_coverage import GraphCoverage
from symexec.campaign.lasting import NOTHING_OUTLIVES, Outliving, outliving
from symexec.campaign.plain_builds import differing_plainly
from symexec.campaign.preparation import Prepared, asked_for_null, pruner
from symexec.campaign.promises import Promises
from symexec.campaign.seeding import Seeding
from symexec.campaign.shrinking import Shrinker, share_of
from symexec.campaign.start import begin, definition
from symexec.campaign.verification import Verifier, spare
from symexec.campaign.work import CANDIDATE, PATIENT, WorkClock
from symexec.classification import Requirements, options_used, repeating, told_apart
from symexec.counters import Counters
from symexec.environment import library
from symexec.environment.plan import InputPlan, no_input_left, plan
from symexec.environment.registry import registry
from symexec.environment.starts import Start
from symexec.executor.engine import Engine
from symexec.expr import TermTable
from symexec.fuzzing.lines import shaped
from symexec.options import After, BuildOptions, Globals, Shadow, program_name, versions_of
from symexec.progress import Progress
from symexec.replay import NativeReplay, ReplayPlan, probed
from symexec.replay.build import Text
from symexec.search import Budget, Context, build_searcher, chosen
from symexec.search.guard_values import GuardValues
from symexec.search.targets import Arrival
from symexec.solver import Answer, SolverOptions, build_solver
from symexec.state.endings import Endless, MemoryFault
from symexec.state.state import Chain, Event, State
from symexec.testcases import (
    Divergence,
    EntrySignature,
    TestCase,
    TestInput,
    called_with,
    decode,
    differing_part,
    signature_of,
)
from symexec.testcases.encoding import Json
from symexec.watchdog import Spent, Watchdog

SERIES = {SEEDED: "s", ALONG: "e"}  # how tests are called that the search did not make
ENOUGH = 3  # tests beside native inputs that are alike
FIRST = 2  # tests of a kind that are mutated natively
MOMENT = 0.3  # seconds to compare branches when no time is left
# Of a deterministic run: tests that are replayed for each second of the budget, tests whose
# branches are compared, seconds after which a native run is one that does not end.
REPLAYED, COMPARED, LONGEST = 50, 400, 1.0
Clock = Callable[[], float]
Found = TypeVar("Found")
GRACE = 0.5  # seconds that replays may take beyond the time of the search


class BuildJob:
    """``prepare`` parses and unites; ``cases`` searches. Both raise CsgtestError."""

    def __init__(self, options: BuildOptions) -> None:
        self.options = options
        self.search = chosen(options.search.mode, options.search.without)
        self.counters = Counters()
        self._deterministic = options.search.deterministic
        self.clock: Clock = WorkClock(self.counters) if self._deterministic else time.monotonic
        self.started = self._deadline = self.clock()
        self.watchdog = Watchdog(options.search.memory)
        self.events: dict[Event, int] = {}
        self.exhausted = False
        self.builds = ReplayPlan((), ())
        self.entry = "main"
        self.notes: list[str] = []  # for the report, known before the search
        self.prepared: Prepared | None = None
        self.replay: NativeReplay | None = None
        self.unified: Unified | None = None
        self.unified_text = ""
        self.signature: EntrySignature | None = None
        self.seeding: Seeding | None = None
        self.beside: Beside | None = None
        self.examples: Examples | None = None
        self.tests = Collected()
        self._endless: set[TestInput] = set()  # on which one version repeats itself for ever
        self.promises: Promises | None = None
        self._covered: GraphCoverage | None = None
        self._verifying: Companion | None = None  # forked before there is much to copy

    # ------------------------------------------------------------------ preparation

    def prepare(self) -> None:
        """Read both versions; start their native builds; build the program and its graph."""
        options = self.options
        if options.replay:
            self._verifying = spare()
        if options.shadow.mode is not Shadow.COMPLETE:
            self.seeding = Seeding()
            self.seeding.read(options.shadow.seeds)
        files = versions_of(options).pairs()
        pair = read_pair(files)
        files = tuple(file for file in files if file not in pair.left_out)
        for left_out, trouble in pair.left_out.items():
            self.notes.append(_left_out(left_out, trouble))
        entry, nowhere = _entry(pair.old, pair.new, options.inputs.entry)
        self.entry = entry
        self.unified = unite(pair, entry, options.annotation)
        if not self.unified.changes:
            self._check_inputs(entry, nowhere)
            return
        if nowhere is not None:
            raise nowhere
        program = self._confirmed_program(entry)
        self.builds = files_to_build(files, pair, self.unified, self.unified_text, entry)
        golden = golden_files(options, self.builds.new, entry)
        self.builds = replace(self.builds, golden=golden)
        if options.replay:
            self.replay = self._native()
        library.complete(program)
        dependences = dependence_graph(program)
        graph = graph_of(program, options.rules, dependences)
        distances = Distances(program, dependences.calls)
        outputs = frozenset(node.node for node in graph.records if node.output and node.changes)
        barring = guards(dependences, outputs)
        names = guard_names(dependences, barring)
        found = self._outliving(program, dependences)
        self.prepared = Prepared(
            self.unified, program, graph, dependences, distances, barring, names, found
        )

    def _check_inputs(self, entry: str, nowhere: UsageError | None) -> None:
        """What is said of inputs that there are not is wrong, also where nothing is run."""
        assert self.unified is not None
        inputs, units = self.options.inputs, self.unified.units
        if not (inputs.ranges or inputs.assumptions or inputs.symbolic_globals):
            return
        if nowhere is not None:
            raise nowhere
        complete_records(units)
        symbols = [each.symbol for unit in units for each in unit.declarations]
        for _ in plan(definition(units, entry), symbols, inputs).starts(TermTable()):
            return

    def _outliving(self, program: Program, dependences: DependenceGraph) -> Outliving:
        """What of the program's own objects is compared after a call, and what is an input."""
        if program.entry == "main":
            return NOTHING_OUTLIVES
        assert self.unified is not None and self.signature is not None
        unified = self.unified
        before, after = ((unit, *unified.shared) for unit in (unified.old, unified.new))
        found = outliving(program, dependences, unified.units, before, after)
        self.events.update(dict.fromkeys(found.events, 1))
        inputs = self.options.inputs
        if inputs.globals is Globals.ANY:
            named = dict.fromkeys((*inputs.symbolic_globals, *found.inputs))
            inputs = replace(inputs, symbolic_globals=tuple(named))
            self.options = replace(self.options, inputs=inputs)
        entry = definition(unified.units, program.entry)
        known = {each.symbol.name: each.symbol for u in unified.units for each in u.declarations}
        symbols = [known[name] for name in inputs.symbolic_globals if name in known]
        asked = asked_for_null(unified, entry)
        signature = replace(signature_of(entry, symbols, asked), lasting=found.parts)
        self.signature = signature
        if self.replay is not None:
            self.replay.plan = replace(self.replay.plan, signature=signature)
        return found

    def _confirmed_program(self, entry: str) -> Program:
        """Lower the united program while the compiler looks at it; again, with more of it kept
        twice, should it be no C."""
        assert self.unified is not None
        self._describe_entry(self.unified, entry)
        confirmation = self._confirmation() if self.options.replay else None
        program = program_of(self.unified, entry)
        trouble = confirmation.trouble() if confirmation is not None else None
        if trouble is None:
            return program
        found = located(self.unified, self.unified_text, trouble)
        annotation = self.options.annotation
        self.unified = confirmed(self.unified, entry, found, annotation=annotation)
        self._describe_entry(self.unified, entry)
        return program_of(self.unified, entry)

    def _confirmation(self) -> Confirmation:
        return Confirmation(self.unified_text, MASKED, flags=self.options.flags)

    def share(self, other: BuildJob) -> None:
        """Search in what ``other`` has prepared, from now on; its builds are its own to close."""
        self.builds = other.builds
        self.unified, self.unified_text = other.unified, other.unified_text
        self.prepared, self.signature, self.replay = other.prepared, other.signature, other.replay
        self.started = self.clock()

    def _describe_entry(self, unified: Unified, entry: str) -> None:
        """What tests are made of, and the program that runs with any set of changes."""
        self.unified_text = printed(unified, ids=True)
        if entry == "main":
            return
        before, after = ((unit, *unified.shared) for unit in (unified.old, unified.new))
        for units in (before, after, unified.units):
            complete_records(units)
        old, new = self._signature(before, entry), self._signature(after, entry)
        if called_with(old) != called_with(new):
            part = differing_part(old, new)
            raise UsageError(
                f"the parameters or the result of '{entry}' differ between the versions"
                f"{f', in {part}' if part else ''}",
                definition(after, entry).location,
                hint="choose another function with --entry, or write a wrapper that both have",
            )
        asked = asked_for_null(unified, definition(unified.units, entry))
        self.signature = self._signature(unified.units, entry, asked)

    def _signature(
        self, units: Sequence[TranslationUnit], entry: str, asked: frozenset[str] = frozenset()
    ) -> EntrySignature:
        wanted = self.options.inputs.symbolic_globals
        declared = [each.symbol for unit in units for each in unit.declarations]
        symbols = {each.name: each for each in declared if each.name in wanted}
        return signature_of(definition(units, entry), list(symbols.values()), asked)

    def _native(self) -> NativeReplay:
        assert self.unified is not None
        count = len(self.unified.changes)
        replay = NativeReplay(
            replace(
                self.builds,
                probed=tuple(
                    probed(each, count) if isinstance(each, Text) else each
                    for each in self.builds.unified
                ),
                signature=self.signature,
                name=program_name(self.options),
                without_walls=self.options.without_walls,
                leaks=self.options.memory.leaks,
                wall_s=LONGEST if self._deterministic else self.builds.wall_s,
                steady=self._deterministic,
            )
        )
        replay.prepare("mask")
        return replay

    def close(self) -> None:
        if self.beside is not None:
            self.beside.close()
        if self.replay is not None:
            self.replay.close()
        if self._verifying is not None:
            self._verifying.close()

    # ------------------------------------------------------------------ the search

    def cases(self, progress: Progress) -> Iterator[TestCase]:
        """Tests as they are found, and again as they are verified."""
        prepared, replay = self.prepared, self.replay
        if prepared is None:
            return
        self.counters.prepared_s = self._seconds()
        self._deadline = deadline = self.clock() + self.options.search.time
        verifier = None
        if replay is not None:
            verifier = self._verifier(prepared, replay, deadline + GRACE)
            if self.options.native and not self._deterministic:
                self.beside = self._company(prepared, replay, deadline)
        try:
            begun = self._begun_in_time(prepared)
            if begun is None:
                return
            exploration, initial = begun
            self.examples = self._examples(prepared, deadline)
            if replay is not None:
                self.promises = Promises(
                    prepared,
                    replay,
                    self.options.inputs,
                    self.options.memory,
                    self.clock,
                    self._deterministic,
                )
            with self.watchdog.until(self._latest(deadline)):
                yield from self._searched(exploration, initial, deadline, verifier, progress)
            self._tell(progress, prepared, exploration, 0.0)
            with self.watchdog.until(self._latest(deadline + GRACE)):
                if self.beside is not None:
                    beside = self._bounded(self.beside.end())
                    yield from self._found_beside(beside, prepared, verifier)
                if verifier is not None:
                    yield from self._bounded(self._compared(verifier, deadline + GRACE))
                    yield from self._verified(verifier.drain())
                    verifier.end()
                    yield from self._bounded(self._proved_endless())
                    yield from self._bounded(self._told_apart(prepared))
                    yield from self._bounded(self._minimised(prepared, deadline + GRACE))
                    yield from self._bounded(self._shown_plainly(prepared))
        finally:
            self.counters.wall_s = self._seconds()
            if self.promises is not None:
                self.promises.close()
                self.promises.count(self.counters)
            if self.beside is not None:
                self.beside.close()
            if verifier is not None:
                verifier.close()

    def _begun_in_time(self, prepared: Prepared) -> tuple[Exploration, list[State]] | None:
        """None when what the inputs can be takes all the time, or all the memory."""
        with self.watchdog.until(self._latest(self._deadline)):
            try:
                with self.watchdog.guard():
                    return self._exploration(prepared)
            except Spent:
                self.counters.cuts += 1
                self.counters.waiting += 1
                return None

    def _searched(
        self,
        exploration: Exploration,
        initial: list[State],
        deadline: float,
        verifier: Verifier | None,
        progress: Progress,
    ) -> Iterator[TestCase]:
        """The search itself, and what runs beside it."""
        prepared = self.prepared
        assert prepared is not None
        begun = self.clock()
        for finding in exploration.turns(initial, deadline):
            if finding is not None:
                yield from self._found(finding, prepared, verifier)
            elif self.beside is not None:
                found = self._bounded(self.beside.step())
                yield from self._found_beside(found, prepared, verifier)
            elif self.examples is not None:
                for along in self._bounded(self.examples.step(self.clock() - begun)):
                    yield from self._found(along, prepared, verifier, ALONG)
            if verifier is not None:
                yield from self._verified(verifier.finished())
            if self.promises is not None and not self.watchdog.half_taken:
                self.promises.step()
            self._tell(progress, prepared, exploration, deadline)
        self.exhausted = exploration.exhausted
        if self.counters.unsupported:
            yield from self._tested_natively(prepared, deadline, verifier)

    def _tested_natively(
        self, prepared: Prepared, deadline: float, verifier: Verifier | None
    ) -> Iterator[TestCase]:
        """What no path can be followed through is tested all the same, while there is time."""
        while self.beside is not None and self.beside.goes_on and self.clock() < deadline:
            found = self._bounded(self.beside.step())
            yield from self._found_beside(found, prepared, verifier)
            if verifier is not None:
                yield from self._verified(verifier.finished())
            time.sleep(PAUSE)

    def _latest(self, deadline: float) -> float:
        """When the watchdog ends what goes on. Work that is counted takes longer on some machines,
        and is not to end differently there."""
        seconds = max(0.0, deadline - self.clock())
        if self._deterministic:
            seconds = PATIENT * (seconds + 10.0)
        return time.monotonic() + seconds

    def _bounded(self, found: Iterator[Found]) -> Iterator[Found]:
        """As it comes, until the time is over for good."""
        while True:
            try:
                with self.watchdog.guard(memory=False):
                    each = next(found, None)
            except Spent:
                return
            if each is None:
                return
            yield each

    def _verifier(self, prepared: Prepared, replay: NativeReplay, deadline: float) -> Verifier:
        process, self._verifying = self._verifying, None
        most = None
        if self._deterministic:
            deadline, most = math.inf, max(1, int(REPLAYED * self.options.search.time))
        return Verifier(replay, *switches(prepared), deadline, process, most)

    def _proved_endless(self) -> Iterator[TestCase]:
        """What was cut off, and is proved by now never to end."""
        for case in self.found:
            if case.input in self._endless:
                known = repeating(case)
                if known is not case:
                    self.tests.keep(known)
                    yield known

    def _told_apart(self, prepared: Prepared) -> Iterator[TestCase]:
        """What turns out to be a matter of wording when all explanations are there."""
        changes = [change.info() for change in prepared.unified.changes]
        for case in list(told_apart(self.found, changes)):
            self.tests.keep(case)
            yield case

    def _company(self, prepared: Prepared, replay: NativeReplay, deadline: float) -> Beside | None:
        """None for a program that asks for its inputs while it runs: they are not made up."""
        if any(name.startswith(("klee_", "__VERIFIER_")) for name in prepared.program.undefined):
            return None
        found = Beside(
            prepared, replay, self.options, self.signature, deadline, watchdog=self.watchdog
        )
        for seed in self.seeding.given if self.seeding is not None else ():
            found.keep(seed)
        return found

    def _examples(self, prepared: Prepared, deadline: float) -> Examples | None:
        """Where no native phase tries such inputs, and no user gives others."""
        wanted = self.search.has("examples") and self.seeding is None and self.beside is None
        if not wanted or not are_drawn(prepared, self.options):
            return None
        return Examples(prepared, self.options, deadline, watchdog=self.watchdog)

    def _compared(self, verifier: Verifier, deadline: float) -> Iterator[TestCase]:
        """Compare branches while tests are still being verified, and for a share of the time that
        the search took; for a moment in any case."""
        assert self.promises is not None
        now = self.clock()
        deadline -= GRACE / 2  # a run that is under way takes its time
        enough = max(min(deadline, now + share_of(now - self.started)), now + MOMENT)
        compared = count()

        def in_time() -> bool:
            if self._deterministic:
                return next(compared) < COMPARED
            now = self.clock()
            return now < enough or (verifier.busy and now < deadline)

        for _ in self.promises.compared_one_by_one(in_time):
            yield from self._verified(verifier.finished())

    def _minimised(self, prepared: Prepared, deadline: float) -> Iterator[TestCase]:
        """A smaller witness for each group, as far as a small share of the time goes."""
        clock: Clock = time.monotonic
        now = self.clock()
        seconds = min(deadline - now, share_of(now - self.started))
        if self._deterministic:
            clock, seconds = WorkClock(Counters(), CANDIDATE), share_of(now - self.started)
        if self.replay is None or seconds <= 0 or not self.tests.differing:
            return
        options = self.options.inputs
        shrinker = Shrinker(prepared, options, self.replay, *switches(prepared), clock)
        deadline = clock() + seconds
        cases = self.found
        if self._deterministic:  # no clock says that runs which do not end are enough
            cases = [case for case in cases if not _unending(case)]
        for found in shrinker.smaller(cases, deadline):
            if found.input not in self.tests:
                case = replace(found, id=self.tests.name(found.input), found_s=self._seconds())
                self.tests.keep(case)
                yield case

    def _shown_plainly(self, prepared: Prepared) -> Iterator[TestCase]:
        """What plain gcc makes of undefined behaviour, where nothing else differs."""
        if self.replay is None or self.tests.differing or self._deterministic:
            return
        alike = [case for case in self.found if case.observed == "same"]
        inputs, seed = self.options.inputs, self.options.search.seed
        shown = differing_plainly(prepared, self.signature, inputs, alike, self.replay, seed)
        for test, case in shown:
            name = case.id or self.tests.name(test)
            found = replace(case, id=name, found_s=case.found_s or self._seconds())
            self.tests.keep(found)
            yield found

    def _exploration(self, prepared: Prepared) -> tuple[Exploration, list[State]]:
        options = self.options
        table = TermTable()
        targets = prepared.targets(self.search.mode.aim)
        engine = Engine(
            prepared.program,
            registry(),
            build_solver(
                options.search.solver.value,
                SolverOptions(deterministic=self._deterministic),
                self.counters,
            ),
            table,
            self.counters,
            prepared.watched(),
            targets.visit,
            after_new=options.search.after is After.NEW,
            loop_bound=options.search.loop_bound,
            memory=options.memory,
        )
        if not self._deterministic:
            engine.solver.deadline = self._deadline
        self._targets = targets
        covered = self._covered = GraphCoverage(prepared.graph)
        initial = self._beginnings(engine, prepared)
        for state in initial:
            state.targets = targets.start
        asked = self.search
        addresses = engine.machine.addresses
        before, behind = (
            GuardValues([each for each in prepared.guards if each.behind == kind], addresses)
            for kind in (False, True)
        )
        context = Context(
            options.search.seed,
            targets.rank,
            targets.distance,
            covered.witnessed,
            guards=before.of if before else None,
            masks=behind.of if behind else None,
            frontier=lambda: prepared.frontier(engine.covered),
        )
        wider = asked.has("bounds") and self.seeding is None
        exploration = Exploration(
            engine,
            build_searcher(asked, context, self._budget()),
            self.counters,
            caller=prepared.caller,
            prunes=pruner(prepared) if options.search.prune and asked.has("pruning") else None,
            on_end=self._ended,
            clock=self.clock,
            wider=(lambda: self._wider(engine, prepared)) if wider else None,
            testing=Testing.of(asked, targets, goes_on=self.seeding is not None),
            rests=asked.has("rest"),
            watchdog=self.watchdog,
        )
        return exploration, initial

    def _beginnings(self, engine: Engine, prepared: Prepared) -> list[State]:
        """A state for each seed, or for each shape that an input can have."""
        if self.seeding is not None:
            return self.seeding.states(engine, prepared, self.options.inputs)
        possible = self._begun(engine, self._plan(prepared).starts(engine.table))
        if not possible:
            raise no_input_left()
        return possible

    def _wider(self, engine: Engine, prepared: Prepared) -> list[State]:
        """Beginnings beyond the bounds."""
        found = self._begun(engine, self._plan(prepared).longer(engine.table))
        for state in found:
            state.targets = self._targets.start
            state.beyond = True
        return found

    def _plan(self, prepared: Prepared) -> InputPlan:
        inputs = self.options.inputs
        changes = [change.info() for change in prepared.unified.changes]
        lines = shaped(prepared.unified.units, changes, inputs, prepared.guarding)
        return plan(prepared.entry, prepared.symbols, inputs, lines, prepared.asked)

    @staticmethod
    def _begun(engine: Engine, starts: Iterator[Start]) -> list[State]:
        initial = [begin(engine, start) for start in starts]
        for lane, state in enumerate(initial):
            state.lane = lane
        return [s for s in initial if engine.solver.check(s.path) is not Answer.UNSAT]

    def _budget(self) -> Budget | None:
        """Of a search in two phases: along the seeds, then from each divergence."""
        chosen = self.options.shadow
        if self.seeding is None or chosen.mode is Shadow.JPF:
            return None
        return Budget(self.clock(), self._deadline, chosen.bse_time, self.clock)

    def _tell(
        self, progress: Progress, prepared: Prepared, exploration: Exploration, deadline: float
    ) -> None:
        progress.update(
            paths=self.counters.paths,
            divergences=self.counters.diff_paths,
            reached=len(self._targets.reached),
            targets=len(prepared.graph),
            left=deadline - self.clock(),
        )

    def _ended(self, state: State) -> None:
        """Remember what a path owes the report's reader."""
        for event in Chain.items(state.events):
            assert isinstance(event, Event)
            self.events[event] = self.events.get(event, 0) + 1

    # ------------------------------------------------------------------ tests

    def _found(
        self, finding: Finding, prepared: Prepared, verifier: Verifier | None, source: str = ""
    ) -> Iterator[TestCase]:
        test = decode(finding.state.inputs, finding.model)
        endless = _repeats(finding.state)
        if endless:
            self._endless.add(test)
        if test in self.tests:
            if not source:
                self._found_again(test, finding, verifier)
            return
        nodes = nodes_of(finding.state)
        if self._covered is not None:
            self._covered.add(nodes)
        place, sequence = _divergence(finding), self._sequence(nodes, prepared)
        kind: tuple[object, ...] = (place, finding.told, sequence)
        if source == SEEDED:
            kind = (source, place, finding.told)
            if self.tests.seen[kind] >= ENOUGH:
                return
        elif self.tests.enough(kind, (place, finding.told)):
            return
        case = TestCase(
            id=self.tests.name(test, SERIES.get(source, OWN)),
            input=test,
            sequence=sequence,
            divergence=place,
            found_s=self._seconds(),
            source=source or self.options.search.mode,
            unwritten=_uses_unwritten(finding.state),
            endless=endless,
            fault=_fault(finding.state),
        )
        if finding.told:
            self.tests.predict(case.id)
        if not source and self.beside is not None and self.tests.seen[kind] < FIRST:
            self.beside.keep(test)
        self._promise(case.id, finding, kind)
        yield from self._submitted(case, kind, verifier, unlikely=not finding.told)

    def _promise(self, name: str, finding: Finding, kind: object = None) -> None:
        if self.promises is not None:
            test = decode(finding.state.inputs, finding.model)
            self.promises.note(name, test, kind, finding)

    def _found_again(self, test: TestInput, finding: Finding, verifier: Verifier | None) -> None:
        name = self.tests.found_again(test, bool(finding.told))
        if name is not None:
            self._promise(name, finding)
        case = self.tests.doubted(test) if finding.told else None
        if case is not None and verifier is not None:
            state = finding.state
            known = replace(case, unwritten=_uses_unwritten(state), fault=_fault(state))
            verifier.submit(known, (1, 0))

    def _found_beside(
        self, found: Iterator[TestCase | Finding], prepared: Prepared, verifier: Verifier | None
    ) -> Iterator[TestCase]:
        for each in found:
            if isinstance(each, Finding):
                yield from self._found(each, prepared, verifier, SEEDED)
            elif each.input not in self.tests:
                self.tests.take(each)
                case = replace(each, found_s=each.found_s - self.started)
                if self.promises is not None:
                    self.promises.note_input(case.id, case.input, ("native", case.divergence))
                kind = ("native", case.divergence, options_used(case))
                yield from self._submitted(case, kind, verifier)

    def _submitted(
        self,
        case: TestCase,
        kind: tuple[object, ...],
        verifier: Verifier | None,
        unlikely: bool = False,
    ) -> Iterator[TestCase]:
        """A new test: the first ones of a kind are replayed first."""
        self.tests.keep(case)
        self.tests.seen[kind] += 1
        if unlikely:
            self.tests.doubt(case)
        yield case
        if verifier is not None:
            verifier.submit(case, (self.tests.seen[kind], int(unlikely)))

    def _note_unseen(self, case: TestCase) -> None:
        """A use that no filling shows: still told, where it is."""
        if case.unwritten and case.observed == "same" and case.divergence is not None:
            place = Location(case.divergence.file, case.divergence.line)
            text = "one version uses what nobody wrote; natively no filling shows it"
            self.events[Event("uninitialised", text, place)] = 1

    def _seconds(self) -> float:
        return self.clock() - self.started

    def _sequence(self, nodes: Iterable[int], prepared: Prepared) -> tuple[str, ...]:
        return prepared.graph.names_of(nodes)

    def _verified(self, cases: Iterator[TestCase]) -> Iterator[TestCase]:
        for case in cases:
            self.tests.keep(case)
            self._note_unseen(case)
            yield case

    # ------------------------------------------------------------------ what it comes to

    @property
    def found(self) -> list[TestCase]:
        return self.tests.cases

    @property
    def predicted(self) -> list[TestCase]:
        return self.tests.predicted

    @property
    def mispredicted(self) -> list[TestCase]:
        return self.tests.mispredicted

    @property
    def _complete(self) -> bool:
        """Was every path within the bounds followed to its end, and nothing approximated?"""
        left_out = (
            self.counters.cuts
            + self.counters.unsupported
            + self.counters.unknown
            + self.counters.dropped
            + self.counters.concretised
            + sum(self.counters.gaps.values())
            + len(self.events)
            + (self.counters.diff_paths if self.options.search.after is After.NEW else 0)
        )
        return self.exhausted and not left_out and self.seeding is None

    def graph_coverage(self) -> dict[str, Json] | None:
        """How much of the change sequence graph tests come by; None before the search begins."""
        if self._covered is None:
            return None
        reached = self._targets.reached
        return self._covered.form(reached, self._complete, bool(self.counters.pruned))

    @property
    def states(self) -> int:
        """All that were made so far, those along examples too."""
        along = self.examples.following.counters.states if self.examples is not None else 0
        return self.counters.states + along

    @property
    def verdict(self) -> str:
        if self.unified is not None and not self.unified.changes:
            return "no-change"
        if self.tests.differing:
            return "different"
        open_ends = len(self.tests.predicted) + self.counters.branch_mismatches
        if self._complete and not open_ends:
            return "equivalent-within-bounds"
        return "no-difference-found"


def _entry(
    old: Sequence[TranslationUnit], new: Sequence[TranslationUnit], asked: str | None
) -> tuple[str, UsageError | None]:
    """The function to start in; and why there is none, which matters only if anything changed."""
    try:
        return shared_entry(old, new, asked), None
    except UsageError as trouble:
        if asked is not None:
            raise
        return "main", trouble


def switches(prepared: Prepared) -> tuple[list[int], Requirements]:
    """The changes that can be switched on, and which others each requires, in hunks."""
    changes = prepared.unified.changes
    requires = {change.id: change.requires for change in changes}
    hunks = {change.id: change.hunk for change in changes}
    return [change.id for change in changes], Requirements(requires, hunks)


def nodes_of(found: State | Arrival) -> list[int]:
    """The nodes of the graph that a path has visited, in order."""
    return [node for node in Chain.items(found.sequence) if isinstance(node, int)]


def _left_out(pair: FilePair, trouble: CsgtestError) -> str:
    file = pair.new or pair.old
    assert file is not None
    return f"{file.shown or file.path} is left out, for nothing of it is needed: {trouble.message}"


def _unending(case: TestCase) -> bool:
    return any(seen is not None and seen.timed_out for seen in (case.old, case.new))


def _uses_unwritten(state: State | Arrival) -> bool:
    """Has one version ended where it used what nobody wrote?"""
    outcomes = (state.old_outcome, state.new_outcome)
    return any(
        outcome is not None
        and isinstance(outcome.ending, MemoryFault)
        and outcome.ending.kind == "uninitialised"
        for outcome in outcomes
    )


def _fault(state: State | Arrival) -> str:
    """The error of memory with which one version ends, and the other one does not."""
    kinds = [
        outcome.ending.kind
        for outcome in (state.old_outcome, state.new_outcome)
        if outcome is not None and isinstance(outcome.ending, MemoryFault)
    ]
    return kinds[0] if len(kinds) == 1 else ""


def _repeats(state: State | Arrival) -> bool:
    """Is it proved that one version never ends, and does the other one?"""
    ends = [each.ending for each in (state.old_outcome, state.new_outcome) if each is not None]
    return len(ends) == 2 and sum(isinstance(each, Endless) for each in ends) == 1


def _divergence(finding: Finding) -> Divergence | None:
    parted = finding.divergence
    if parted is None:
        return None
    return Divergence(parted.kind, parted.location.file, parted.location.line, parted.directions)
