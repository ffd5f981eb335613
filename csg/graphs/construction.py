"""Algorithm 1 of FSE 2013: build the change sequence graph of a program.

    for every change c: walk the control flow from c; at each statement s that follows
        a change or an output:        edge source -> s, and the walk ends there
        an interaction location:      edges from every change it depends on, s is the new source
        anything else:                walk on with the same source

The paper's recursion does not return from a loop; here every statement is the source of one walk
only (``csg.graphs.walk``), which visits each place once. Other differences: calls are followed,
deleted statements have nodes of their own (unless switched off), and when changes lie in a loop
that starts with none of them, those that a run meets first are start nodes. A walk that comes to an
interaction location always leaves an edge from its source: in the paper, a source that the location
does not depend on (or another location) would be left without a successor there. The algorithm
without all of this is ``csg.graphs.published``.
"""

from __future__ import annotations

from dataclasses import dataclass

import networkx

from csg.analysis import (
    ChangeSets,
    DependenceGraph,
    dependence_graph,
    depends_on_changes,
    statement_flow,
)
from csg.analysis.dependence import changed_initialisers
from csg.graphs.interactions import Interaction, find_interactions
from csg.graphs.program_graphs import StatementGraph, interprocedural
from csg.graphs.published import traversed
from csg.graphs.sequence_graph import (
    CHANGE,
    DELETION,
    INTERACTION,
    OUTPUT,
    SequenceGraph,
    SequenceNode,
    make_graph,
)
from csg.graphs.walk import StopWalk
from csg.ir import Node, Program
from csg.language.syntax import Version
from csg.programs import OURS, GraphRules, Interactions


def build_csg(
    program: Program,
    rules: GraphRules = OURS,
    dependences: DependenceGraph | None = None,
) -> SequenceGraph:
    """``dependences`` when they are known already, with deletions or without as the rules ask."""
    deletions = rules.deletions and not rules.paper
    if dependences is None or dependences.deletions != deletions:
        dependences = dependence_graph(program, deletions)
    sets = depends_on_changes(dependences, deletions)
    at_memory = rules.interactions is Interactions.AT_MEMORY and not rules.paper
    found = find_interactions(dependences, sets, at_memory)
    everything = rules.paper or rules.interactions is Interactions.ALL
    kept = {i.node: i for i in found if everything or i.important}
    construction = _Construction(program, dependences, sets, kept, deletions)
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
        """The changes that a run can meet before any other."""
        changed = frozenset(self.sets.statements)
        around = networkx.restricted_view(cfg, changed, [])
        entries = [
            node.id
            for node in self.program.nodes
            if node.kind == "entry" and node.function == self.program.entry
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
        """Changes first, then interaction locations, then outputs, each in source order."""
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

    def _kind(self, node: Node, outputs: set[int]) -> tuple[str, str]:
        if node.id in self.sets.statements:
            return ("d", DELETION) if node.version is Version.OLD else ("c", CHANGE)
        return ("o", OUTPUT) if node.id in outputs else ("i", INTERACTION)


def output_statements(program: Program) -> set[int]:
    """Statements that write, end the program or return from it, and the entry function's end."""
    found = {node.id for node in program.nodes if node.output}
    entry = program.functions.get(program.entry)
    if entry is not None:
        terminator = entry.blocks[entry.exit].terminator
        assert terminator is not None
        if program.nodes[terminator.node].kind == "exit":
            found.add(terminator.node)
    return found


def source_order(node: Node) -> tuple[int, str, int, int, int]:
    """Change ids number changes in source order, across files and with deletions between them."""
    first = min(node.changes, default=0)
    place = node.location
    return (first, place.file, place.line, place.column, node.id)


def _start(changed: tuple[int, ...], edges: set[tuple[int, int]], first: set[int]) -> set[int]:
    """Changes without incoming edges. Where changes lead to each other in a loop and nothing else
    leads there: those among them that a run can meet first."""
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
