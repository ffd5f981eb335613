"""Sets of values of one symbol, as sorted disjoint closed intervals.

below 5, at 8 bits       ->  ((0, 4),)
not equal to 7           ->  ((0, 6), (8, 255))
shifted by 250           ->  ((250, 254),) and so on, wrapping at the width
"""

from __future__ import annotations

from collections.abc import Iterable

Intervals = tuple[tuple[int, int], ...]

EMPTY: Intervals = ()


def full(width: int) -> Intervals:
    return ((0, (1 << width) - 1),)


def normal(parts: Iterable[tuple[int, int]]) -> Intervals:
    """Sorted, disjoint, neighbours joined."""
    result: list[tuple[int, int]] = []
    for low, high in sorted(parts):
        if result and low <= result[-1][1] + 1:
            if high > result[-1][1]:
                result[-1] = (result[-1][0], high)
        else:
            result.append((low, high))
    return tuple(result)


def intersect(a: Intervals, b: Intervals) -> Intervals:
    result: list[tuple[int, int]] = []
    i = j = 0
    while i < len(a) and j < len(b):
        low, high = max(a[i][0], b[j][0]), min(a[i][1], b[j][1])
        if low <= high:
            result.append((low, high))
        if a[i][1] < b[j][1]:
            i += 1
        else:
            j += 1
    return tuple(result)


def complement(a: Intervals, width: int) -> Intervals:
    result: list[tuple[int, int]] = []
    start = 0
    for low, high in a:
        if start < low:
            result.append((start, low - 1))
        start = high + 1
    if start < 1 << width:
        result.append((start, (1 << width) - 1))
    return tuple(result)


def shift(a: Intervals, offset: int, width: int) -> Intervals:
    """Every element plus ``offset``, wrapped."""
    top = (1 << width) - 1
    parts: list[tuple[int, int]] = []
    for low, high in a:
        first, last = (low + offset) & top, (high + offset) & top
        if high - low == top:
            return a
        if first <= last:
            parts.append((first, last))
        else:
            parts.extend(((first, top), (0, last)))
    return normal(parts)


def reflect(a: Intervals, total: int, width: int) -> Intervals:
    """``total`` minus every element, wrapped."""
    top = (1 << width) - 1
    mirrored = tuple((top - high, top - low) for low, high in reversed(a))
    return shift(mirrored, total + 1, width)


def contains(a: Intervals, value: int) -> bool:
    return any(low <= value <= high for low, high in a)
