"""Which state to run next."""

from symexec.search.searchers import Guided, Searcher, Undirected, build_searcher

__all__ = ["Guided", "Searcher", "Undirected", "build_searcher"]
