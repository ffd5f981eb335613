"""The analyses on random programs: against slower ways to say the same, and against runs."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from csg.analysis import (
    DependenceGraph,
    Distances,
    StatementFlow,
    changes_reachable,
    dependence_graph,
    depends_on_changes,
    statement_flow,
)
from csg.analysis.constraints import Place
from csg.analysis.flow import successors
from csg.graphs import build_csg
from csg.graphs.construction import StopWalk
from csg.ir import Call, Program
from csg.language.syntax import Version
from csg.programs import GraphRules, Interactions
from tests.csg.analysis.random_programs import random_program
from tests.csg.analysis.tracing import traced
from tests.nightly import examples

Stack = tuple[Place, ...]

seeds = st.integers(0, 1_000_000)


def slice_of(graph: DependenceGraph, node: int) -> set[int]:
    """The changes in a statement's backward slice, by walking the graph from it."""
    node_of = graph.vertices.node
    work = [vertex for vertex, of in enumerate(node_of) if of == node]
    seen = set(work)
    while work:
        for source in graph.sources(work.pop()):
            if source not in seen:
                seen.add(source)
                work.append(source)
    nodes = graph.program.nodes
    slice_nodes = {node_of[vertex] for vertex in seen if node_of[vertex] >= 0} | {node}
    return {change for member in slice_nodes for change in nodes[member].changes}


@given(seeds)
@examples(60)
def test_one_pass_finds_the_changes_of_every_slice(seed: int) -> None:
    graph = dependence_graph(random_program(seed))
    sets = depends_on_changes(graph)
    for node in graph.program.nodes:
        assert sets.changes_of(node.id) == slice_of(graph, node.id)


@given(seeds)
@examples(150)
def test_runs_of_both_versions_stay_within_the_dependences(seed: int) -> None:
    program = random_program(seed)
    graph = dependence_graph(program)
    for version in Version:
        machine = traced(program, version, limit=2_000)
        for reader, writer in sorted(machine.memory_pairs):
            use = graph.vertices.instruction(reader)
            assert graph.vertices.instruction(writer) in graph.data[use], (reader, writer)
        for reader, writer, register in sorted(machine.register_pairs):
            first = graph.vertices.arguments.get(reader)
            uses = [graph.vertices.instruction(reader)] + ([] if first is None else [first])
            definition = graph.vertices.instruction(writer)
            assert any(definition in graph.data[use] for use in uses), (reader, writer, register)


@given(seeds)
@examples(100)
def test_what_is_run_next_is_an_edge(seed: int) -> None:
    """Random walks over the statements, calls and returns included, meet stops in the order of the
    graph's edges."""
    program = random_program(seed)
    graph = build_csg(program, GraphRules(Interactions.ALL))
    flow = statement_flow(program, dependence_graph(program).calls)
    edges = {(graph.record(a).node, graph.record(b).node) for a, b in graph.edges}
    late = {node.node for node in graph.records if not node.is_change}
    stops = StopWalk(flow, frozenset(node.node for node in graph.records), frozenset(late))
    last: int | None = None
    for part, continues in random_walk(flow, seed):
        node = flow.parts[part].node if part is not None else -1
        if part is None:
            last = None
        elif stops.is_stop(part) and node != last and not (continues and node not in late):
            reached = graph.of_statement(node)
            assert reached is not None
            if last is not None and reached.kind != "interaction":
                assert (last, node) in edges
            # An interaction location counts when a walk from a change has come to it.
            if reached.kind != "interaction" or last is not None:
                last = None if reached.kind == "output" else node


def random_walk(flow: StatementFlow, seed: int) -> Iterator[tuple[int | None, bool]]:
    """Parts in an order that calls and returns allow, and whether the part goes on with the
    statement of the one before it; None where a call is skipped."""
    random, part, stack = Random(seed), flow.entries["f0"], list[int]()
    before = -1
    for _ in range(400):
        yield part, before >= 0 and flow.parts[part].node == flow.parts[before].node
        before = part if not flow.parts[part].vacant else before
        callees, following = flow.parts[part].callees, flow.parts[part].following
        if callees and len(stack) < 5:
            stack.append(part)
            part, before = flow.entries[random.choice(callees)], -1
            continue
        if callees:
            yield None, False
        if part in flow.exits:
            if not stack:
                return
            before = stack.pop()
            following = flow.parts[before].following
        if not following:
            return
        part = random.choice(following)
        if part <= before:
            before = -1


def steps_to(program: Program, start: tuple[str, int], node: int) -> int | None:
    """The least number of instructions from a block to a statement, by trying all ways; calls are
    followed with their stack, at most six deep."""
    first: Stack = ((start[0], start[1], 0),)
    seen = {first}
    work: deque[tuple[Stack, int]] = deque([(first, 0)])
    while work:
        stack, done = work.popleft()
        function, number, index = stack[-1]
        block = program.functions[function].blocks[number]
        assert block.terminator is not None
        nexts: list[Stack] = []
        if index < len(block.instructions):
            item = block.instructions[index]
            if item.node == node:
                return done
            if isinstance(item, Call) and isinstance(item.callee, str):
                if len(stack) < 6:
                    after = (function, number, index + 1)
                    nexts.append((*stack[:-1], after, (item.callee, 0, 0)))
            else:
                nexts.append((*stack[:-1], (function, number, index + 1)))
        elif block.terminator.node == node:
            return done
        elif number == program.functions[function].exit:
            if len(stack) > 1:
                nexts.append(stack[:-1])
        else:
            nexts += [(*stack[:-1], (function, b, 0)) for b in successors(block)]
        for following in nexts:
            if following not in seen:
                seen.add(following)
                work.append((following, done + 1))
    return None


@given(seeds)
@examples(25)
def test_distances_are_those_of_the_shortest_walk(seed: int) -> None:
    program = random_program(seed)
    if len(program.nodes) > 60:
        return
    distances = Distances(program)
    target = seed % len(program.nodes)
    for name, function in program.functions.items():
        for block in function.blocks:
            found = distances.to(target).get((name, block.index))
            expected = steps_to(program, (name, block.index), target)
            assert found == expected


@given(seeds)
@examples(40)
def test_a_change_is_reachable_where_it_has_a_distance(seed: int) -> None:
    program = random_program(seed)
    distances = Distances(program)
    changed = [node.id for node in program.nodes if node.changes]
    expected = {spot for node in changed for spot in distances.to(node)}
    assert changes_reachable(program, distances) == expected
