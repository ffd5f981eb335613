"""Where in an object a pointer of a type can lead (C17 6.5p7): to each part of that type, also in
the structures, unions and arrays that are parts of it.

struct s { int n; union { short h; long l; } u; int v[2][3]; }
    int *          n, v[0][0], v[1][2], v[0][1], v[0][2], v[1][0], v[1][1]
    short *        u.h
    int (*)[3]     v[0], v[1]
    char *         each byte

Tests try some of these places, near ones first. All others count as untried.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import islice

from csg.language.types import (
    Array,
    Enumeration,
    Integer,
    Pointer,
    Record,
    Type,
    Void,
    size_of,
)
from csg.records import record
from symexec.inputs.structures import Place, is_text, leads_to_places

MOST_PARTS = 500  # of one type in an object that are looked for
NEAR_STRUCTURES = 12  # of an array: the first, the last, the second ..
NEAR_ELEMENTS = 3  # of an array of numbers, or of rows: the first, the last and the second


@record
class Ways:
    """The offsets in an object at which tests let a pointer lead there, those of first elements
    before ``later`` ones; and how many there are ``in_all``."""

    near: tuple[int, ...] = ()
    later: tuple[int, ...] = ()
    in_all: int = 0


def ways_into(place: Place, target: Type, text: bool) -> Ways:
    """The ways in which a pointer to ``target`` leads to a part of an object, or to an element that
    is not its first one. A ``text`` leads to an array of characters that can end there."""
    whole = Array(place.type, place.elements) if place.several else place.type
    found: dict[int, int] = {}
    for rank, offset in islice(parts_alike(whole, target, place.end), MOST_PARTS):
        found[offset] = min(rank, found.get(offset, rank))
    in_all = place.size if is_text(target) else len(found)
    if alike(place.type, target):
        return Ways((size_of(target),) if place.several else (), (), place.elements - 1)
    match target:
        case _ if text:
            return Ways(tuple(_arrays(place, target)), (), in_all)
        case Pointer():
            links = {each.offset for each in place.links}
            return Ways(tuple(each for each in found if each in links), (), in_all)
        case Record():
            return Ways(_with_ranks(found, range(NEAR_STRUCTURES)), (), in_all)
        case Array():
            return Ways(_with_ranks(found, range(NEAR_ELEMENTS)), (), in_all)
        case _:
            near, later = range(1), range(1, NEAR_ELEMENTS)
            return Ways(_with_ranks(found, near), _with_ranks(found, later), in_all)


def _arrays(place: Place, target: Type) -> Iterator[int]:
    """The offsets of the arrays of characters in an object that are inputs."""
    for each in place.members:
        if isinstance(each.type, Array) and alike(each.type.element, target):
            yield each.offset


def _with_ranks(found: Mapping[int, int], ranks: range) -> tuple[int, ...]:
    return tuple(offset for offset, rank in found.items() if rank in ranks)


def parts_alike(whole: Type, target: Type, unknown: int = 0) -> Iterator[tuple[int, int]]:
    """The offsets of the parts of an object, or of all of it, that have the type ``target``, each
    with the highest rank of an element on the way: 0 for a first one, 1 for a last one, 2 for a
    second one. An array of no length has as many elements as is ``unknown``."""
    if alike(whole, target):
        yield 0, 0
    match whole:
        case Array(element=element, length=length):
            inner = [*islice(parts_alike(element, target, unknown), MOST_PARTS)]
            count = (length if isinstance(length, int) else 0) or unknown
            for rank, number in enumerate(_numbers(count) if inner else ()):
                start = number * size_of(element)
                yield from ((max(rank, below), start + offset) for below, offset in inner)
        case Record(fields=tuple() as fields):
            for each in fields:
                if each.bit_width is None:
                    for rank, offset in parts_alike(each.type, target, unknown):
                        yield rank, each.offset + offset
        case _:
            pass


def _numbers(count: int) -> Iterator[int]:
    """The numbers of the elements of an array, those that are tried first."""
    yield from dict.fromkeys((0, count - 1)) if count else ()
    yield from range(1, count - 1)


def leads_into(whole: Type, target: Type, tried: Collection[int]) -> bool:
    """Is there a place in an object to which a pointer to ``target`` can lead, other than those
    that were tried?"""
    if is_text(target):
        return len(tried) < size_of(whole)
    return any(offset not in tried for _, offset in parts_alike(whole, target))


def ways_between(one: Type, other: Type, several: bool) -> int:
    """In how many ways two pointers, neither of which leads to a part of what the other one leads
    to, lead into one object, an element apart at most. ``several``: structures, or rows, can be
    so."""
    if alike(one, other):
        return 3 if several or not leads_to_places(Pointer(one)) else 1
    for part, whole in ((one, other), (other, one)):
        if is_text(part):
            return size_of(whole) + 1
        if isinstance(part, Array) and any(parts_alike(part, whole)):
            return 1  # a row that begins elsewhere in an array of numbers
    return 0


def alike(one: Type, other: Type) -> bool:
    """May objects of both types be one (C17 6.5p7)?"""
    match one, other:
        case (Void(), _) | (_, Void()):
            return is_text(one) and is_text(other)
        case Integer() | Enumeration(), Integer() | Enumeration():
            return size_of(one) == size_of(other)
        case Array(element=left, length=int(least)), Array(element=right, length=int(most)):
            return least == most and alike(left, right)
        case Array(element=left), Array(element=right):
            return alike(left, right)
        case _:
            return one == other
