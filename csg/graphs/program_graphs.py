"""The graphs of a program, as networkx graphs of its statements.

    function_cfg      what follows what in one function           edges "flow"
    interprocedural   the same across calls and returns           "flow", "call", "return"
    call_graph        functions, each with those that it calls    "call"
    control_graph     which statements decide that another runs   "control"
    pdg               that, and what each needs the values of     "data", "control"

    pdg.nodes[7]      {"kind": "condition", "file": "cut.c", "line": 8, "text": "c < v", ...}
    pdg[4][7]         {"data": {"kind": "data"}}

A statement is its number in ``Program.nodes``; edges of the dependence graphs lead from what is
needed to what needs it. Statements of both versions are there; ``version`` says which one alone has
a statement. Between instructions dependences are exact; here a statement stands for all of its
instructions, so that a path may lead in by one of them and out by another.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

import networkx

from csg.analysis import CallGraph, DependenceGraph, StatementFlow, statement_sources
from csg.analysis.dependence import changed_initialisers
from csg.ir import Program

if TYPE_CHECKING:
    StatementGraph = networkx.MultiDiGraph[int]
    FunctionGraph = networkx.DiGraph[str]
else:
    StatementGraph, FunctionGraph = networkx.MultiDiGraph, networkx.DiGraph

FLOW, CALL, RETURN, DATA, CONTROL = "flow", "call", "return", "data", "control"


def function_cfg(program: Program, flow: StatementFlow, function: str) -> StatementGraph:
    """The control flow graph of one function. A call is a statement like any other: what follows it
    is what runs after its return."""
    graph = _statements(program, "control flow", function)
    for source, target, kind in flow.statement_edges():
        if kind == FLOW and source in graph and target in graph:
            graph.add_edge(source, target, key=FLOW, kind=FLOW)
    return graph


def interprocedural(program: Program, flow: StatementFlow) -> StatementGraph:
    """The control flow across calls and returns. A statement that calls leads to its callees'
    entries, and their exits lead to what follows it; a "flow" edge in addition means that a way
    through the statement makes no call. Changed initialisers outside all functions come before the
    entry function."""
    graph = _statements(program, "interprocedural control flow")
    ends: dict[str, list[int]] = {}
    for number in sorted(flow.exits):
        ends.setdefault(flow.parts[number].function, []).append(flow.parts[number].node)
    for node, numbers in flow.of_node.items():
        callees = sorted({name for number in numbers for name in flow.parts[number].callees})
        for callee in callees:
            for target in flow.occupied([flow.entries[callee]]):
                graph.add_edge(node, flow.parts[target].node, key=CALL, kind=CALL)
        for target in _statements_after(flow, numbers, numbers[:1] if callees else numbers):
            graph.add_edge(node, target, key=FLOW, kind=FLOW)
        for target in _statements_after(flow, numbers, numbers, through=True) if callees else ():
            for end in (end for callee in callees for end in ends.get(callee, ())):
                graph.add_edge(end, target, key=RETURN, kind=RETURN)
    if program.entry in flow.entries:
        for node, _ in changed_initialisers(program):
            for target in flow.occupied([flow.entries[program.entry]]):
                graph.add_edge(node, flow.parts[target].node, key=FLOW, kind=FLOW)
    return graph


def _statements_after(
    flow: StatementFlow, own: list[int], first: list[int], through: bool = False
) -> list[int]:
    """The statements that follow a statement, from its part ``first`` on; ``through``: also past
    its calls."""
    parts, within = flow.parts, frozenset(own)
    found: dict[int, None] = {}
    seen = set(first)
    work = deque(first)
    while work:
        number = work.popleft()
        if parts[number].callees and not through:
            continue
        for target in flow.occupied(list(parts[number].following)):
            if target not in within or target <= number:  # another one, or this one again
                found[parts[target].node] = None
            elif target not in seen:
                seen.add(target)
                work.append(target)
    return list(found)


def call_graph(program: Program, calls: CallGraph) -> FunctionGraph:
    """The call graph of the functions with code. ``calls`` of an edge: how many calls in the text
    it stands for."""
    graph: FunctionGraph = networkx.DiGraph(name="calls")
    for name, code in program.functions.items():
        place = code.location
        graph.add_node(
            name,
            file=place.file,
            line=place.line,
            library=code.library,
            entry=name == program.entry,
        )
    for (caller, _, _), callees in calls.callees.items():
        for callee in callees:
            known = graph.get_edge_data(caller, callee, {"calls": 0})["calls"]
            graph.add_edge(caller, callee, kind=CALL, calls=known + 1)
    return graph


def pdg(dependences: DependenceGraph) -> StatementGraph:
    """The program dependence graph, calls included: a parameter needs the arguments."""
    return _dependences(dependences, "dependences", (DATA, CONTROL))


def control_graph(dependences: DependenceGraph) -> StatementGraph:
    """The control dependence graph: the statements of a function also depend on what decides its
    calls."""
    return _dependences(dependences, "control dependences", (CONTROL,))


def _dependences(dependences: DependenceGraph, name: str, kinds: tuple[str, ...]) -> StatementGraph:
    graph = _statements(dependences.program, name)
    for kind, sources in zip((DATA, CONTROL), statement_sources(dependences), strict=True):
        for node, before in enumerate(sources) if kind in kinds else ():
            for source in sorted(before):
                graph.add_edge(source, node, key=kind, kind=kind)
    return graph


def _statements(program: Program, name: str, function: str | None = None) -> StatementGraph:
    """A graph with the statements of one function, or of all, and no edges."""
    graph: StatementGraph = networkx.MultiDiGraph(name=name)
    for node in program.nodes:
        if function is None or node.function == function:
            attributes: dict[str, Any] = {
                "kind": str(node.kind),
                "file": node.location.file,
                "function": node.function,
                "line": node.location.line,
                "text": node.text,
                "changes": tuple(sorted(node.changes)),
                "output": node.output,
                "version": node.version.name.lower() if node.version else "both",
            }
            graph.add_node(node.id, **attributes)
    return graph
