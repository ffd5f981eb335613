"""Which state to run next."""

from symexec.search.along import Budget
from symexec.search.contract import Searcher
from symexec.search.searchers import Guided, Undirected, build_searcher

__all__ = ["Budget", "Guided", "Searcher", "Undirected", "build_searcher"]
