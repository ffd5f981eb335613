"""Two versions as one: what a search needs is the program, its graph, and where to begin.

prepared.program, prepared.graph, prepared.targets(Aim.SEQUENCES)
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

import networkx

from csg.analysis import (
    DependenceGraph,
    Distances,
    Guard,
    changes_reachable,
)
from csg.graphs import SequenceGraph
from csg.graphs.program_graphs import control_graph
from csg.ir import Call, FunctionCode, Program
from csg.ir.flow import successors
from csg.language.syntax import FunctionDefinition, Symbol, TranslationUnit
from symexec.campaign.caller import Caller
from symexec.campaign.lasting import NOTHING_OUTLIVES, Outliving
from symexec.campaign.start import definition
from symexec.environment.far_jumps import SETTERS
from symexec.environment.structures import compared_with_null
from symexec.fuzzing.option_table import option_table
from symexec.fuzzing.usage import Usage, usage_of
from symexec.fuzzing.vocabulary import Vocabulary, vocabulary
from symexec.memory import BOTH
from symexec.search.coverage import Frontier
from symexec.search.registry import Aim
from symexec.search.targets import Targets
from symexec.state.state import State

if TYPE_CHECKING:
    from csg.versions import Unified

    Graph = networkx.DiGraph[int]

Places = dict[str, dict[tuple[int, int], int]]


@dataclass(frozen=True, slots=True)
class Prepared:
    unified: Unified
    program: Program
    graph: SequenceGraph
    dependences: DependenceGraph
    distances: Distances
    guards: tuple[Guard, ...] = ()
    guarding: frozenset[str] = frozenset()  # names of what guards the changes
    outliving: Outliving = NOTHING_OUTLIVES

    @property
    def symbols(self) -> list[Symbol]:
        """What the files of the program declare."""
        return [each.symbol for unit in self.unified.units for each in unit.declarations]

    @property
    def telling_units(self) -> list[TranslationUnit]:
        """The files whose text says what inputs are worth trying: those that differ, and the one
        with the entry function."""
        units = self.unified.units
        name = self.program.entry
        return [
            unit
            for unit in units
            if unit is units[0] or any(each.symbol.name == name for each in unit.functions)
        ]

    def spoken(self) -> tuple[Vocabulary, Usage]:
        """What the text of these files says that inputs are made of, and how a command line reads;
        the options near a change first."""
        changes = [change.info() for change in self.unified.changes]
        units = self.telling_units
        options = option_table(self.unified.units, changes, self.guarding)
        words = vocabulary(*units).led_by([each.name for each in options])
        return words, usage_of(units, options, changes)

    @property
    def entry(self) -> FunctionDefinition:
        return definition(self.unified.units, self.program.entry)

    @property
    def asked(self) -> frozenset[str]:
        """The pointer parameters that a version compares with null."""
        return asked_for_null(self.unified, self.entry)

    @property
    def asks_for_inputs(self) -> bool:
        """Does the program do so while it runs?"""
        return any(name.startswith(("klee_", "__VERIFIER_")) for name in self.program.undefined)

    @property
    def caller(self) -> Caller:
        return Caller.of(self.entry, self.outliving.objects)

    def targets(self, aim: Aim) -> Targets:
        """What states look for: the graph from its start nodes, or a flat set."""
        graph = self.graph
        outputs = frozenset(
            node.node for node in graph.records if node.output or node.kind == "output"
        )
        changes = frozenset(node.node for node in graph.changes)
        following: Mapping[int, frozenset[int]] | None = None
        match aim:
            case Aim.SEQUENCES:
                following = {
                    node.node: frozenset(
                        graph.record(name).node for name in graph.successors(node.id)
                    )
                    for node in graph.records
                }
                start = frozenset(graph.record(name).node for name in graph.start)
            case Aim.FLAT:
                start = outputs | deepest_changes(changes, control_graph(self.dependences))
            case Aim.NOTHING:
                start = frozenset()
            case _:
                assert_never(aim)
        return Targets(start, following, outputs, self.distances, changes)

    def frontier(self, covered: Collection[tuple[str, int]]) -> Frontier:
        """Towards code of the program's own that no path has ``covered``."""
        wanted = {
            (name, block.index)
            for name, function in self.program.functions.items()
            if not function.library
            for block in function.blocks
        }
        return Frontier(wanted, covered, lambda: self.distances)

    def watched(self) -> Places:
        """Where the graph's nodes begin: function -> (block, index) -> node."""
        return beginnings(self.program, frozenset(node.node for node in self.graph.records))


def asked_for_null(unified: Unified, entry: FunctionDefinition) -> frozenset[str]:
    """Both versions' parameters, by their names in the united program."""
    name = entry.symbol.name
    places: set[int] = set()
    for unit in (unified.old, unified.new):
        for each in (unit, *unified.shared):
            for function in each.functions:
                if function.symbol.name == name:
                    places |= compared_with_null(function)
    return frozenset(entry.parameters[at].name for at in places if at < len(entry.parameters))


def deepest_changes(changes: Collection[int], control: Graph) -> frozenset[int]:
    """The flat targets of isolated search, outputs aside (FSE 2013, section 7: "such statements
    that have the greatest depth in the chain of control-dependencies").

        if (a)              # changed; the next is control-dependent on it
            while (b)       # changed, and the deepest of its chain: to cover it covers both
                work();

    Every chain has its own deepest statement: a changed statement on which no other changed one is
    transitively control-dependent. Statements that depend on each other in a loop are equally deep.
    ``control`` has an edge from each statement to those that are control-dependent on it."""
    chains = networkx.condensation(control)
    above: set[int] = set()  # parts that control a changed statement of another part
    for part in reversed(list(networkx.topological_sort(chains))):
        if part in above or not chains.nodes[part]["members"].isdisjoint(changes):
            above.update(chains.predecessors(part))
    part_of = chains.graph["mapping"]
    return frozenset(change for change in changes if part_of[change] not in above)


def beginnings(program: Program, nodes: frozenset[int]) -> Places:
    """A statement begins where control comes to its first instruction from another statement."""
    places: Places = {}
    for name, function in program.functions.items():
        found: dict[tuple[int, int], int] = {}
        last = {}
        for block in function.blocks:
            assert block.terminator is not None
            last[block.index] = block.terminator.node
        before: dict[int, set[int]] = {}
        for block in function.blocks:
            assert block.terminator is not None
            for target in successors(block.terminator):
                before.setdefault(target, set()).add(last[block.index])
        for block in function.blocks:
            assert block.terminator is not None
            steps = [*block.instructions, block.terminator]
            for index, step in enumerate(steps):
                if step.node not in nodes:
                    continue
                earlier = before.get(block.index, set()) if index == 0 else {steps[index - 1].node}
                if earlier != {step.node}:
                    found[block.index, index] = step.node
        if found:
            places[name] = found
    return places


def pruner(prepared: Prepared) -> Callable[[State], bool]:
    """Drop a state that carries no change and cannot reach one any more."""
    reachable = changes_reachable(prepared.program, prepared.distances)
    again = {name for name, code in prepared.program.functions.items() if _calls_setjmp(code)}

    def hopeless(state: State) -> bool:
        if state.shadows or state.mode != BOTH:
            return False
        frame = state.frame
        while frame is not None:
            if (frame.function.name, frame.block) in reachable or frame.function.name in again:
                return False
            frame = frame.caller
        return True

    return hopeless


def _calls_setjmp(code: FunctionCode) -> bool:
    """Then control can come back to it from any call."""
    return any(
        isinstance(step, Call) and step.callee in SETTERS
        for block in code.blocks
        for step in block.instructions
    )
