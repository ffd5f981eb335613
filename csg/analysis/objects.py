"""The memory objects that pointers can point to, and places within them.

    struct s { int a; char *b; } g;      &g.b  is the location (g, 8)

A location is an object and a byte offset, or ANYWHERE in it. Offsets are distinguished for structs
only; arrays, and objects in which too many offsets turn up, are one location. Locations are
numbered, so that a set of them is an int with a bit for each.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from csg.language.types import Array, Type

ANYWHERE = -1
MOST_OFFSETS = 32
_WORD = 64  # bits


class ObjectKind(StrEnum):
    """Where an object of the points-to analysis comes from."""

    SLOT = "slot"  # a local object
    GLOBAL = "global"
    HEAP = "heap"
    FUNCTION = "function"
    OUTSIDE = "outside"  # all that the program does not have itself


@dataclass(frozen=True, slots=True)
class MemoryObject:
    """An object in memory. ``size`` is in bytes, 0 when unknown. ``owner`` is the function of a
    local object, ``slot`` its number there."""

    kind: ObjectKind
    name: str
    owner: str = ""
    size: int = 0
    flat: bool = False  # all offsets in it are one location
    slot: int = -1


@dataclass(slots=True)
class Objects:
    """Numbers of objects and locations in the order of their first use."""

    objects: list[MemoryObject] = field(default_factory=list)
    numbers: dict[tuple[ObjectKind, str, str], int] = field(default_factory=dict)
    locations: list[tuple[int, int]] = field(default_factory=list)
    location_numbers: dict[tuple[int, int], int] = field(default_factory=dict)
    # per object, how many offsets have a location of their own
    offsets: list[int] = field(default_factory=list)

    def add(
        self,
        kind: ObjectKind,
        name: str,
        owner: str = "",
        size: int = 0,
        flat: bool = False,
        slot: int = -1,
    ) -> int:
        key = (kind, name, owner)
        number = self.numbers.get(key)
        if number is None:
            number = self.numbers[key] = len(self.objects)
            self.objects.append(MemoryObject(kind, name, owner, size, flat, slot))
            self.offsets.append(0)
        return number

    def location(self, number: int, offset: int) -> int:
        """The number of the location ``offset`` bytes into object ``number``. It is ANYWHERE in the
        object where the offset lies outside, or has no location of its own."""
        key = (number, offset)
        found = self.location_numbers.get(key)
        if found is not None:
            return found
        if offset != ANYWHERE:
            thing = self.objects[number]
            outside = offset < 0 or (thing.size and offset >= thing.size)
            if thing.flat or outside or self.offsets[number] >= MOST_OFFSETS:
                return self.location(number, ANYWHERE)
            self.offsets[number] += 1
        place = self.location_numbers[key] = len(self.locations)
        self.locations.append(key)
        return place

    def moved(self, location: int, by: int) -> int:
        """The location ``by`` bytes behind ``location``; ANYWHERE stays ANYWHERE."""
        number, offset = self.locations[location]
        return location if offset == ANYWHERE else self.location(number, offset + by)

    def anywhere(self, location: int) -> int:
        number, offset = self.locations[location]
        return location if offset == ANYWHERE else self.location(number, ANYWHERE)


def is_flat(kind: Type | None) -> bool:
    """Is an object of this type one location? An array is: its elements are mostly reached by a
    variable index."""
    return isinstance(kind, Array)


def bits(mask: int) -> Iterator[int]:
    """The positions of the ones in a bit set, ascending. Word by word: taking ones from a long
    integer copies all of it each time."""
    if not mask:
        return
    first = ((mask & -mask).bit_length() - 1) // _WORD * _WORD  # the ones often lie together
    mask >>= first
    if mask.bit_length() <= _WORD:
        yield from _bits_of_word(mask, first)
        return
    count = -(-mask.bit_length() // _WORD)
    words = struct.unpack(f"<{count}Q", mask.to_bytes(count * _WORD // 8, "little"))
    for index, word in enumerate(words):
        if word:
            yield from _bits_of_word(word, first + index * _WORD)


def _bits_of_word(word: int, first: int) -> Iterator[int]:
    while word:
        low = word & -word
        yield first + low.bit_length() - 1
        word ^= low
