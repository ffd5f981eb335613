"""Count what an analysis did: every report carries these numbers.

counters.queries == 120, counters.answered["model"] == 75, counters.backend_queries == 9
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields

from symexec.ledger import Ledger

_OWN = frozenset(("diff_paths", "prepared_s", "wall_s"))  # of one process, or different ones


@dataclass(slots=True)
class Counters:
    # The solver chain: queries, and which layer answered how many of them (see solver/chain.py),
    # and what reached a backend.
    queries: int = 0
    answered: dict[str, int] = field(default_factory=dict)
    backend_queries: int = 0
    solver_s: float = 0.0
    unknown: int = 0
    rebuilds: int = 0
    models_checked: int = 0
    answers_checked: int = 0

    # The search: states made, paths followed to their end, different diff paths among them (see
    # executor/branching.py for their identity), states dropped because no change lies ahead, paths
    # that a bound or the time ended, values that were pinned, functions that nobody models.
    chunks: int = 0  # pieces of compiled code that were run
    moved: int = 0  # bytes of objects that were allocated, copied and filled
    states: int = 0
    paths: int = 0
    diff_paths: int = 0
    divergence_points: int = 0  # places near the paths of seeds where the versions can diverge
    forks: int = 0
    pruned: int = 0
    rested: int = 0  # paths that became tests where no input decides anything more
    dropped: int = 0  # paths that published search leaves at an output
    cuts: int = 0
    unsupported: int = 0  # paths that ended where the program does something that is not modelled
    waiting: int = 0  # cuts of paths that were to go on when the time was over
    parked: int = 0  # states that were written down as their decisions because memory was short
    forgotten: int = 0  # cuts of paths that were dropped because memory was short
    concretised: int = 0
    assumptions_failed: int = 0
    # Paths on which both versions end with the same error of memory, by its place.
    both_fail: dict[str, int] = field(default_factory=dict)
    gaps: dict[str, int] = field(default_factory=dict)
    # Tests that were run natively with a probe at every branch, those of them that did not take
    # the predicted ones, and why others could not be compared (campaign/decisions.py).
    branches_compared: int = 0
    branch_mismatches: int = 0
    branches_left_out: dict[str, int] = field(default_factory=dict)
    ledger: Ledger = field(default_factory=Ledger)  # what the search leaves out
    prepared_s: float = 0.0  # until the search began; its time counts from there
    wall_s: float = 0.0

    @property
    def fails_everywhere(self) -> bool:
        """Do both versions fail alike on all paths? Nothing was compared then."""
        failing = sum(self.both_fail.values())
        return bool(failing) and failing == self.paths and not self.pruned

    def add(self, other: Counters) -> None:
        """Add what another process has counted for the same search."""
        for each in fields(self):
            mine, more = getattr(self, each.name), getattr(other, each.name)
            if each.name in _OWN:
                continue
            if isinstance(mine, Ledger):
                mine.add(more)
            elif isinstance(mine, dict):
                for what, count in more.items():
                    mine[what] = mine.get(what, 0) + count
            else:
                setattr(self, each.name, mine + more)

    def gap(self, what: str) -> None:
        """Count something that is not modelled."""
        self.gaps[what] = self.gaps.get(what, 0) + 1

    def answer(self, layer: str) -> None:
        """Count a query that this layer answered."""
        self.answered[layer] = self.answered.get(layer, 0) + 1


# ------------------------------------------------------------------------------------------- work
# A clock that counts work, for runs that are to be the same on every machine and under every load.
#
#     clock = WorkClock(counters)
#     clock()                       # 0.0
#     ...                           # 50,000 chunks of code, 40 queries, 3 of them to the back end
#     clock()                       # 0.16: what a machine of today takes for that, more or less
#
# Whoever waits for a time gets there: looking at the clock is work, too.


CHUNK = 3e-6  # seconds for a piece of compiled code
BYTE = 1.5e-9  # for a byte that is allocated, copied or filled
QUERY = 50e-6  # seconds for a query of the solver chain, in addition to the back end's time
LOOK = 100e-6  # for a look at the clock
PATIENT = 10.0  # seconds of any clock for a second of counted work, at most
CANDIDATE = 0.01  # the same where each look stands for some native runs


class WorkClock:
    """A clock that counts work: seconds by what ``counters`` have counted, and by how often the
    clock was read."""

    def __init__(self, counters: Counters, look: float = LOOK) -> None:
        self._counters = counters
        self._look = look
        self._looks = 0

    def __call__(self) -> float:
        self._looks += 1
        counted = self._counters
        work = counted.chunks * CHUNK + counted.moved * BYTE
        work += counted.queries * QUERY + counted.solver_s
        return work + self._looks * self._look
