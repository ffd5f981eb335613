"""The search of a campaign: its engine, what its states look for, and where they begin."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from csg.graphs import SequenceGraph
from symexec.counters import Counters
from symexec.executor.engine import Engine
from symexec.exploration.callbacks import functions_of_caller
from symexec.exploration.paths import Exploration, Testing
from symexec.exploration.pinning import Seeding
from symexec.exploration.preparation import Prepared
from symexec.exploration.start import Parked, begin, followed
from symexec.expr import TermTable
from symexec.fuzzing.command_lines import shaped
from symexec.inputs.plan import InputPlan, no_input_left, plan
from symexec.options import After, BuildOptions, Shadow
from symexec.runtime.library import registry
from symexec.search import Budget, Chosen, Context, build_searcher
from symexec.search.strategies import GuardValues
from symexec.search.targets import Sequences, Targets
from symexec.solver import Answer, SolverOptions, build_solver
from symexec.state.inputs import Prefix, Start
from symexec.state.state import State
from symexec.testcases.inputs import Json
from symexec.watchdog import Watchdog

# --------------------------------------------------------------------------------- graph coverage
# Which nodes, edges and sequences of the change sequence graph do tests visit?
#
# coverage.add([4, 7, 4, 9])      a test's path has visited these statements, in this order
# coverage.form(reached, ..)      {"nodes": {"all": 9, "witnessed": ["c1"], ..}, "edges": {..}, ..}
#
# *witnessed*: by the path of a test. *reached*: by a path that became none. Of the rest of an
# exhausted search nothing is *unknown*: no input within the bounds comes there.


Edge = tuple[str, str]


class GraphCoverage:
    """Which parts of the graph tests have visited. ``witnessed`` holds statements, for the
    searcher."""

    def __init__(self, graph: SequenceGraph) -> None:
        self.witnessed: set[int] = set()
        self.graph = graph
        self.changed = frozenset(node.node for node in graph.changes)  # changed statements
        self._edges: set[Edge] = set()
        self._sequences = Sequences()
        self._seen: set[int] = set()

    def add(self, statements: Sequence[int]) -> None:
        """Add the nodes that a test's path has visited. Two in a row witness the edge between them,
        if there is one: behind an output the graph has none."""
        self.witnessed.update(statements)
        self._edges.update(
            edge for edge in pairwise(self.graph.names_of(statements)) if self.graph.has_edge(*edge)
        )
        number = 0
        for statement in statements:
            number = self._sequences.extended(number, statement)
        self._seen.add(number)

    def form(self, reached: Collection[int], exhausted: bool, pruned: bool) -> dict[str, Json]:
        """The part of report.json. ``reached``: the statements that paths have visited;
        ``exhausted``: all paths were followed to their ends; ``pruned``: except for those that
        carry no change and reach none, so that only changes are known to be infeasible. An edge is
        infeasible if one of its nodes is."""
        graph = self.graph
        nodes: dict[str, list[str]] = {
            "witnessed": [],
            "reached": [],
            "infeasible": [],
            "unknown": [],
        }
        for node in graph.records:
            if node.node in self.witnessed:
                kind = "witnessed"
            elif node.node in reached:
                kind = "reached"
            elif exhausted and (node.is_change or not pruned):
                kind = "infeasible"
            else:
                kind = "unknown"
            nodes[kind].append(node.id)
        edges: dict[str, list[list[str]]] = {"witnessed": [], "infeasible": [], "unknown": []}
        nowhere = set(nodes["infeasible"])
        for edge in graph.edges:
            if edge in self._edges:
                kind = "witnessed"
            elif not nowhere.isdisjoint(edge):
                kind = "infeasible"
            else:
                kind = "unknown"
            edges[kind].append(list(edge))
        return {
            "nodes": _counted(nodes),
            "edges": _counted(edges),
            "sequences": len(self._seen - {0}),
        }


def _counted(kinds: dict[str, list[str]] | dict[str, list[list[str]]]) -> dict[str, Json]:
    found: dict[str, Json] = {"all": sum(len(each) for each in kinds.values())}
    for kind, each in kinds.items():
        found[kind] = list(each)
    return found


# -------------------------------------------------------------------------------------- searching
# The search of a campaign: its engine, what its states look for, and where they begin.
#
# search = Search(prepared, options, chosen("guided"), counters, clock, deadline, ..)
# for finding in search.exploration.turns(search.initial, deadline): ...


Clock = Callable[[], float]


def engine_for(
    prepared: Prepared,
    options: BuildOptions,
    counters: Counters,
    targets: Targets,
    limits: SolverOptions,
) -> Engine:
    """An engine for the unified program, which reports to ``targets`` which nodes are visited."""
    engine = Engine(
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
    engine.made_good = prepared.made_good
    for name in functions_of_caller(prepared.program):
        engine.machine.functions[name].of_caller = True
    return engine


class Search:
    """A search. ``initial``: a state for each seed, or for each shape that an input can have.
    ``covered``: what tests have visited; ``ended`` is called with each path that ends."""

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
        covered: GraphCoverage | None = None,
    ) -> None:
        self._prepared = prepared
        self._options = options
        self._asked = asked
        self.covered = covered or GraphCoverage(prepared.graph)
        self.targets = prepared.targets(asked.mode.aim, options.wanted)
        limits = SolverOptions(deterministic=options.search.deterministic)
        self.engine = engine = engine_for(prepared, options, counters, self.targets, limits)
        if not options.search.deterministic:
            engine.solver.deadline = deadline
        if seeding is not None:
            self.initial = seeding.states(engine, prepared, options.inputs)
        else:
            self.initial = self._begun(self.input_plan().starts(engine.table))
            if not self.initial:
                raise no_input_left()
        for state in self.initial:
            state.targets = self.targets.start
        # the initial states once more, for prefixes
        self._starts: list[State] = [state.fork() for state in self.initial]
        self._beyond: list[State] | None = None  # the same beyond the bounds
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
            prunes=prepared.pruner() if options.search.prune and asked.has("pruning") else None,
            on_end=ended,
            clock=clock,
            wider=self._wider if wider else None,
            testing=Testing.of(asked, self.targets, goes_on=seeding is not None),
            rests=asked.has("rest"),
            watchdog=watchdog,
            parked=Parked(self.followed),
            behind=prepared.behind(),
        )

    def _context(self) -> Context:
        prepared, engine = self._prepared, self.engine
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
            unmet=prepared.unmet(engine.covered),
        )

    def _wider(self) -> list[State]:
        """Initial states beyond the bounds."""
        found = self._begun(self.input_plan().longer(self.engine.table))
        for state in found:
            state.targets = self.targets.start
            state.beyond = True
        self._beyond = [state.fork() for state in found]
        return found

    def counts_with(self, counters: Counters) -> None:
        """Count with other counters from here on."""
        self.exploration.counters = self.engine.counters = self.engine.solver.counters = counters

    def followed(self, prefixes: Sequence[Prefix]) -> dict[Prefix, State | None]:
        """The states of those prefixes that fit (``start.followed``)."""
        if self._beyond is None and any(prefix.beyond for prefix in prefixes):
            self._wider()
        begun = {(s.lane, s.beyond): s for s in (*self._starts, *(self._beyond or ()))}
        arrivals = self.targets.arrivals
        found = followed(self.engine, begun, prefixes)
        if arrivals is not None:
            self.targets.arrivals = []  # those on the way are known
        return found

    def begun_again(self, lane: int, beyond: bool) -> State | None:
        """An initial state once more."""
        begun: list[State] = [*self._starts, *(self._beyond or [])]
        for state in begun:
            if (state.lane, state.beyond) == (lane, beyond):
                return state.fork()
        return None

    def input_plan(self) -> InputPlan:
        """The inputs with which the search begins."""
        prepared, inputs = self._prepared, self._options.inputs
        changes = [change.info() for change in prepared.unified.changes]
        lines = shaped(prepared.unified.units, changes, inputs, prepared.guarding)
        found = plan(
            prepared.entry, prepared.symbols, inputs, lines, prepared.asked, prepared.stores
        )
        return replace(found, aliased=self._asked.has("aliases"))

    def _begun(self, starts: Iterator[Start]) -> list[State]:
        initial = [begin(self.engine, start) for start in starts]
        for lane, state in enumerate(initial):
            state.lane = lane
        solver = self.engine.solver
        return [each for each in initial if solver.check(each.path) is not Answer.UNSAT]
