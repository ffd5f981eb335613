"""Cut two long lists at statements that both have exactly once, before they are aligned by cost.

    old:  a  b  c  d  e          pieces:  (a b | a x)  c  (d e | d y e)
    new:  a  x  c  d  y  e

Exact alignment takes time with the product of the lengths; a list of many hundred statements would
take seconds. The anchors are a longest increasing sequence (as in a patience diff): no cut crosses
another.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence

LONG = 1600  # product of the lengths from which on lists are cut


def anchors(old: Sequence[int], new: Sequence[int]) -> list[tuple[int, int]]:
    """Places of equal numbers to cut at; none in short lists."""
    if len(old) * len(new) < LONG:
        return []
    once = [Counter(side) for side in (old, new)]
    places = {number: at for at, number in enumerate(new) if once[1][number] == 1}
    pairs = [
        (at, places[number])
        for at, number in enumerate(old)
        if once[0][number] == 1 and number in places
    ]
    return _increasing(pairs)


def _increasing(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """A longest run of pairs in which the second grows as well as the first."""
    tails: list[int] = []  # the least last value of a run of each length
    ends: list[int] = []  # the pair it belongs to
    before: list[int] = []
    for at, (_, value) in enumerate(pairs):
        length = bisect_left(tails, value)
        before.append(ends[length - 1] if length else -1)
        if length == len(tails):
            tails.append(value)
            ends.append(at)
        else:
            tails[length] = value
            ends[length] = at
    found: list[tuple[int, int]] = []
    at = ends[-1] if ends else -1
    while at >= 0:
        found.append(pairs[at])
        at = before[at]
    found.reverse()
    return found
