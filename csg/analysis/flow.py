"""The control flow of one function, for both versions together or for one, and who dominates whom.

    enter NEW b1, b2        both: -> b1, b2     NEW: -> b1     OLD: -> b2

With a version, blocks that only the other one runs are unreachable and missing in ``order``. Lists
serve the bit sets that are handed along the edges (``csg.analysis.register_flow``), a networkx
graph of the same blocks serves everything else, dominators and post-dominators among it:

    b0: if (x) b1 else b2;  b1: -> b3;  b2: -> b3        b3 is b0's immediate post-dominator

Post-dominators are the dominators of the reversed graph, seen from its end. Where control cannot
reach the return, the function is given a virtual exit: after blocks that end the program and after
the last block of each loop that nothing leaves. What follows from them, control dependence and
natural loops, is here, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from csg.ir import Block, Enter, FunctionCode, Return, Switch, instructions
from csg.language.syntax import Version

if TYPE_CHECKING:
    import networkx

    BlockGraph = networkx.DiGraph[int]


BOTH_APART = (Version.OLD, Version.NEW)


@dataclass(frozen=True, slots=True)
class FlowGraph:
    """The control flow of one function. ``order`` is a reverse postorder of the blocks that the
    entry reaches; predecessors are given for these blocks only, and are themselves among them."""

    successors: list[tuple[int, ...]]
    predecessors: list[list[int]]
    order: list[int]

    def digraph(self) -> BlockGraph:
        """The blocks that the entry reaches, in their order."""

        import networkx

        graph: BlockGraph = networkx.DiGraph()
        graph.add_nodes_from(self.order)
        for block in self.order:
            graph.add_edges_from((block, target) for target in self.successors[block])
        return graph


def successors(block: Block, version: Version | None = None) -> tuple[int, ...]:
    """The blocks that may follow this one, each once, in the order of the source."""
    terminator = block.terminator
    assert terminator is not None
    if version is not None and isinstance(terminator, Enter):
        return (terminator.body if version is terminator.region else terminator.exit,)
    if version is not None and isinstance(terminator, Switch):
        return _switch_successors(terminator, version)
    return instructions.successors(terminator)


def _switch_successors(switch: Switch, version: Version) -> tuple[int, ...]:
    found = [block for _, _, block, only in switch.cases if only is None or only is version]
    has_default = switch.default_other is None or version is switch.default_version
    found.append(switch.default if has_default else switch.default_other or 0)
    return tuple(dict.fromkeys(found))


def flow_graph(
    function: FunctionCode,
    version: Version | None = None,
    ending: frozenset[int] = frozenset(),
) -> FlowGraph:
    """The control flow of a function. Blocks in ``ending`` have no successors: a call in them never
    returns (``csg.analysis.call_graph``)."""
    following = [
        () if block.index in ending else successors(block, version) for block in function.blocks
    ]
    order = reverse_postorder(following)
    predecessors: list[list[int]] = [[] for _ in following]
    for block in order:
        for target in following[block]:
            predecessors[target].append(block)
    return FlowGraph(following, predecessors, order)


def reverse_postorder(following: list[tuple[int, ...]], root: int = 0) -> list[int]:
    if not following:
        return []
    seen = {root}
    postorder: list[int] = []
    work = [(root, iter(following[root]))]
    while work:
        block, rest = work[-1]
        for target in rest:
            if target not in seen:
                seen.add(target)
                work.append((target, iter(following[target])))
                break
        else:
            work.pop()
            postorder.append(block)
    postorder.reverse()
    return postorder


def components(
    vertices: Iterable[int], following: Callable[[int], Iterable[int]]
) -> Iterator[list[int]]:
    """The strongly connected components of the graph that ``following`` gives, each after those
    that it leads to (Tarjan 1972). For graphs too large for networkx's dictionaries."""
    number: dict[int, int] = {}
    lowest: dict[int, int] = {}  # of vertices that have no component yet
    open_ones: list[int] = []
    for root in vertices:
        if root in number:
            continue
        number[root] = lowest[root] = len(number)
        open_ones.append(root)
        work = [(root, iter(following(root)))]
        while work:
            vertex, rest = work[-1]
            for target in rest:
                if target not in number:
                    number[target] = lowest[target] = len(number)
                    open_ones.append(target)
                    work.append((target, iter(following(target))))
                    break
                if target in lowest and number[target] < lowest[vertex]:
                    lowest[vertex] = number[target]
            else:
                work.pop()
                low = lowest[vertex]
                if work and low < lowest[work[-1][0]]:
                    lowest[work[-1][0]] = low
                if low == number[vertex]:
                    first = len(open_ones) - 1
                    while open_ones[first] != vertex:
                        first -= 1
                    found = open_ones[first:]
                    del open_ones[first:]
                    for member in found:
                        del lowest[member]
                    yield found


def versions_in(function: FunctionCode) -> tuple[Version | None, ...]:
    """(None,) when both versions run the same code here; one flow graph will do then."""
    for block in function.blocks:
        terminator = block.terminator
        if block.region is not None or type(terminator) is Enter:
            return BOTH_APART
        if type(terminator) is Switch and (
            terminator.default_other is not None or any(case[3] for case in terminator.cases)
        ):
            return BOTH_APART
        for instruction in block.instructions:
            if instruction.version is not None:
                return BOTH_APART
    return (None,)


# --------------------------------------------------------------------------------------- dominators


def immediate_dominators(graph: BlockGraph, root: int) -> dict[int, int]:
    """Vertex -> its immediate dominator, for all that the root reaches but itself."""

    import networkx

    above: dict[int, int | None] = networkx.immediate_dominators(graph, root)
    # Until networkx 3.5 the root dominates itself, later nobody does.
    return {vertex: by for vertex, by in above.items() if vertex != root and by is not None}


