"""Towards changes: published, guided and isolated search are one searcher.

    published    RoundRobin(RandomPath, shortest distance to one of the state's own targets)
    guided       the same, with every strategy around it
    isolated     as guided, towards a flat set of targets

FSE 2013: Algorithm 2, section 6.1 with footnote 8, and section 7 (changes in isolation).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from symexec.search.composition import RandomPath, Ranked, RoundRobin
from symexec.search.registry import Aim, Context, mode

if TYPE_CHECKING:
    from symexec.search.contract import Searcher

STRATEGIES = (
    "bounds",
    "reachable",
    "turns",
    "speculations",
    "guards",
    "masks",
    "uniform",
    "continuation",
    "examples",
    "divergences",
    "opposites",
    "rest",
    "pruning",
)


@mode("isolated", "as guided, towards each change by itself", Aim.FLAT, STRATEGIES)
@mode("guided", "towards change sequences, with every strategy", Aim.SEQUENCES, STRATEGIES)
@mode("published", "Algorithm 2 of FSE 2013, nothing else", Aim.SEQUENCES, ())
def directed(context: Context) -> Searcher:
    """Among states equally near to a target of theirs, those of which fewer targets were reached by
    any state come first."""
    return RoundRobin(RandomPath(context.seed), Ranked("shortest distance", context.rank))
