"""The cheapest way to pair two lists: dynamic programming.

    Pairing(old weights [1, 9, 4], new weights [9, 5], matches)   ->   [Match(1, 0, ...), ...]

A match covers one item of each list, or a run of one and an item of the other. What no match covers
costs its weight, and one for each stretch of it in either list. Long lists are cut at ``anchors``
first.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from csg.language.syntax import Statement

# ------------------------------------------------------------------------------------------ by cost


@dataclass(frozen=True, slots=True)
class Match:
    """old[old:old_end] and new[new:new_end] become ``items`` at ``cost``."""

    old: int
    new: int
    old_end: int
    new_end: int
    items: tuple[Statement, ...]
    cost: int


@dataclass(frozen=True, slots=True)
class Pairing:
    old: Sequence[int]
    new: Sequence[int]
    matches: Callable[[int, int], list[Match]]


@dataclass(frozen=True, slots=True)
class _Step:
    cost: int
    before: tuple[int, int, int] | None
    match: Match | None


def align(pairing: Pairing) -> list[Match]:
    """The matches of the cheapest alignment, in order."""
    rows, columns = len(pairing.old), len(pairing.new)
    if not rows or not columns:
        return []
    # A state is (i, j, g): i and j items are done; bit 0 of g tells that the stretch before it has
    # old items already, bit 1 new ones.
    table: dict[tuple[int, int, int], _Step] = {(0, 0, 0): _Step(0, None, None)}
    for i in range(rows + 1):
        for j in range(columns + 1):
            _advance(pairing, table, i, j)
    last = min(
        (state for g in range(4) if (state := (rows, columns, g)) in table),
        key=lambda state: table[state].cost,
    )
    return _trace(table, last)


def _advance(pairing: Pairing, table: dict[tuple[int, int, int], _Step], i: int, j: int) -> None:
    states = [(i, j, g) for g in range(4) if (i, j, g) in table]
    if not states:
        return
    best = min(states, key=lambda state: table[state].cost)
    if i < len(pairing.old) and j < len(pairing.new):
        for match in pairing.matches(i, j):
            target = (match.old_end, match.new_end, 0)
            _offer(table, target, _Step(table[best].cost + match.cost, best, match))
    for state in states:
        cost, gap = table[state].cost, state[2]
        if i < len(pairing.old):
            left = cost + pairing.old[i] + (0 if gap & 1 else 1)
            _offer(table, (i + 1, j, gap | 1), _Step(left, state, None))
        if j < len(pairing.new):
            left = cost + pairing.new[j] + (0 if gap & 2 else 1)
            _offer(table, (i, j + 1, gap | 2), _Step(left, state, None))


def _offer(
    table: dict[tuple[int, int, int], _Step], state: tuple[int, int, int], step: _Step
) -> None:
    known = table.get(state)
    if known is None or step.cost < known.cost:
        table[state] = step


def _trace(table: dict[tuple[int, int, int], _Step], state: tuple[int, int, int]) -> list[Match]:
    found: list[Match] = []
    at: tuple[int, int, int] | None = state
    while at is not None:
        step = table[at]
        if step.match is not None:
            found.append(step.match)
        at = step.before
    found.reverse()
    return found


# ------------------------------------------------------------------------------------------ anchors
# Cut two long lists at statements that both have exactly once, before they are aligned by cost.
#
#     old:  a  b  c  d  e          pieces:  (a b | a x)  c  (d e | d y e)
#     new:  a  x  c  d  y  e
#
# Exact alignment takes time with the product of the lengths; a list of many hundred statements
# would take seconds. The anchors are a longest increasing sequence (as in a patience diff): no cut
# crosses another.


LONG = 1600  # product of the lengths from which on lists are cut


def anchors(old: Sequence[int], new: Sequence[int]) -> list[tuple[int, int]]:
    """Pairs of positions with equal numbers at which both lists can be cut; none for short
    lists."""
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
    """A longest sequence of pairs in which both components increase."""
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
