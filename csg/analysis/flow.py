"""The control flow of one function, for both versions together or for one of them.

    enter NEW b1, b2        both: -> b1, b2     NEW: -> b1     OLD: -> b2

With a version, blocks that only the other one runs are unreachable and missing in ``order``. Lists
serve the bit sets that are handed along the edges (``csg.analysis.register_flow``), a networkx
graph of the same blocks serves everything else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from csg.ir import Block, Enter, FunctionCode, Switch, flow
from csg.language.syntax import Version

if TYPE_CHECKING:
    import networkx

    BlockGraph = networkx.DiGraph[int]

BOTH_APART = (Version.OLD, Version.NEW)


@dataclass(frozen=True, slots=True)
class FlowGraph:
    """``order`` is a reverse postorder of the blocks that the entry reaches; predecessors are given
    for those only, and only those among them that are reached."""

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
    """The blocks that may follow, each once, in the order of the source."""
    terminator = block.terminator
    assert terminator is not None
    if version is not None and isinstance(terminator, Enter):
        return (terminator.body if version is terminator.region else terminator.exit,)
    if version is not None and isinstance(terminator, Switch):
        return _switch_successors(terminator, version)
    return flow.successors(terminator)


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
    """``ending`` blocks lead nowhere, see ``csg.analysis.call_graph``."""
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
