"""The main job: search for inputs on which two versions differ, and prove each natively.

    job = BuildJob(options)
    for case in job.cases(progress):     # a test, and again when its replay is known
        ...
    job.verdict, job.counters, job.events

Whoever runs the job decides what to do with the tests (``report.session`` keeps them on disk).
"""

from __future__ import annotations

import time
from collections.abc import Iterator


from csg.analysis import Distances
from csg.errors import UsageError
from csg.ir import Program
from csg.pipeline import graph_of, program_of
from csg.versions import Unified, printed, unify
from symexec.campaign.exploration import Exploration, Finding
from symexec.campaign.preparation import Prepared, pruner
from symexec.campaign.reading import read_pair
from symexec.campaign.start import begin, definition, differing_memory
from symexec.campaign.verification import Verifier
from symexec.counters import Counters
from symexec.environment import library
from symexec.environment.inputs import decode
from symexec.environment.plan import plan
from symexec.environment.registry import registry
from symexec.executor.engine import Engine
from symexec.expr import TermTable
from symexec.options import After, BuildOptions
from symexec.progress import Progress
from symexec.replay import NativeReplay, ReplayPlan
from symexec.search import build_searcher
from symexec.solver import Answer, build_solver
from symexec.state.state import Chain, Event, State
from symexec.testcases import (
    Divergence,
    EntrySignature,
    TestCase,
    TestInput,
    input_from_json,
    signature_of,
)

GRACE = 1.0  # seconds that replays may take beyond the time of the search


