"""What a run does stays within the graphs of its program."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import networkx

from csg.graphs.construction import output_statements
from csg.ir import Program
from csg.language.syntax import Version
from csg.pipeline import graph_of, pdg_of
from tests.csg.analysis.test_runs_follow_the_graphs import visited
from tests.csg.analysis.tracing import Argument, TracingMachine, traced


@dataclass(frozen=True, slots=True)
class Given:
    """What a run is given: its arguments, its standard input, and so many instructions."""

    arguments: tuple[Argument, ...] = ()
    stdin: bytes = b""
    limit: int = 20_000


def command_line(words: str, stdin: bytes = b"") -> Given:
    """Of a program with ``main``."""
    texts = tuple(each.encode() for each in ("program", *words.split()))
    return Given((len(texts), texts), stdin)


def run(program: Program, version: Version, given: Given) -> TracingMachine:
    return traced(program, version, given.stdin, given.limit, given.arguments)


def uses_stay_within_the_dependences(program: Program, *runs: Given) -> int:
    """Every use of a value that a run of either version makes is a data edge; how many there
    were."""
    graph = pdg_of(program)

    def statement(place: tuple[str, int, int]) -> int:
        block = program.functions[place[0]].blocks[place[1]]
        step = [*block.instructions, block.terminator][place[2]]
        assert step is not None
        return step.node

    exits = {node.id for node in program.nodes if node.kind == "exit"}
    seen = 0
    for version, given in product(Version, runs or (Given(),)):
        machine = run(program, version, given)
        pairs = {(reader, writer) for reader, writer in machine.memory_pairs}
        pairs |= {(reader, writer) for reader, writer, _ in machine.register_pairs}
        for reader, writer in sorted(pairs):
            use, made = statement(reader), statement(writer)
            if use != made and use not in exits:
                seen += 1
                assert graph.has_edge(made, use, key="data"), (writer, reader)
    return seen


def orders_of_changes_are_paths(program: Program, *runs: Given) -> int:
    """Two changes that a run of the new version executes with no other change and no output between
    them are joined by an edge, or by a way through interaction locations; how many there were.
    (The old version may pass what is added: its orders are no sequences.)"""
    graph = graph_of(program)
    locations = [node.id for node in graph.records if node.kind == "interaction"]
    outputs = output_statements(program)
    seen = 0
    joined: set[tuple[str, str]] = set()
    for given in runs or (Given(),):
        last = None
        for node, resumed in visited(program, run(program, Version.NEW, given)):
            known = graph.of_statement(node)
            if known is not None and known.kind == "change" and not resumed:
                if last is not None and last != known.id:
                    if (last, known.id) not in joined:
                        between = graph.subgraph([last, known.id, *locations])
                        assert networkx.has_path(between, last, known.id), (last, known.id)
                        joined.add((last, known.id))
                    seen += 1
                last = known.id
            elif node in outputs:
                last = None  # a walk ends there, and so does a sequence
    return seen
