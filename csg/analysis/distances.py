"""How far it is from any block to a statement, in instructions, calls included.

    b0: call g          from b0 the return of f is 1 + the way through g + the rest away,
    b1: return          a statement in g is 1 + its way from g's entry away

A call is either passed (at the price of the shortest way through the callee) or entered for good:
what lies behind the return of the present function is not counted, since where that is depends on
the caller. A search adds ``to_return`` of the frames in between. networkx finds the shortest ways,
from the goal backwards.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from csg.analysis.call_graph import CallGraph, call_graph
from csg.analysis.constraints import points_to
from csg.analysis.flow import successors
from csg.ir import Block, Call, Program

if TYPE_CHECKING:
    import networkx

    SpotGraph = networkx.DiGraph[int]

Spot = tuple[str, int]  # function, block
GOAL = -1  # a vertex behind all blocks from which a way is looked for


@dataclass(slots=True)
class _Span:
    """A block and the calls in it, each as (number of instructions before it, callees, can it also
    be passed without entering any of them?)."""

    spot: Spot
    length: int
    calls: list[tuple[int, tuple[str, ...], bool]] = field(default_factory=list)


class Distances:
    """Distances to statements of a program, in instructions. A target is computed once, by one walk
    backwards, and then cached."""

    def __init__(self, program: Program, calls: CallGraph | None = None) -> None:
        self.program = program
        self._calls = calls or call_graph(program, points_to(program))
        self._spans: list[_Span] = []
        self._numbers: dict[Spot, int] = {}
        self._following: list[list[int]] = []
        self._known: dict[int, dict[Spot, int]] = {}
        for name, function in program.functions.items():
            for block in function.blocks:
                self._numbers[name, block.index] = len(self._spans)
                self._spans.append(self._span(name, block))
        for name, function in program.functions.items():
            for block in function.blocks:
                self._following.append([self._numbers[name, b] for b in successors(block)])
        self._through: dict[str, int] = {}  # function -> length of the shortest way through it
        self.to_return: dict[Spot, int] = {}
        self._solve_returns()
        self._before = self._backward_steps()
        self._blocks_of_node = self._places()

    def to(self, node: int) -> dict[Spot, int]:
        """The distance to a statement from the start of each block. Blocks from which it cannot be
        reached without returning from the function are missing."""
        if node not in self._known:
            starts: dict[int, int] = {}
            for number, index in self._blocks_of_node.get(node, ()):
                reached = self._offset(self._spans[number], index)
                if reached is not None:
                    starts[number] = min(reached, starts.get(number, reached))
            self._known[node] = self._from(starts)
        return self._known[node]

    def passed(self, function: str) -> int | None:
        """The length of the shortest way through a function; None when it does not return."""
        return self._through.get(function)

    # ---------------------------------------------------------------- preparation

    def _span(self, name: str, block: Block) -> _Span:
        span = _Span((name, block.index), len(block.instructions) + 1)
        for index, instruction in enumerate(block.instructions):
            if type(instruction) is Call:
                place = (name, block.index, index)
                callees = self._calls.callees.get(place, ())
                passes = bool(self._calls.external.get(place)) or not callees
                if callees or instruction.noreturn:
                    span.calls.append((index, callees, passes and not instruction.noreturn))
        return span

    def _offset(self, span: _Span, index: int) -> int | None:
        """The distance from the start of a block to its instruction ``index``; None where a call
        before it never returns."""
        total = index
        for before, callees, passes in span.calls:
            if before >= index:
                break
            ways = [self._through[callee] for callee in callees if callee in self._through]
            if passes:
                ways.append(0)
            if not ways:
                return None
            total += min(ways)
        return total

    def _solve_returns(self) -> None:
        """Compute the shortest ways to the return, callees first; recursive functions are computed
        again until no way gets shorter."""
        for group in self._calls.order:
            shorter = True
            while shorter:
                shorter = False
                for name in group:
                    found = self._returns_of(name)
                    entry = found.get((name, 0))
                    if entry is not None and entry != self._through.get(name):
                        self._through[name] = entry
                        shorter = True
                    self.to_return.update(found)

    def _returns_of(self, name: str) -> dict[Spot, int]:
        import networkx

        function = self.program.functions[name]
        before: SpotGraph = networkx.DiGraph()
        for block in function.blocks:
            self._add_steps(before, self._numbers[name, block.index])
        last = self._numbers[name, function.exit]
        end = self._offset(self._spans[last], self._spans[last].length)
        return self._shortest(before, {last: end} if end is not None else {})

    def _add_steps(self, before: SpotGraph, number: int) -> None:
        """Add an edge from each block that follows ``number`` back to it; its width is the length
        of the block with its calls."""
        before.add_node(number)
        width = self._offset(self._spans[number], self._spans[number].length)
        if width is not None:
            for target in self._following[number]:
                before.add_edge(target, number, width=width)

    def _backward_steps(self) -> SpotGraph:
        import networkx

        before: SpotGraph = networkx.DiGraph()
        for number, span in enumerate(self._spans):
            self._add_steps(before, number)
            for index, callees, _ in span.calls:
                reached = self._offset(span, index)
                if reached is not None:
                    for callee in callees:
                        entry = self._numbers[callee, 0]
                        known = before.get_edge_data(entry, number, {}).get("width", reached + 1)
                        before.add_edge(entry, number, width=min(known, reached + 1))
        return before

    def _places(self) -> dict[int, list[tuple[int, int]]]:
        """Per statement, the blocks that it stands in, each with the index of its first instruction
        there."""
        found: dict[int, dict[int, int]] = {}
        for name, function in self.program.functions.items():
            for block in function.blocks:
                number = self._numbers[name, block.index]
                for index, instruction in enumerate(block.instructions):
                    found.setdefault(instruction.node, {}).setdefault(number, index)
                assert block.terminator is not None
                end = len(block.instructions)
                found.setdefault(block.terminator.node, {}).setdefault(number, end)
        return {node: sorted(places.items()) for node, places in found.items()}

    def _from(self, starts: dict[int, int]) -> dict[Spot, int]:
        return self._shortest(self._before, starts)

    def _shortest(self, before: SpotGraph, starts: dict[int, int]) -> dict[Spot, int]:
        """The distance from each block to ``GOAL``; ``starts`` gives the distance to ``GOAL`` for
        the blocks where the walk begins."""

        import networkx

        before.add_node(GOAL)
        before.add_edges_from((GOAL, number, {"width": far}) for number, far in starts.items())
        found = networkx.single_source_dijkstra_path_length(before, GOAL, weight="width")
        before.remove_node(GOAL)
        return {self._spans[n].spot: int(far) for n, far in found.items() if n != GOAL}

    def nearest(self, spots: Iterable[Spot]) -> dict[Spot, int]:
        """The distance to the start of the nearest of ``spots``, from the start of each block that
        can reach one without returning."""
        return self._from({self._numbers[spot]: 0 for spot in spots})

    def reaching(self, nodes: list[int]) -> frozenset[Spot]:
        """The blocks from whose start one of the statements can be reached without returning."""
        starts = {
            number: 0
            for node in nodes
            for number, index in self._blocks_of_node.get(node, ())
            if self._offset(self._spans[number], index) is not None
        }
        return frozenset(self._from(starts))


def changes_reachable(
    program: Program, distances: Distances | None = None, statements: list[int] | None = None
) -> frozenset[Spot]:
    """The (function, block) pairs from whose start a changed statement (or one of ``statements``)
    can still be reached before the function returns. A search drops states that can reach none,
    their callers' blocks included."""
    if statements is None:
        statements = [node.id for node in program.nodes if node.changes]
    return (distances or Distances(program)).reaching(statements)
