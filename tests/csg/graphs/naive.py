"""The definitions of FSE 2013 written down a second time, the slow way, to hold ours against.

``depends_on_changes`` walks back from one statement, ``important`` compares sets pair by pair,
``published`` is the recursion of Algorithm 1 with its calls remembered, ``ours`` tries every walk
with the whole stack of its calls.
"""

from __future__ import annotations

from csg.analysis import (
    DependenceGraph,
    StatementFlow,
    dependence_graph,
    depends_on_changes,
    statement_flow,
)
from csg.analysis.dependence import changed_initialisers
from csg.graphs import SequenceGraph, build_csg
from csg.ir import Program
from csg.language.syntax import Version
from csg.programs import GraphRules, Interactions

DEEPEST = 7  # calls that a walk of ``ours`` enters within each other
Edges = set[tuple[int, int]]


class Definitions:
    """One program, with what the definitions speak of."""

    def __init__(self, program: Program, deletions: bool = True) -> None:
        self.program = program
        self.graph: DependenceGraph = dependence_graph(program, deletions)
        self.flow: StatementFlow = statement_flow(program, self.graph.calls, deletions)
        self.changed = {
            node.id
            for node in program.nodes
            if node.changes and (deletions or node.version is not Version.OLD)
        }
        self.sets = {node.id: self.depends_on_changes(node.id) for node in program.nodes}
        # A changed statement of C can be several of the program: a type of two objects, a function
        # that each version has to itself. It is one change all the same.
        self.ids = {
            node: frozenset(c for each in found for c in program.nodes[each].changes)
            for node, found in self.sets.items()
        }
        entry = program.functions[program.entry]
        last = entry.blocks[entry.exit].terminator
        assert last is not None
        self.outputs = {node.id for node in program.nodes if node.output} - self.changed
        if program.nodes[last.node].kind == "exit":
            self.outputs |= {last.node} - self.changed
        self.plain = {
            node.id
            for node in program.nodes
            if len(self.ids[node.id]) > 1
            and node.id not in self.changed
            and node.kind not in ("entry", "exit")
        }
        self.initialisers = {node for node, _ in changed_initialisers(program)}

    def depends_on_changes(self, node: int) -> frozenset[int]:
        """The changed statements in the backward slice of a statement."""
        of = self.graph.vertices.node
        seen = {vertex for vertex, statement in enumerate(of) if statement == node}
        work = list(seen)
        while work:
            for source in self.graph.sources(work.pop()) - seen:
                seen.add(source)
                work.append(source)
        return frozenset(self.changed & ({of[vertex] for vertex in seen} | {node}))

    # ---------------------------------------------------------------- Algorithm 1, as printed

    def published(self) -> Edges:
        self._edges: Edges = set()
        self._made: set[tuple[int, int]] = set()
        for change in self.changed:
            self._traverse_change(change, change)
        return self._edges

    def _traverse_change(self, current: int, change: int) -> None:
        if (current, change) in self._made:
            return
        self._made.add((current, change))
        for node in self._directly_following(current):
            if node in self.changed or node in self.outputs:
                self._edges.add((change, node))
            elif node in self.plain:
                for each in self.sets[node]:
                    self._edges.add((each, node))
                self._traverse_change(node, node)
            else:
                self._traverse_change(node, change)

    def _directly_following(self, node: int) -> set[int]:
        flow, parts = self.flow, self.flow.parts
        if node in self.initialisers:
            return self._at(flow.entries[self.program.entry])
        found: set[int] = set()
        calling = any(parts[n].callees for n in flow.of_node.get(node, []))
        for number in flow.of_node.get(node, []):
            for callee in parts[number].callees:
                found |= self._at(flow.entries[callee])
            if number in flow.exits:
                for caller in flow.callers[parts[number].function]:
                    found |= self._behind(parts[caller].node, crossing=True)
        found |= self._behind(node, crossing=not calling)
        return found

    def _behind(self, node: int, crossing: bool) -> set[int]:
        """What follows a statement in its own function, from its first part on if its calls must
        not be crossed, else from any."""
        parts, own = self.flow.parts, self.flow.of_node[node]
        found: set[int] = set()
        seen: set[int] = set()
        work = list(own) if crossing else own[:1]
        while work:
            number = work.pop()
            if number in seen or (parts[number].callees and not crossing):
                continue
            seen.add(number)
            for target in self._parts_at(parts[number].following):
                if parts[target].node == node and target > number:
                    work.append(target)
                else:
                    found.add(parts[target].node)
        return found

    def _parts_at(self, numbers: tuple[int, ...]) -> set[int]:
        """Parts with a statement: these, or what comes after those that have none."""
        found: set[int] = set()
        seen: set[int] = set()
        work = list(numbers)
        while work:
            number = work.pop()
            if number in seen:
                continue
            seen.add(number)
            if self.flow.parts[number].vacant:
                work += self.flow.parts[number].following
            else:
                found.add(number)
        return found

    def _at(self, number: int) -> set[int]:
        return {self.flow.parts[part].node for part in self._parts_at((number,))}

    # ---------------------------------------------------------------- important locations

    def important(self) -> set[int]:
        """Where something comes into a group of statements that depend on each other, to which
        nobody outside hands the whole set."""
        direct = self._direct_sources()
        bringing = set(self.changed)
        while True:
            more = {
                node.id
                for node in self.program.nodes
                if node.kind == "entry"
                and any(self.ids[s] == self.ids[node.id] for s in direct[node.id] & bringing)
            } - bringing
            if not more:
                break
            bringing |= more
        behind: dict[int, set[int]] = {}
        for start in direct:
            seen: set[int] = set()
            work = [start] if start not in bringing else []
            while work:
                for source in direct[work.pop()] - bringing - seen:
                    seen.add(source)
                    work.append(source)
            behind[start] = seen

        def group(node: int) -> set[int]:
            return {node} | {other for other in behind[node] if node in behind[other]}

        found = set()
        for node in self.plain:
            together = group(node)
            comes_in = any(
                s in bringing or (s not in together and self.ids[s]) for s in direct[node]
            )
            handed = any(
                s not in together and s not in bringing and self.ids[s] == self.ids[node]
                for member in together
                for s in direct[member]
            )
            if comes_in and not handed:
                found.add(node)
        return found

    def _direct_sources(self) -> dict[int, set[int]]:
        """Statement -> statements, by walking through what stands for no code."""
        of, nodes = self.graph.vertices.node, self.program.nodes
        hollow = [n < 0 or nodes[n].kind == "exit" for n in of]
        direct: dict[int, set[int]] = {node.id: set() for node in nodes}
        for vertex, node in enumerate(of):
            if hollow[vertex]:
                continue
            seen: set[int] = set()
            work = list(self.graph.sources(vertex))
            while work:
                source = work.pop()
                if source in seen:
                    continue
                seen.add(source)
                if hollow[source]:
                    work += self.graph.sources(source)
                elif of[source] != node:
                    direct[node].add(of[source])
        return direct

    # ---------------------------------------------------------------- Algorithm 1, ours

    def ours(self, locations: set[int]) -> Edges:
        """``locations``: the interaction locations that count; changes, outputs and these are
        stops, the last two where they take effect."""
        late = self.outputs | locations
        edges: Edges = set()
        work = sorted(self.changed)
        done = set(work)
        while work:
            source = work.pop()
            for target in self._next_stops(source, self.changed | late, late):
                edges.add((source, target))
                if target in locations and target not in self.outputs:
                    edges |= {(each, target) for each in self.sets[target]}
                    if target not in done:
                        done.add(target)
                        work.append(target)
        return edges

    def _effective(self, node: int, late: set[int]) -> set[int]:
        parts, own = self.flow.parts, self.flow.of_node.get(node, [])
        if node not in late:
            return set(own)
        ends = {n for n in own if parts[n].ends}
        return ends or {n for n in own if not parts[n].callees} or set(own)

    def _next_stops(self, source: int, stops: set[int], late: set[int]) -> set[int]:
        """``stack``: the calls that the walk has entered. Below them it may be anywhere."""
        flow, parts = self.flow, self.flow.parts
        stopping = {part for node in stops for part in self._effective(node, late)}
        found: set[int] = set()
        seen: set[tuple[int, tuple[int, ...], int]] = set()
        work: list[tuple[int, tuple[int, ...], int]] = []

        def leave(number: int, stack: tuple[int, ...], node: int) -> None:
            part = parts[number]
            if part.callees:
                if len(stack) < DEEPEST:
                    work.extend(
                        (flow.entries[callee], (*stack, number), -1) for callee in part.callees
                    )
                return
            go_on(number, stack, node)

        def go_on(number: int, stack: tuple[int, ...], node: int) -> None:
            for target in parts[number].following:
                work.append((target, stack, node if target > number else -1))
            if number in flow.exits:
                if stack:
                    go_on(stack[-1], stack[:-1], parts[stack[-1]].node)
                else:
                    for caller in flow.callers[parts[number].function]:
                        go_on(caller, (), parts[caller].node)

        if source in self.initialisers:
            work.append((flow.entries[self.program.entry], (), -1))
        began = False  # a location counts after the calls in it, and what they run is no more next
        for number in flow.of_node.get(source, []):
            began = began or number in self._effective(source, late)
            if began:
                leave(number, (), source)
        while work:
            number, stack, before = work.pop()
            part = parts[number]
            continues = part.node == before and not part.vacant
            if continues and part.node == source:
                continue
            if number in stopping and not (continues and part.node not in late):
                found.add(part.node)
                continue
            step = (number, stack, before if part.vacant else part.node)
            if step not in seen:
                seen.add(step)
                leave(number, stack, step[2])
        return found


