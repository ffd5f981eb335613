"""How the effect of a change comes to a statement: the shortest ways through the dependences.

    1  c = lhs;             chains of 3:   1 --data--> 2 --data--> 3
    2  init = c ? v : 1;
    3  assert(init != 0);

For the nodes of a change sequence graph, from the nearest changes that each depends on.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

from csg.analysis import DependenceGraph, statement_sources
from csg.graphs.sequence_graph import SequenceGraph
from csg.records import record

_MOST_CHAINS = 3  # of one node
_MOST_SEEN = 2_000  # statements looked at for one node
_MOST_STEPS = 5_000  # of all chains
_LONGEST = 160  # characters of a statement

# The statement, and how it depends on the one before: "data", "control", "" at the beginning.
Step = tuple[int, str]
Chain = tuple[Step, ...]


@record
class Chains:
    """By the id of a node; ``complete``: no node is without its chains as there were too many."""

    of: Mapping[str, tuple[Chain, ...]]
    complete: bool = True


def chains(graph: SequenceGraph, dependences: DependenceGraph) -> Chains:
    data, control = statement_sources(dependences)
    changed = {node.node for node in graph.records if node.is_change}
    found: dict[str, tuple[Chain, ...]] = {}
    steps = 0
    for node in graph.records:
        if steps >= _MOST_STEPS:
            return Chains(found, complete=False)
        found[node.id] = _chains_to(node.node, changed, data, control)
        steps += sum(map(len, found[node.id]))
    return Chains(found)


def _chains_to(
    statement: int, changed: set[int], data: list[set[int]], control: list[set[int]]
) -> tuple[Chain, ...]:
    """From the nearest changed statements, nearest first."""
    onward: dict[int, Step] = {statement: (-1, "")}  # what it leads to, and how
    work = deque([statement])
    found: list[Chain] = []
    while work and len(found) < _MOST_CHAINS and len(onward) < _MOST_SEEN:
        here = work.popleft()
        for kind, sources in (("data", data[here]), ("control", control[here])):
            for source in sorted(sources):
                if source not in onward:
                    onward[source] = (here, kind)
                    work.append(source)
                    if source in changed and len(found) < _MOST_CHAINS:
                        found.append(_chain(source, onward))
    return tuple(found)


def _chain(first: int, onward: Mapping[int, Step]) -> Chain:
    steps = [(first, "")]
    here, kind = onward[first]
    while here >= 0:
        steps.append((here, kind))
        here, kind = onward[here]
    return tuple(steps)


def chains_form(graph: SequenceGraph, found: Chains) -> dict[str, Any]:
    """As report.json has it: chains of statements by number, and those statements once."""
    used = sorted({step[0] for each in found.of.values() for chain in each for step in chain})
    nodes = graph.program.nodes
    return {
        "statements": {
            str(number): {
                "file": nodes[number].location.file,
                "line": nodes[number].location.line,
                "function": nodes[number].function,
                "text": nodes[number].text[:_LONGEST],
                "node": node.id if (node := graph.of_statement(number)) is not None else "",
            }
            for number in used
        },
        "of": {
            name: [[list(step) for step in chain] for chain in each]
            for name, each in found.of.items()
            if each
        },
        "complete": found.complete,
    }
