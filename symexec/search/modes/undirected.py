"""No targets: random paths, in turn with the state nearest to code that no path has reached."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symexec.search.composition import RandomPath, RoundRobin
from symexec.search.coverage import NearestNewCode
from symexec.search.registry import Context, mode

if TYPE_CHECKING:
    from symexec.search.contract import Searcher


@mode("undirected", "random path in turn with the state nearest to new code")
def undirected(context: Context) -> Searcher:
    assert context.frontier is not None
    return RoundRobin(RandomPath(context.seed), NearestNewCode(context.frontier()))
