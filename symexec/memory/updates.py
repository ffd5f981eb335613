"""Writes at offsets that are not known: an object's update list, oldest first.

    t[i] = 7      Update(offset i, size 1, value 7); no byte of t is touched
    t[2]          ite(i == 2, 7, what t held there before)
    t[j]          ite(i == j, 7, what t[j] was before)

So a write costs the same however large the table is, and forks share the table's bytes.
"""

from __future__ import annotations

from csg.records import record
from symexec.expr import Data, Shadowed, Term, binary, compare, concat, extract, ite, shadowed
from symexec.expr import new_half as new_of
from symexec.expr import old_half as old_of

BOTH, OLD, NEW = 0, 1, 2  # which versions an access is made by


def merged(current: Data, value: Data, mode: int) -> Data:
    """The value of a place after the versions of ``mode`` have written it: the other half stays."""
    if mode == BOTH:
        return value
    if mode == OLD:
        return shadowed(old_of(value), new_of(current))
    return shadowed(old_of(current), new_of(value))


@record
class Update:
    """A store of ``value`` (8 * size bits) at ``offset``, which is one of ``places``: multiples of
    their step, a power of two. Later updates of an object have larger numbers."""

    number: int
    offset: Term
    places: range
    size: int
    value: Data
    mode: int

    @property
    def end(self) -> int:
        return self.places[-1] + self.size

    def reaches(self, start: int, end: int) -> bool:
        return self.places.start < end and start < self.end

    def within(self, start: int, end: int) -> bool:
        return start <= self.places.start and self.end <= end

    def replaces(self, other: Update) -> bool:
        """Does it overwrite all that an earlier update wrote?"""
        return (
            self.offset is other.offset
            and self.size >= other.size
            and self.mode in (BOTH, other.mode)
        )

    def differs(self) -> bool:
        """Does its value differ between the versions?"""
        return self.mode != BOTH or isinstance(self.value, Shadowed)

    def moved(self, distance: int, number: int) -> Update:
        """The update in an object into which the bytes were copied, ``distance`` bytes further."""
        offset = binary("add", 32, self.offset, distance & 0xFFFFFFFF)
        assert isinstance(offset, Term)
        step = min(self.places.step, distance & -distance or self.places.step)
        places = range(self.places.start + distance, self.places[-1] + distance + 1, step)
        return Update(number, offset, places, self.size, self.value, self.mode)

    def over(self, below: Data, at: int | Term, where: range, size: int) -> Data:
        """The value of ``size`` bytes at an offset, which is one of ``where``, with this update
        over ``below``. A symbolic offset is a multiple of the step of ``where``."""
        if not self.reaches(where.start, where[-1] + size):
            return below
        result = below
        for distance in range(1 - self.size, size):  # from ``at`` to where the update begins
            if not self._meets(where, isinstance(at, int), distance):
                continue
            place = binary("add", 32, at, distance & 0xFFFFFFFF)
            here = compare("eq", 32, self.offset, place)
            result = ite(here, self._spliced(below, size, distance), result, 8 * size)
        return result

    def _meets(self, where: range, known: bool, distance: int) -> bool:
        if known:
            return where.start + distance in self.places
        if distance % min(self.places.step, where.step):
            return False
        first, last = where.start + distance, where[-1] + distance
        return self.places.start <= last and first <= self.places[-1]

    def _spliced(self, below: Data, size: int, distance: int) -> Data:
        """``below`` with the bytes replaced that the update covers."""
        start, end = max(0, distance), min(size, distance + self.size)
        middle = extract(self.value, 8 * (start - distance), 8 * (end - start))
        middle = merged(extract(below, 8 * start, 8 * (end - start)), middle, self.mode)
        if start:
            middle = concat(middle, 8 * (end - start), extract(below, 0, 8 * start), 8 * start)
        if end < size:
            rest = 8 * (size - end)
            middle = concat(extract(below, 8 * end, rest), rest, middle, 8 * end)
        return middle
