"""The dependence graph of a program: what each statement needs, and what decides that it runs.

    1  c = lhs;             3 depends on 1 and 2 by data
    2  v = digit(*s);       4 depends on 3 by control
    3  if (c < v)
    4      init = 1;

Computed between instructions (``csg.analysis.memory_flow``), for each version along its own
control flow, then unified: ``deletions=False`` leaves the old version's part out. A parameter
depends on the arguments of all calls, a call's result on what the callees return, a function's
entry on whatever decides that one of its calls runs; a call through a pointer, or a call of one
version, decides it itself. Slices, all in one pass, say which changes each statement depends on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain

from csg.analysis.call_graph import CallGraph, call_graph, ending_blocks
from csg.analysis.constraints import Place, PointsTo, points_to
from csg.analysis.flow import components, control_dependence, flow_graph, versions_in
from csg.analysis.memory_flow import Accesses, Flows, MemoryFlow, Vertices, number_vertices
from csg.analysis.objects import ObjectKind, bits
from csg.analysis.register_flow import link_registers
from csg.ir import Call, FunctionCode, Program, VaStart
from csg.ir.program import StatementKind
from csg.language.syntax import Version

# ---------------------------------------------------------------------------------------- the graph


@dataclass(frozen=True, slots=True)
class DependenceGraph:
    """Per vertex, ``data`` and ``control`` hold the vertices that it depends on. A changed
    initialiser outside all functions has a vertex as well, after all others."""

    program: Program
    pointers: PointsTo
    calls: CallGraph
    vertices: Vertices
    flows: Flows
    data: list[set[int]]
    control: list[set[int]]
    deletions: bool = True  # is the code of the old version part of it?

    def sources(self, vertex: int) -> set[int]:
        return self.data[vertex] | self.control[vertex]


def dependence_graph(program: Program, deletions: bool = True) -> DependenceGraph:
    pointers = points_to(program)
    calls = call_graph(program, pointers)
    vertices = number_vertices(program, calls)
    flows = _flows(program, calls, deletions)
    graph = DependenceGraph(
        program,
        pointers,
        calls,
        vertices,
        flows,
        data=[set() for _ in vertices.node],
        control=[set() for _ in vertices.node],
        deletions=deletions,
    )
    arguments: dict[str, dict[int, int]] = {name: {} for name in program.functions}
    for place, first in vertices.arguments.items():
        arguments[place[0]][vertices.instruction(place)] = first
    for name in flows:
        _link_function(graph, program.functions[name], arguments[name])
    for place in calls.callees:
        if place[0] in flows:
            _link_call(graph, place)
    _link_memory(graph)
    return graph


def _flows(program: Program, calls: CallGraph, deletions: bool) -> Flows:
    """The control flows of the functions looked into, one per version where these differ."""
    entered = _entered(program, calls)
    ending = ending_blocks(program, calls)
    flows: Flows = {}
    for name, function in program.functions.items():
        if name in entered:
            versions = versions_in(function)
            if not deletions and versions != (None,):
                versions = (Version.NEW,)
            flows[name] = [
                (version, flow_graph(function, version, ending[name])) for version in versions
            ]
    return flows


def _entered(program: Program, calls: CallGraph) -> set[str]:
    """The functions that count: library functions implemented in csgtest do so only where a
    function that is analysed calls them."""
    entered = {name for name, function in program.functions.items() if not function.library}
    by_caller: dict[str, set[str]] = {}
    for place, callees in calls.callees.items():
        by_caller.setdefault(place[0], set()).update(callees)
    work = sorted(entered)
    while work:
        for callee in by_caller.get(work.pop(), ()):
            if callee not in entered:
                entered.add(callee)
                work.append(callee)
    return entered


def _link_function(
    graph: DependenceGraph, function: FunctionCode, arguments: dict[int, int]
) -> None:
    """Link the parameters and the entry of a function to its calls. ``arguments``: the vertices of
    these calls, each with the vertex of its first argument."""
    vertices, name = graph.vertices, function.name
    starts = vertices.blocks[name]

    def link(use: int, definition: int) -> None:
        graph.data[use].add(definition)

    for version, flow in graph.flows[name]:
        link_registers(function, flow, version, starts, vertices.parameters[name], arguments, link)
        controlling = control_dependence(function, flow)
        for number in flow.order:
            sources = {
                starts[branch] + 1 + len(function.blocks[branch].instructions)
                for branch in controlling[number]
            }
            graph.control[starts[number]] |= sources or {vertices.entry[name]}
    for block in function.blocks:
        start = starts[block.index]
        for vertex in range(start + 1, start + len(block.instructions) + 2):
            graph.control[vertex].add(start)
        for index, instruction in enumerate(block.instructions):
            if type(instruction) is VaStart:
                graph.data[start + 1 + index].add(vertices.variadic[name])


def _link_call(graph: DependenceGraph, place: Place) -> None:
    """Link a call to its callees: arguments to parameters, returned values to the call's result,
    the block of the call to the callee's entry."""
    vertices, function = graph.vertices, graph.program.functions[place[0]]
    block = function.blocks[place[1]]
    call = block.instructions[place[2]]
    assert isinstance(call, Call)
    vertex = vertices.instruction(place)
    decides = not isinstance(call.callee, str) or call.version is not None or block.region
    for callee in graph.calls.callees[place]:
        if callee not in graph.flows:
            continue
        code = graph.program.functions[callee]
        decider = vertex if decides else vertices.blocks[place[0]][place[1]]
        graph.control[vertices.entry[callee]].add(decider)
        called_back = isinstance(call.callee, str) and callee != call.callee
        if call.target is not None or called_back:  # what qsort writes depends on compare
            graph.data[vertex].add(vertices.returns[callee])
        for index in range(len(call.arguments)):
            last = index >= len(code.parameters)
            formal = vertices.variadic[callee] if last else vertices.parameters[callee] + index
            graph.data[formal].add(vertices.arguments[place] + index)
    if place in vertices.arguments:
        first = vertices.arguments[place]
        given = range(first, first + len(call.arguments))
        for argument in given:
            graph.control[argument].add(vertices.blocks[place[0]][place[1]])
        if graph.calls.external[place]:
            graph.data[vertex].update(given)


