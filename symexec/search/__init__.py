"""Which state to run next."""

from symexec.search.contract import Searcher
from symexec.search.registry import Chosen, Context, build_searcher, chosen
from symexec.search.seed_lanes import Budget

__all__ = ["Budget", "Chosen", "Context", "Searcher", "build_searcher", "chosen"]
