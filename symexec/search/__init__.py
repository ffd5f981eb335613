"""Which state to run next."""

from symexec.search.along import Budget
from symexec.search.contract import Searcher
from symexec.search.coverage import Covering, Frontier
from symexec.search.searchers import Guided, Undirected, build_searcher, stacked
from symexec.search.settings import Settings

__all__ = [
    "Budget",
    "Covering",
    "Frontier",
    "Guided",
    "Searcher",
    "Settings",
    "Undirected",
    "build_searcher",
    "stacked",
]
