"""The search of a campaign: its engine, what its states look for, and where they begin.

search = Search(prepared, options, chosen("guided"), counters, clock, deadline, ..)
for finding in search.exploration.turns(search.initial, deadline): ...
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from symexec.campaign.exploration import Exploration, Testing
from symexec.campaign.graph_coverage import GraphCoverage
from symexec.campaign.preparation import Prepared, pruner
from symexec.campaign.seeding import Seeding
from symexec.campaign.start import begin
from symexec.counters import Counters
from symexec.environment.plan import InputPlan, no_input_left, plan
from symexec.environment.registry import registry
from symexec.environment.starts import Start
from symexec.executor.engine import Engine
from symexec.expr import TermTable
from symexec.fuzzing.lines import shaped
from symexec.options import After, BuildOptions, Shadow
from symexec.search import Budget, Chosen, Context, build_searcher
from symexec.search.guard_values import GuardValues
from symexec.search.targets import Targets
from symexec.solver import Answer, SolverOptions, build_solver
from symexec.state.state import State
from symexec.watchdog import Watchdog

Clock = Callable[[], float]


def engine_for(
    prepared: Prepared,
    options: BuildOptions,
    counters: Counters,
    targets: Targets,
    limits: SolverOptions,
) -> Engine:
    """What runs the united program, and tells the targets what is visited."""
    return Engine(
        prepared.program,
        registry(),
        build_solver(options.search.solver.value, limits, counters),
        TermTable(),
        counters,
        prepared.watched(),
        targets.visit,
        after_new=options.search.after is After.NEW,
        loop_bound=options.search.loop_bound,
        memory=options.memory,
    )


class Search:
    """``initial``: a state for each seed, or for each shape that an input can have. ``covered`` is
    what tests come by; ``ended`` is told of each path."""

    def __init__(
        self,
        prepared: Prepared,
        options: BuildOptions,
        asked: Chosen,
        counters: Counters,
        clock: Clock,
        deadline: float,
        seeding: Seeding | None,
        watchdog: Watchdog,
        ended: Callable[[State], None],
    ) -> None:
        self._prepared = prepared
        self._options = options
        self.covered = GraphCoverage(prepared.graph)
        self.targets = prepared.targets(asked.mode.aim)
        limits = SolverOptions(deterministic=options.search.deterministic)
        self._engine = engine = engine_for(prepared, options, counters, self.targets, limits)
        if not options.search.deterministic:
            engine.solver.deadline = deadline
        if seeding is not None:
            self.initial = seeding.states(engine, prepared, options.inputs)
        else:
            self.initial = self._begun(self._plan().starts(engine.table))
            if not self.initial:
                raise no_input_left()
        for state in self.initial:
            state.targets = self.targets.start
        budget = None
        if seeding is not None and options.shadow.mode is not Shadow.JPF:
            # In two phases: along the seeds, then from each divergence.
            budget = Budget(clock(), deadline, options.shadow.bse_time, clock)
        wider = asked.has("bounds") and seeding is None
        self.exploration = Exploration(
            engine,
            build_searcher(asked, self._context(), budget),
            counters,
            caller=prepared.caller,
            prunes=pruner(prepared) if options.search.prune and asked.has("pruning") else None,
            on_end=ended,
            clock=clock,
            wider=self._wider if wider else None,
            testing=Testing.of(asked, self.targets, goes_on=seeding is not None),
            rests=asked.has("rest"),
            watchdog=watchdog,
        )

    def _context(self) -> Context:
        prepared, engine = self._prepared, self._engine
        before, behind = (
            GuardValues(
                [each for each in prepared.guards if each.behind == kind], engine.machine.addresses
            )
            for kind in (False, True)
        )
        return Context(
            self._options.search.seed,
            self.targets.rank,
            self.targets.distance,
            self.covered.witnessed,
            guards=before.of if before else None,
            masks=behind.of if behind else None,
            frontier=lambda: prepared.frontier(engine.covered),
        )

    def _wider(self) -> list[State]:
        """Beginnings beyond the bounds."""
        found = self._begun(self._plan().longer(self._engine.table))
        for state in found:
            state.targets = self.targets.start
            state.beyond = True
        return found

    def _plan(self) -> InputPlan:
        prepared, inputs = self._prepared, self._options.inputs
        changes = [change.info() for change in prepared.unified.changes]
        lines = shaped(prepared.unified.units, changes, inputs, prepared.guarding)
        return plan(prepared.entry, prepared.symbols, inputs, lines, prepared.asked)

    def _begun(self, starts: Iterator[Start]) -> list[State]:
        initial = [begin(self._engine, start) for start in starts]
        for lane, state in enumerate(initial):
            state.lane = lane
        solver = self._engine.solver
        return [each for each in initial if solver.check(each.path) is not Answer.UNSAT]
