"""A clock that counts work, for runs that are to be the same on every machine and under every load.

    clock = WorkClock(counters)
    clock()                       # 0.0
    ...                           # 50,000 chunks of code, 40 queries, 3 of them to the back end
    clock()                       # 0.16: what a machine of today takes for that, more or less

Whoever waits for a time gets there: looking at the clock is work, too.
"""

from __future__ import annotations

from symexec.counters import Counters

CHUNK = 3e-6  # seconds for a piece of compiled code
QUERY = 50e-6  # for a query of the solver chain, beside what the back end takes
LOOK = 100e-6  # for a look at the clock
PATIENT = 10.0  # seconds of any clock for a second of counted work, at most
CANDIDATE = 0.01  # the same where each look stands for some native runs


class WorkClock:
    """Seconds by what ``counters`` have counted, and by the times that somebody looked."""

    def __init__(self, counters: Counters, look: float = LOOK) -> None:
        self._counters = counters
        self._look = look
        self._looks = 0

    def __call__(self) -> float:
        self._looks += 1
        counted = self._counters
        work = counted.chunks * CHUNK + counted.queries * QUERY + counted.solver_s
        return work + self._looks * self._look
