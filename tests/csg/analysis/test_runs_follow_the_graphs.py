"""What real runs do, the static graphs must have foreseen: definitions and uses, calls, the order
of statements, the stops of change sequence graphs."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from csg.analysis import DependenceGraph, dependence_graph
from csg.frontend import parse_file
from csg.graphs import build_csg
from csg.ir import Call, Enter, Jump, Program
from csg.language.syntax import Version
from csg.lower import lower
from csg.programs import GraphRules, Interactions
from tests.csg.analysis.tracing import TracingMachine, traced
from tests.nightly import every

ROOT = Path(__file__).parents[3]
PROGRAMS = sorted((ROOT / "tests" / "programs").glob("*.c"))
STDIN = b"two words\n12 + 30 *\nlast line 0x1f\n"


def lowered(path: Path) -> Program:
    return lower([parse_file(path)])


@pytest.mark.parametrize("path", every(3, PROGRAMS, 2), ids=lambda path: path.stem)
def test_every_dependence_seen_in_a_run_is_in_the_graph(path: Path) -> None:
    program = lowered(path)
    graph = dependence_graph(program)
    machine = traced(program, Version.NEW, STDIN)
    for reader, writer in sorted(machine.memory_pairs):
        use, definition = graph.vertices.instruction(reader), graph.vertices.instruction(writer)
        assert definition in graph.data[use], f"{reader} read from memory what {writer} wrote"
    for reader, writer, register in sorted(machine.register_pairs):
        definition = graph.vertices.instruction(writer)
        assert any(definition in graph.data[use] for use in uses(graph, reader, register)), (
            f"{reader} used %{register} as {writer} had set it"
        )
    for place, callee in sorted(machine.calls):
        assert callee in graph.calls.callees[place], f"{place} called {callee}"


def uses(graph: DependenceGraph, place: tuple[str, int, int], register: int) -> list[int]:
    """The vertices that read a register for an instruction: a call's arguments have their own."""
    found = [graph.vertices.instruction(place)]
    instructions = graph.program.functions[place[0]].blocks[place[1]].instructions
    if place in graph.vertices.arguments:
        call = instructions[place[2]]
        assert isinstance(call, Call)
        first = graph.vertices.arguments[place]
        found += range(first, first + len(call.arguments))
    return found


@pytest.mark.parametrize("path", every(3, PROGRAMS), ids=lambda path: path.stem)
def test_changes_follow_each_other_only_along_the_edges(path: Path) -> None:
    program = with_changes(lowered(path), seed=len(path.stem))
    graph = build_csg(program, GraphRules(Interactions.ALL))
    edges = {(graph.record(a).node, graph.record(b).node) for a, b in graph.edges}
    machine = traced(program, Version.NEW, STDIN)
    changed = {node.node for node in graph.records if node.is_change}
    last: int | None = None
    for node, resumed in visited(program, machine):
        if node in changed and not resumed:
            if last not in (None, node):
                assert (last, node) in edges, f"{node} followed {last}"
            last = node
        elif graph.of_statement(node) and node not in changed:
            last = None  # an interaction location or an output stands between


def with_changes(program: Program, seed: int) -> Program:
    """Declare some statements changed; the code stays the same in both versions."""
    candidates = [node.id for node in program.nodes if node.kind not in ("entry", "exit")]
    chosen = random.Random(seed).sample(candidates, min(6, len(candidates)))
    for change, node in enumerate(sorted(chosen), 1):
        program.nodes[node] = replace(program.nodes[node], changes=frozenset((change,)))
    return program


def visited(program: Program, machine: TracingMachine) -> list[tuple[int, bool]]:
    """The statements in the order of the run, and whether a call in them has just returned. The
    jump from where an ``if`` ends belongs to no statement, unless it is all that one does."""
    found: list[tuple[int, bool]] = []
    current: list[int] = [-1]  # per depth of calls the statement being run
    doing = {
        step.node
        for function in program.functions.values()
        for block in function.blocks
        for step in (*block.instructions, block.terminator)
        if step is not None and not isinstance(step, Jump | Enter)
    }
    for (function, number, index), depth in machine.visits:
        block = program.functions[function].blocks[number]
        step = [*block.instructions, block.terminator][index]
        assert step is not None
        node = step.node
        if isinstance(step, Jump | Enter) and node in doing:
            continue
        returned = len(current) > depth + 1
        del current[depth + 1 :]
        current += [-1] * (depth + 1 - len(current))
        if returned:
            found.append((current[depth], True))  # takes the result
        if current[depth] != node:
            found.append((node, False))
        current[depth] = node
    return found
