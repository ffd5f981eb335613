"""Two versions as one: what a search needs is the program, its graph, and where to begin.

prepared.program, prepared.graph, prepared.targets("guided")
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from csg.analysis import Distances, Guard, changes_reachable
from csg.graphs import SequenceGraph
from csg.ir import Call, FunctionCode, Program
from csg.ir.flow import successors
from csg.language.syntax import FunctionDefinition, Symbol, TranslationUnit
from symexec.campaign.caller import Caller
from symexec.campaign.start import definition
from symexec.environment.far_jumps import SETTERS
from symexec.environment.structures import compared_with_null
from symexec.memory import BOTH
from symexec.search.targets import Targets
from symexec.state.state import State

if TYPE_CHECKING:
    from csg.versions import Unified

Places = dict[str, dict[tuple[int, int], int]]


@dataclass(frozen=True, slots=True)
class Prepared:
    unified: Unified
    program: Program
    graph: SequenceGraph
    distances: Distances
    guards: tuple[Guard, ...] = ()
    guarding: frozenset[str] = frozenset()  # names of what guards the changes

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

    @property
    def entry(self) -> FunctionDefinition:
        return definition(self.unified.units, self.program.entry)

    @property
    def asked(self) -> frozenset[str]:
        """The pointer parameters that a version compares with null."""
        return asked_for_null(self.unified, self.entry)

    @property
    def caller(self) -> Caller:
        return Caller.of(self.entry)

    def targets(self, mode: str) -> Targets:
        """What states look for: the graph from its start nodes, or a flat set."""
        graph = self.graph
        outputs = frozenset(
            node.node for node in graph.records if node.output or node.kind == "output"
        )
        if mode == "guided":
            following: Mapping[int, frozenset[int]] | None = {
                node.node: frozenset(graph.record(name).node for name in graph.successors(node.id))
                for node in graph.records
            }
            start = frozenset(graph.record(name).node for name in graph.start)
        else:
            following = None
            start = outputs | frozenset(deepest_changes(graph))
        return Targets(start, following, outputs, self.distances)

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


def deepest_changes(graph: SequenceGraph) -> list[int]:
    """Changed statements that no other change follows: the flat targets of isolated search."""
    changes = {node.id for node in graph.changes}
    deepest = []
    for node in graph.changes:
        following = set(graph.successors(node.id)) & changes - {node.id}
        if not following:
            deepest.append(node.node)
    return deepest or [node.node for node in graph.changes]


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