def _link_memory(graph: DependenceGraph) -> None:
    accesses = Accesses(graph.pointers, graph.calls)
    memory = MemoryFlow(graph.program, graph.calls, accesses, graph.vertices, graph.flows)
    memory.solve()
    for reader, writers in memory.links():
        graph.data[reader].update(writers)
    for node, name in changed_initialisers(graph.program):
        number = accesses.pointers.objects.numbers.get((ObjectKind.GLOBAL, name, ""))
        vertex = len(graph.vertices.node)
        graph.vertices.node.append(node)
        graph.data.append(set())
        graph.control.append(set())
        for reader in memory.readers_of_initial(number) if number is not None else ():
            graph.data[reader].add(vertex)


def changed_initialisers(program: Program) -> list[tuple[int, str]]:
    """Changed declarations outside all functions, each with the object that it initialises."""
    return [(thing.node, name) for name, thing in program.globals.items() if thing.node is not None]


# ------------------------------------------------------------------------------------------- slices
# Which changes each statement depends on, for all statements in one pass.
#
#     1  a = change(x, x + 1);     statement 4 depends on {1, 2}:
#     2  b = change(y, -y);        the changes in its backward slice
#     3  c = a;
#     4  if (c < b)
#
# A slice per statement would walk the graph once for each. Instead strongly connected parts are
# taken as one, in an order in which sources come first, and each takes the union of the bit sets of
# its sources: DEPENDSONCHANGES of Algorithm 1 (FSE 2013) for the whole program in linear time.


