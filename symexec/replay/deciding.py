"""What a run decided, as the program with probes wrote it down (decisions.c).

decided = next(replay.decided([(test, frozenset())]))
decided.first                    # array of (site << 32 | value), in the order of the run
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterable
from dataclasses import dataclass

MOST = 1 << 14  # decisions that are kept one by one; the others are in the hash
_PRIME = 0x100000001B3
_WORD = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Decided:
    """``first`` may be fewer than ``count``; ``hash`` is that of all. ``cut``: the run was ended
    from outside, at no particular place."""

    count: int
    hash: int
    first: array[int]
    cut: bool = False


def decision(site: int, value: int) -> int:
    """As decisions.c writes it."""
    return site << 32 | value & 0xFFFFFFFF


def hashed(decisions: Iterable[int]) -> int:
    """As decisions.c computes it (Fowler-Noll-Vo, 64 bits)."""
    found = 0
    for each in decisions:
        found = (found ^ each) * _PRIME & _WORD
    return found


def read_decisions(log: bytes, cut: bool) -> Decided:
    """An empty log is that of a run that never came to its beginning."""
    if len(log) < 16:
        return Decided(0, 0, array("Q"), cut)
    count, total = struct.unpack_from("<QQ", log)
    first = array("Q", log[16 : len(log) - len(log) % 8])
    return Decided(count, total, first[:count], cut)
