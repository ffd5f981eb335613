"""Which state to run next."""

from symexec.search.registry import Chosen, Context, build_searcher, chosen
from symexec.search.searchers import Budget, Searcher

__all__ = ["Budget", "Chosen", "Context", "Searcher", "build_searcher", "chosen"]