class BuildJob:
    """``prepare`` parses and unites; ``cases`` searches. Both raise CsgtestError."""

    def __init__(self, options: BuildOptions) -> None:
        self.options = options
        self.counters = Counters()
        self.started = time.monotonic()
        self.events: dict[Event, int] = {}
        self.exhausted = False
        self.prepared: Prepared | None = None
        self.replay: NativeReplay | None = None
        self.unified: Unified | None = None
        self.unified_text = ""
        self.signature: EntrySignature | None = None
        self._cases: dict[str, TestCase] = {}
        self._inputs: dict[TestInput, str] = {}
        self._seen: dict[tuple[object, ...], int] = {}
        self._predicted: set[str] = set()

    # ------------------------------------------------------------------ preparation

    def prepare(self) -> None:
        """Read both versions; start their native builds; build the program and its graph."""
        options = self.options
        old, new = read_pair(options.old, options.new, options.flags)
        self.unified = unify(old, new)
        if not self.unified.changes:
            return
        program = program_of(self.unified, options.inputs.entry)
        self.replay = self._native(self.unified, program)
        library.complete(program)
        graph = graph_of(program)
        self.prepared = Prepared(self.unified, program, graph, Distances(program))

    def _native(self, unified: Unified, program: Program) -> NativeReplay:
        entry = definition(unified.unit, program.entry)
        symbols = [
            declaration.symbol
            for declaration in unified.unit.declarations
            if declaration.symbol.name in self.options.inputs.symbolic_globals
        ]
        self.signature = None if program.entry == "main" else signature_of(entry, symbols)
        self.unified_text = printed(unified, ids=True)
        plan_of_runs = ReplayPlan(
            old=(self.options.old,),
            new=(self.options.new,),
            old_flags=self.options.flags,
            new_flags=self.options.flags,
            unified=self.unified_text,
            signature=self.signature,
            name=self.options.new.stem,
        )
        replay = NativeReplay(plan_of_runs)
        replay.prepare("mask")
        return replay

    def close(self) -> None:
        if self.replay is not None:
            self.replay.close()

    # ------------------------------------------------------------------ the search

    def cases(self, progress: Progress) -> Iterator[TestCase]:
        """Tests as they are found, and again as they are verified."""
        prepared, replay = self.prepared, self.replay
        if prepared is None or replay is None:
            return
        deadline = self.started + self.options.search.time
        changes = [change.id for change in prepared.unified.changes]
        requires = {change.id: change.requires for change in prepared.unified.changes}
        verifier = Verifier(replay, changes, requires, deadline + GRACE)
        try:
            exploration, initial = self._exploration(prepared)
            for finding in exploration.run(initial, deadline):
                yield from self._found(finding, prepared, verifier)
                yield from self._verified(verifier.finished())
                self._tell(progress, prepared, exploration, deadline)
            self.exhausted = exploration.exhausted
            yield from self._verified(verifier.drain())
        finally:
            self.counters.wall_s = time.monotonic() - self.started
            verifier.close()

    def _exploration(self, prepared: Prepared) -> tuple[Exploration, list[State]]:
        options = self.options
        table = TermTable()
        targets = prepared.targets(options.search.mode.value)
        engine = Engine(
            prepared.program,
            registry(),
            build_solver(options.search.solver.value, counters=self.counters),
            table,
            self.counters,
            prepared.watched(),
            targets.visit,
            after_new=options.search.after is After.NEW,
            loop_bound=options.search.loop_bound,
        )
        self._targets = targets
        symbols = [declaration.symbol for declaration in prepared.unit.declarations]
        planned = plan(prepared.entry, symbols, options.inputs)
        initial = [begin(engine, start) for start in planned.starts(table)]
        for state in initial:
            state.targets = targets.start
        possible = [s for s in initial if engine.solver.check(s.path) is not Answer.UNSAT]
        if not possible:
            raise UsageError(
                "the ranges and assumptions exclude every input",
                hint="they contradict each other: leave one of them out",
            )
        searcher = build_searcher(options.search.mode.value, options.search.seed, targets.rank)
        exploration = Exploration(
            engine,
            searcher,
            self.counters,
            compares=True,
            main=prepared.program.entry == "main",
            watched_memory=differing_memory,
            prunes=pruner(prepared),
            on_end=self._ended,
        )
        return exploration, possible

    def _tell(
        self, progress: Progress, prepared: Prepared, exploration: Exploration, deadline: float
    ) -> None:
        progress.update(
            paths=self.counters.paths,
            divergences=self.counters.diff_paths,
            reached=len(self._targets.reached),
            targets=len(prepared.graph.nodes),
            left=deadline - time.monotonic(),
        )

    def _ended(self, state: State) -> None:
        """Remember what a path owes the report's reader."""
        for event in Chain.items(state.events):
            assert isinstance(event, Event)
            self.events[event] = self.events.get(event, 0) + 1

    # ------------------------------------------------------------------ tests

    def _found(
        self, finding: Finding, prepared: Prepared, verifier: Verifier
    ) -> Iterator[TestCase]:
        test = input_from_json(decode(finding.state.inputs, finding.model))
        if test in self._inputs:
            return
        number = len(self._inputs) + 1
        case = TestCase(
            id=f"t{number:04d}",
            input=test,
            sequence=self._sequence(finding.state, prepared),
            divergence=_divergence(finding),
            found_s=time.monotonic() - self.started,
            source=self.options.search.mode.value,
        )
        self._inputs[test] = case.id
        self._cases[case.id] = case
        kind = (case.divergence, finding.told, case.sequence)
        self._seen[kind] = self._seen.get(kind, 0) + 1
        if finding.told:
            self._predicted.add(case.id)
        yield case
        verifier.submit(case, (self._seen[kind], 0 if finding.told else 1))

    def _sequence(self, state: State, prepared: Prepared) -> tuple[str, ...]:
        by_node = prepared.graph.by_node
        return tuple(by_node[node].id for node in Chain.items(state.sequence))  # type: ignore[index]

    def _verified(self, cases: Iterator[TestCase]) -> Iterator[TestCase]:
        for case in cases:
            self._cases[case.id] = case
            yield case

    def replace_case(self, case: TestCase) -> None:
        self._cases[case.id] = case

    # ------------------------------------------------------------------ what it comes to

    @property
    def found(self) -> list[TestCase]:
        return list(self._cases.values())

    @property
    def mispredicted(self) -> list[TestCase]:
        """Tests that were to differ and did not: a defect of ours, or of the model."""
        return [
            self._cases[name]
            for name in sorted(self._predicted)
            if self._cases[name].observed == "same"
        ]

    @property
    def verdict(self) -> str:
        if self.unified is not None and not self.unified.changes:
            return "no-change"
        if any(case.observed == "different" for case in self._cases.values()):
            return "different"
        open_ends = (
            self.counters.cuts
            + self.counters.unknown
            + self.counters.concretised
            + sum(self.counters.gaps.values())
            + len(self.events)
            + len(self._predicted)
        )
        if self.exhausted and not open_ends:
            return "equivalent-within-bounds"
        return "no-difference-found"


def _divergence(finding: Finding) -> Divergence | None:
    parted = finding.divergence
    if parted is None:
        return None
    return Divergence(
        parted.kind, parted.location.file, parted.location.line, parted.directions
    )


