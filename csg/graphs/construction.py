"""Algorithm 1 of FSE 2013: build the change sequence graph of a program.

    for every change c: walk the control flow from c; at each statement s that follows
        a change or an output:        edge source -> s, and the walk ends there
        an interaction location:      edges from every change it depends on, s is the new source
        anything else:                walk on with the same source

The paper's recursion does not return from a loop; here every statement is the source of one walk
only (``StopWalk``), which visits each place once. Other differences: calls are followed,
deleted statements have nodes of their own (unless switched off), and when changes lie in a loop
that starts with none of them, those that a run meets first are start nodes. A walk that comes to an
interaction location always leaves an edge from its source: in the paper, a source that the location
does not depend on (or another location) would be left without a successor there. The algorithm
without all of this is ``traversed``.

From a statement, a walk yields the stops that a run may come to next:

    1  a = change(x, 1);      stops: 1, 4, 6      1 leads to 4 and, around it, to 6
    2  if (a)
    3      log(a);            passed if some way through log has no stop
    4      b = change(y, 2);
    6  return b;

Calls are followed as runs follow them: into a callee, and past the call when the callee can be run
from entry to return without a stop. A walk that begins inside a function leaves it to all callers;
one that entered a function from a call does not come out at another call.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import networkx

from csg.analysis import (
    ChangeSets,
    DependenceGraph,
    StatementFlow,
    dependence_graph,
    depends_on_changes,
    statement_flow,
)
from csg.analysis.dependence import changed_initialisers
from csg.graphs.interactions import Interaction, find_interactions
from csg.graphs.program_graphs import StatementGraph, interprocedural
from csg.graphs.sequence_graph import (
    NodeKind,
    SequenceGraph,
    SequenceNode,
    make_graph,
)
from csg.ir import Node, Program
from csg.ir.program import StatementKind
from csg.language.syntax import Version
from csg.programs import OURS, GraphRules, Interactions

if TYPE_CHECKING:
    from csg.graphs.program_graphs import StatementGraph


# number of a part; was it entered by a call of this walk; the statement left (-1: none yet)
_Step = tuple[int, bool, int]


@dataclass(slots=True)
class StopWalk:
    """Finds the statements at which a walk ends. ``stops`` are these statements. A change counts
    where its statement begins. Statements in ``late`` count where they take effect: one that can
    end the program where it does so (an ``assert`` that holds is no stop), others after the calls
    in them (``printf`` of a call's result)."""

    flow: StatementFlow
    stops: frozenset[int]
    late: frozenset[int]
    _stopping: bytearray = field(init=False)
    _transparent: dict[str, bool] = field(init=False)

    def __post_init__(self) -> None:
        self._stopping = bytearray(len(self.flow.parts))
        for node in self.stops:
            for part in self._effective(node):
                self._stopping[part] = 1
        self._transparent = dict.fromkeys(self.flow.entries, False)
        changed = True
        while changed:
            changed = False
            for name, entry in self.flow.entries.items():
                if not self._transparent[name] and self._can_be_crossed(entry):
                    self._transparent[name] = changed = True

    def _effective(self, node: int) -> list[int]:
        numbers, parts = self.flow.of_node.get(node, []), self.flow.parts
        if node not in self.late:
            return numbers
        ending = [n for n in numbers if parts[n].ends]
        return ending or [n for n in numbers if not parts[n].callees] or numbers

    def is_stop(self, part: int) -> bool:
        return bool(self._stopping[part])

    def from_statement(self, node: int) -> set[int]:
        """The stops that may come next in a run after the statement ``node`` has counted."""
        starts: list[_Step] = []
        numbers = self.flow.of_node.get(node, [])
        first = min(self._effective(node), default=0)  # its parts are numbered as they are run
        for number in [each for each in numbers if each >= first]:
            starts += self._steps_after(number, False, node)
        return self._walk(starts, node)

    def from_entry(self, function: str, passing: frozenset[int] = frozenset()) -> set[int]:
        """The stops that a run may meet first from the entry of ``function``; a walk goes on past
        those in ``passing``."""
        if function not in self.flow.entries:
            return set()
        return self._walk([(self.flow.entries[function], False, -1)], -1, passing)

    def _walk(
        self, work: list[_Step], source: int, passing: frozenset[int] = frozenset()
    ) -> set[int]:
        found: set[int] = set()
        seen: set[_Step] = set()
        while work:
            number, inside, before = work.pop()
            part = self.flow.parts[number]
            continues = part.node == before and not part.vacant
            if continues and part.node == source:
                continue  # the walk began after each part of the source
            if self._stopping[number] and not (continues and part.node not in self.late):
                found.add(part.node)
                if part.node not in passing:
                    continue
            step = (number, inside, before if part.vacant else part.node)
            if step not in seen:
                seen.add(step)
                work += self._steps_after(*step)
        return found

    def _steps_after(self, number: int, inside: bool, node: int) -> list[_Step]:
        """The steps that follow a part; ``node`` is the statement that is being left."""
        part = self.flow.parts[number]
        found: list[_Step] = [(self.flow.entries[callee], True, -1) for callee in part.callees]
        if not part.callees or any(self._transparent[callee] for callee in part.callees):
            # Parts are numbered in the order in which they run, so a step back is a loop: the
            # statement begins again.
            found += [(t, inside, node if t > number else -1) for t in part.following]
            if number in self.flow.exits and not inside:
                for caller in self.flow.callers[part.function]:
                    calling = self.flow.parts[caller]
                    found += [(t, False, calling.node) for t in calling.following]
        return found

    def _can_be_crossed(self, entry: int) -> bool:
        seen, work = {entry}, [entry]
        while work:
            number = work.pop()
            part = self.flow.parts[number]
            if self._stopping[number]:
                continue
            if part.callees and not any(self._transparent[callee] for callee in part.callees):
                continue
            if number in self.flow.exits:
                return True
            for target in part.following:
                if target not in seen:
                    seen.add(target)
                    work.append(target)
        return False


def build_csg(
    program: Program,
    rules: GraphRules = OURS,
    dependences: DependenceGraph | None = None,
) -> SequenceGraph:
    """The change sequence graph of a program. ``dependences``: the dependence graph, where it is
    known already, with or without deletions as ``rules`` say."""
    deletions = rules.deletions and not rules.paper
    if dependences is None or dependences.deletions != deletions:
        dependences = dependence_graph(program, deletions)
    sets = depends_on_changes(dependences, deletions)
    at_memory = rules.interactions is Interactions.AT_MEMORY and not rules.paper
    found = find_interactions(dependences, sets, at_memory)
    everything = rules.paper or rules.interactions is Interactions.ALL
    retained = {i.node: i for i in found if everything or i.important}
    construction = _Construction(program, dependences, sets, retained, deletions)
    return construction.published() if rules.paper else construction.ours()


@dataclass(slots=True)
class _Construction:
    program: Program
    dependences: DependenceGraph
    sets: ChangeSets
    interactions: dict[int, Interaction]
    deletions: bool

    def published(self) -> SequenceGraph:
        changed = self.sets.statements
        outputs = output_statements(self.program) - set(changed)
        flow = statement_flow(self.program, self.dependences.calls, self.deletions)
        meeting = {n: i.statements for n, i in self.interactions.items() if n not in outputs}
        cfg = interprocedural(self.program, flow)
        edges = traversed(cfg, changed, outputs, meeting)
        written = {node for node in flow.of_node if self.program.nodes[node].output}
        reached = {node for edge in edges for node in edge}
        nodes = self._nodes(reached.union(changed, outputs & written), outputs)
        return make_graph(self.program, nodes, edges, _start(changed, edges, self._first(cfg)))

    def _first(self, cfg: StatementGraph) -> set[int]:
        """The changes that a run can meet before any other change."""
        changed = frozenset(self.sets.statements)
        around = networkx.restricted_view(cfg, changed, [])
        entries = [
            node.id
            for node in self.program.nodes
            if node.kind is StatementKind.ENTRY and node.function == self.program.entry
        ]
        before = {node for entry in entries for node in networkx.descendants(around, entry)}
        outside = {node for node, _ in changed_initialisers(self.program)}
        following = {target for node in before.union(entries) for target in cfg.successors(node)}
        return outside | (following & changed)

    def ours(self) -> SequenceGraph:
        changed = self.sets.statements
        outputs = output_statements(self.program) - set(changed)
        meeting = {node: i for node, i in self.interactions.items() if node not in outputs}
        flow = statement_flow(self.program, self.dependences.calls, self.deletions)
        late = frozenset(outputs | meeting.keys())
        walk = StopWalk(flow, late.union(changed), late)
        initialisers = {node for node, _ in changed_initialisers(self.program)}
        edges: set[tuple[int, int]] = set()
        reached: set[int] = set(changed)
        work = sorted(changed, reverse=True)
        while work:
            source = work.pop()
            if source in initialisers:
                following = walk.from_entry(self.program.entry)
            else:
                following = walk.from_statement(source)
            for target in sorted(following):
                edges.add((source, target))
                if target in meeting:
                    edges.update((change, target) for change in meeting[target].statements)
                    if target not in reached:
                        work.append(target)
                reached.add(target)
        first = walk.from_entry(self.program.entry, passing=frozenset(outputs)) | initialisers
        nodes = self._nodes(reached, outputs)
        return make_graph(self.program, nodes, edges, _start(changed, edges, first))

    def _nodes(self, reached: set[int], outputs: set[int]) -> list[SequenceNode]:
        """The nodes of the graph: changes first, then interaction locations, then outputs, each
        kind in the order of the source."""
        by_kind: dict[str, list[SequenceNode]] = {"c": [], "d": [], "i": [], "o": []}
        for node in sorted((self.program.nodes[n] for n in reached), key=source_order):
            letter, kind = self._kind(node, outputs)
            same = by_kind[letter]
            interaction = self.interactions.get(node.id)
            if letter in "cd":
                own = node.changes
            else:
                own = interaction.changes if interaction else self.sets.changes_of(node.id)
            same.append(
                SequenceNode(
                    f"{letter}{len(same) + 1}",
                    kind,
                    node.id,
                    own,
                    important=interaction is not None and interaction.important,
                    output=node.output or node.id in outputs,
                )
            )
        return [node for same in by_kind.values() for node in same]

    def _kind(self, node: Node, outputs: set[int]) -> tuple[str, NodeKind]:
        if node.id in self.sets.statements:
            return (
                ("d", NodeKind.DELETION) if node.version is Version.OLD else ("c", NodeKind.CHANGE)
            )
        return ("o", NodeKind.OUTPUT) if node.id in outputs else ("i", NodeKind.INTERACTION)


def output_statements(program: Program) -> set[int]:
    """The statements that write output, end the program or return from it; and the end of the entry
    function."""
    found = {node.id for node in program.nodes if node.output}
    entry = program.functions.get(program.entry)
    if entry is not None:
        terminator = entry.blocks[entry.exit].terminator
        assert terminator is not None
        if program.nodes[terminator.node].kind is StatementKind.EXIT:
            found.add(terminator.node)
    return found


def source_order(node: Node) -> tuple[int, str, int, int, int]:
    """A key that sorts nodes: change ids number changes in the order of the source, across files
    and with deletions between them."""
    first = min(node.changes, default=0)
    place = node.location
    return (first, place.file, place.line, place.column, node.id)


def _start(changed: tuple[int, ...], edges: set[tuple[int, int]], first: set[int]) -> set[int]:
    """The start nodes: changes without incoming edges. Where changes lead to each other in a loop
    that nothing else leads to, those among them that a run can meet first."""
    graph: networkx.DiGraph[int] = networkx.DiGraph()
    graph.add_nodes_from(changed)
    graph.add_edges_from(edges)
    parts = networkx.condensation(graph)
    start: set[int] = set()
    for part in parts:
        members: set[int] = parts.nodes[part]["members"]
        if not parts.in_degree(part):
            inside = members.intersection(changed)
            start |= inside & first or inside
    return start


# ---------------------------------------------------------------------------------- to the letter


def traversed(
    cfg: StatementGraph,
    changed: Iterable[int],
    outputs: Container[int],
    depends_on: Mapping[int, Iterable[int]],
) -> set[tuple[int, int]]:
    """The edges that Algorithm 1 of FSE 2013 draws, for comparison with ours (``--paper``).

    TRAVERSECHANGE(curr, c):  for each node that directly follows curr in the CFG:
        a change or an output:              edge c -> node
        it depends on two or more changes:  edges from all of these to node;
                                            TRAVERSECHANGE(node, node)
        anything else:                      TRAVERSECHANGE(node, c)

    The CFG is that of the new version's statements across calls and returns, so that a walk may
    return to another call than it came from. Deleted statements are no nodes, every statement that
    depends on two changes is an interaction location (definition 4), every output is a node whether
    a change leads there or not, and an interaction location has no edge from a source that it does
    not depend on. The one addition is the set of calls already made, without which the recursion
    does not end on a loop. ``depends_on``: each interaction location with its changes.
    """
    stops = frozenset(changed)
    edges: set[tuple[int, int]] = set()
    work = [(change, change) for change in sorted(stops)]
    made = set(work)
    while work:
        current, source = work.pop()
        for node in cfg.successors(current):
            if node in stops or node in outputs:
                edges.add((source, node))
                continue
            call = (node, source)
            if node in depends_on:
                edges.update((change, node) for change in depends_on[node])
                call = (node, node)
            if call not in made:
                made.add(call)
                work.append(call)
    return edges
