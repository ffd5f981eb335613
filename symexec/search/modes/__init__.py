"""The searches of csgtest; ``search.registry`` offers them, and those of files in this folder.

    published    RoundRobin(RandomPath, shortest distance to one of the state's own targets)
    guided       the same, with every strategy around it
    isolated     as guided, towards a flat set of targets
    undirected   no targets: RoundRobin(RandomPath, the state nearest to code that is new)
    breadth-first, depth-first    by age

FSE 2013: Algorithm 2, section 6.1 with footnote 8, and section 7 (changes in isolation).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from symexec.search.frontier import NearestNewCode
from symexec.search.registry import ORDERED, Aim, Context, mode
from symexec.search.searchers import RandomPath, Ranked, RoundRobin

if TYPE_CHECKING:
    from symexec.search.searchers import Searcher
    from symexec.state.state import State

STRATEGIES = (
    "bounds",
    "reachable",
    "turns",
    "speculations",
    "guards",
    "masks",
    "continuation",
    "usage",
    "divergences",
    "opposites",
    "rest",
    "aliases",
    "pruning",
    "uniform",
    "unmet",
)


@mode("isolated", "as guided, towards each change by itself", Aim.FLAT, STRATEGIES)
@mode("guided", "towards change sequences, with every strategy", Aim.SEQUENCES, STRATEGIES)
@mode("published", "Algorithm 2 of FSE 2013, nothing else", Aim.SEQUENCES, ())
def directed(context: Context) -> Searcher:
    """A searcher for targets: among states equally near to one of their targets, those come first
    of whose targets the fewest were reached by any state."""
    return RoundRobin(RandomPath(context.seed), Ranked("shortest distance", context.rank))


@mode("breadth-first", "the oldest state: what is near before what is far", strategies=ORDERED)
class BreadthFirst:
    name = "breadth-first"

    def __init__(self, context: Context | None = None) -> None:
        self._order: OrderedDict[int, State] = OrderedDict()  # the newest is last

    def select(self) -> State:
        return self._order.popitem(last=False)[1]

    def update(self, parent: State | None, added: Sequence[State], covers: bool) -> None:
        if parent is not None:
            self._order.pop(parent.id, None)
        self._order.update({state.id: state for state in added})

    def empty(self) -> bool:
        return not self._order

    def states(self) -> list[State]:
        return list(self._order.values())


@mode(
    "depth-first", "the newest state: each path to its end before the next one", strategies=ORDERED
)
class DepthFirst(BreadthFirst):
    name = "depth-first"

    def select(self) -> State:
        return self._order.popitem()[1]


@mode("undirected", "random path in turn with the state nearest to new code")
def undirected(context: Context) -> Searcher:
    assert context.frontier is not None
    return RoundRobin(RandomPath(context.seed), NearestNewCode(context.frontier()))