def dominators(function: FunctionCode, version: Version | None = None) -> list[int | None]:
    """Immediate dominator per block; None for the entry and for unreachable blocks."""
    graph = flow_graph(function, version)
    above = immediate_dominators(graph.digraph(), 0)
    return [above.get(block) for block in range(len(graph.successors))]


def postdominators(
    function: FunctionCode, version: Version | None = None, endings: bool = True
) -> list[int | None]:
    """Immediate post-dominator per block; None where only the virtual exit post-dominates.

    With ``endings`` false, ways that end the program (or never leave a loop) do not count: what is
    left is the block where two executions meet again if both of them return.
    """
    graph = flow_graph(function, version)
    backward, virtual = with_exit(function, graph, endings)
    above = immediate_dominators(backward, virtual)
    found = [above.get(block) for block in range(virtual)]
    return [None if block == virtual else block for block in found]


def join_blocks(function: FunctionCode) -> list[int | None]:
    """For each block, reachable or not, the first block that every way from it to the function's
    end passes; None for the end itself and for blocks from which no way leads there."""

    import networkx

    backward: BlockGraph = networkx.DiGraph()
    backward.add_nodes_from(range(len(function.blocks)))
    for block in function.blocks:
        if block.terminator is not None:
            targets = instructions.successors(block.terminator)
            backward.add_edges_from((target, block.index) for target in targets)
    above = immediate_dominators(backward, function.exit)
    return [above.get(block.index) for block in function.blocks]


def with_exit(
    function: FunctionCode, graph: FlowGraph, endings: bool = True
) -> tuple[BlockGraph, int]:
    """The reversed control flow of the blocks that the entry reaches, and its root, the virtual
    exit."""

    import networkx

    virtual = len(graph.successors)
    forward = graph.digraph()
    ends = _endings(function, graph, forward, endings)
    backward: BlockGraph = networkx.DiGraph()
    backward.add_edges_from((virtual, end) for end in ends)
    backward.add_edges_from((target, source) for source, target in forward.edges)
    backward.add_node(virtual)
    return backward, virtual


def _endings(
    function: FunctionCode, graph: FlowGraph, forward: BlockGraph, endings: bool
) -> list[int]:
    """The blocks to put in front of the virtual exit."""

    import networkx

    following = graph.successors
    if not endings:
        return [b for b in graph.order if isinstance(function.blocks[b].terminator, Return)]
    ends = [block for block in graph.order if not following[block]]
    missing = set(graph.order).difference(ends)
    for end in ends:
        if missing:
            reaching: set[int] = networkx.ancestors(forward, end)
            missing -= reaching
    if missing:
        ends += _trapping_loops(graph, forward, missing)
    return ends


def _trapping_loops(graph: FlowGraph, forward: BlockGraph, missing: set[int]) -> list[int]:
    """The last block of each loop among ``missing`` that control cannot leave: a branch inside
    still finds its join inside."""

    import networkx

    place = {block: number for number, block in enumerate(graph.order)}
    last = [
        max(members, key=place.__getitem__)
        for members in networkx.strongly_connected_components(forward.subgraph(missing))
        if all(target in members for block in members for target in graph.successors[block])
    ]
    return sorted(last, key=place.__getitem__)


# ------------------------------------------------------------------------------- control dependence
# Which branches decide whether a block runs.
#
#     b0: if (x) b1 else b2        b1 and b2 depend on b0, their join does not
#
# A block depends on a branch when one way out of the branch always leads to the block and another
# may avoid it (Ferrante, Ottenstein and Warren 1987). That is the dominance frontier of the block
# in the reversed graph, which networkx computes.


def control_dependence(function: FunctionCode, graph: FlowGraph) -> list[list[int]]:
    """Per block the blocks whose terminators it depends on, ascending."""

    import networkx

    branching = frozenset(block for block in graph.order if len(graph.successors[block]) > 1)
    if not branching:
        return [[] for _ in graph.successors]
    # A block that is put in front of the virtual exit has one way more, which decides nothing.
    backward, virtual = with_exit(function, graph)
    frontiers: dict[int, set[int]] = networkx.dominance_frontiers(backward, virtual)
    return [
        sorted(branching.intersection(frontiers.get(block, ())))
        for block in range(len(graph.successors))
    ]


# -------------------------------------------------------------------------------------------- loops
# The natural loops of a function.
#
#     b0 -> b1;  b1: if (x) b2 else b3;  b2: -> b1        one loop, with head b1: {b1, b2}
#
# An edge to a block that dominates where it comes from closes a loop; to it belong the blocks from
# which the edge is reached without passing the head. Loops with one head count as one.


def natural_loops(graph: FlowGraph) -> list[frozenset[int]]:
    """The blocks of each loop; inner loops come before those around them."""

    import networkx

    blocks = graph.digraph()
    above = immediate_dominators(blocks, 0)
    found: dict[int, set[int]] = {}
    for tail in graph.order:
        for head in graph.successors[tail]:
            if _dominates(head, tail, above):
                body = found.setdefault(head, {head})
                if tail != head:
                    without = networkx.restricted_view(blocks, [head], [])
                    body |= networkx.ancestors(without, tail) | {tail}
    return sorted(map(frozenset, found.values()), key=lambda body: (len(body), min(body)))


def _dominates(head: int, block: int, above: Mapping[int, int]) -> bool:
    runner: int | None = block
    while runner is not None and runner != head:
        runner = above.get(runner)
    return runner == head