@dataclass(frozen=True, slots=True)
class ChangeSets:
    """Which changed statements each statement depends on. ``statements`` are the nodes of the
    changed statements, one for each bit; ``sets`` has the bit set of each node, in which a changed
    statement counts itself."""

    statements: tuple[int, ...]
    sets: list[int]
    changes: list[frozenset[int]]  # per bit the ids of the changes that stand in the statement
    # Most statements share their set with many others: each is written out once.
    _written_out: dict[int, tuple[tuple[int, ...], frozenset[int]]] = field(default_factory=dict)

    def statements_of(self, node: int) -> tuple[int, ...]:
        """The nodes of the changed statements that a statement depends on, ascending."""
        return self.members(self.sets[node])[0]

    def changes_of(self, node: int) -> frozenset[int]:
        """The ids of the changes that a statement depends on."""
        return self.members(self.sets[node])[1]

    def members(self, mask: int) -> tuple[tuple[int, ...], frozenset[int]]:
        """The nodes of the changed statements in a bit set, and the ids of the changes in them."""
        found = self._written_out.get(mask)
        if found is None:
            places = list(bits(mask))
            ids = frozenset[int]().union(*(self.changes[bit] for bit in places))
            found = tuple(self.statements[bit] for bit in places), ids
            self._written_out[mask] = found
        return found


def changed_statements(graph: DependenceGraph, deletions: bool = True) -> tuple[int, ...]:
    return tuple(
        node.id
        for node in graph.program.nodes
        if node.changes and (deletions or node.version is not Version.OLD)
    )


def depends_on_changes(graph: DependenceGraph, deletions: bool = True) -> ChangeSets:
    nodes = graph.program.nodes
    statements = changed_statements(graph, deletions)
    own = {statement: 1 << bit for bit, statement in enumerate(statements)}
    node_of, data, control = graph.vertices.node, graph.data, graph.control
    found = [0] * len(node_of)
    sets = [own.get(node.id, 0) for node in nodes]

    def sources(vertex: int) -> Iterator[int]:
        return chain(data[vertex], control[vertex])

    for members in components(range(len(node_of)), sources):  # sources come first
        union = 0
        for vertex in members:
            union |= own.get(node_of[vertex], 0)
            for source in sources(vertex):
                union |= found[source]
        for vertex in members:
            found[vertex] = union
            if node_of[vertex] >= 0:
                sets[node_of[vertex]] |= union
    return ChangeSets(statements, sets, [nodes[s].changes for s in statements])


def statement_sources(graph: DependenceGraph) -> tuple[list[set[int]], list[set[int]]]:
    """Per statement, the statements that it directly depends on by data, and those by control. What
    stands for no code (a parameter, a block, a function's exit) is replaced by its own sources. A
    statement does not depend directly on itself."""
    count = len(graph.program.nodes)
    data: list[set[int]] = [set() for _ in range(count)]
    control: list[set[int]] = [set() for _ in range(count)]
    exits = {node.id for node in graph.program.nodes if node.kind is StatementKind.EXIT}
    node_of = [-1 if node in exits else node for node in graph.vertices.node]
    resolved: dict[int, frozenset[int]] = {}
    for vertex, node in enumerate(node_of):
        if node < 0:
            continue
        for source in graph.data[vertex]:
            data[node] |= _statements_behind(graph, node_of, source, resolved)
        for source in graph.control[vertex]:
            control[node] |= _statements_behind(graph, node_of, source, resolved)
    for node in range(count):
        data[node].discard(node)
        control[node].discard(node)
    return data, control


def _statements_behind(
    graph: DependenceGraph,
    node_of: list[int],
    vertex: int,
    resolved: dict[int, frozenset[int]],
) -> frozenset[int]:
    """The statement that a vertex belongs to, or those of its sources when it stands for no
    code."""
    if node_of[vertex] >= 0:
        return frozenset((node_of[vertex],))
    if vertex not in resolved:
        found, seen, work = set(), {vertex}, [vertex]
        while work:
            for source in graph.sources(work.pop()):
                if node_of[source] >= 0:
                    found.add(node_of[source])
                elif source not in seen:
                    seen.add(source)
                    work.append(source)
        resolved[vertex] = frozenset(found)
    return resolved[vertex]