def agree(program: Program) -> None:
    """Our sets of changes and graphs of a program are those of the definitions: three readings of
    the rules."""
    naive, without = Definitions(program), Definitions(program, deletions=False)
    for each, deletions in ((naive, True), (without, False)):
        sets = depends_on_changes(each.graph, deletions)
        for node in program.nodes:
            assert frozenset(sets.statements_of(node.id)) == each.sets[node.id]
            assert sets.changes_of(node.id) == each.ids[node.id]
    important = naive.important()
    for rules, locations in (
        (GraphRules(), important),
        (GraphRules(Interactions.ALL), naive.plain),
    ):
        graph = build_csg(program, rules)
        edges = naive.ours(locations - naive.outputs)
        assert _statement_edges(graph) == edges
        reached = {target for _, target in edges}
        assert _nodes(graph, "interaction") == (locations - naive.outputs) & reached
        assert _nodes(graph, "output") == naive.outputs & reached
        assert _nodes(graph, "change") | _nodes(graph, "deletion") == naive.changed
        for record in graph.records:
            if not record.is_change:
                assert record.important == (record.node in important)
                assert record.changes == naive.ids[record.node]
    graph = build_csg(program, GraphRules(paper=True))
    assert _statement_edges(graph) == without.published()
    assert _nodes(graph, "deletion") == set()
    assert _nodes(graph, "change") == without.changed
    assert _nodes(graph, "interaction") <= without.plain


def _statement_edges(graph: SequenceGraph) -> Edges:
    return {(graph.record(a).node, graph.record(b).node) for a, b in graph.edges}


def _nodes(graph: SequenceGraph, kind: str) -> set[int]:
    return {node.node for node in graph.records if node.kind == kind}
