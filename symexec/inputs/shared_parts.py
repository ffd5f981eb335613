"""Which pointers in the objects of an input lead into one object, one choice for each.

    struct queue { struct node *head, *tail; }    q->tail = q->head
    struct text { char *at; char small[16]; }     t->at = t->small
    struct list { struct node *first, **end; }    l->end = &l->first
    f(struct node *n, int *out)                   out = &n->next->value

No pointer to a structure leads to the one that it is a part of, nor to one that leads there: cycles
are a bound of the verdict.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from csg.analysis.aliasing import Stores, type_key
from csg.language.syntax import Symbol
from csg.language.types import (
    Array,
    Enumeration,
    Floating,
    Integer,
    Pointer,
    Record,
    Type,
    Void,
    size_of,
)
from csg.records import record
from symexec.inputs.structures import Place, is_text, leads_to_places

MOST_ELEMENTS = 12  # of an array of structures, to which a pointer leads
NEAR_ELEMENTS = 3  # of an array of numbers: the first, the last and the second
MOST_WAYS = 500  # of two pointers, and of a pointer and a member, that are looked for
MOST_POINTERS = 200  # of which these are


@record
class Alias:
    """The pointer ``name``, a parameter or a part of an object, leads ``offset`` bytes into the
    object that ``into`` leads to. ``needs``: the pointers that are not null then."""

    name: str
    into: str
    offset: int
    needs: frozenset[str]


@record
class _Pointer:
    """A parameter, or a pointer in an object that the parameter ``root`` is or leads to.
    ``owners``: the pointers that lead to that object."""

    name: str
    root: str
    target: Type
    owners: frozenset[str] = frozenset()


@record
class _Object:
    """An object, the parameter that it belongs to, and the pointers that lead to it."""

    place: Place
    root: str
    owners: frozenset[str]


Trees = Sequence[tuple[Symbol, Sequence[Place]]]


def shared_parts(trees: Trees, parameters: Iterable[Symbol], stores: Stores) -> list[Alias]:
    """The choices that matter, near ones first; not all where there are very many. ``trees``: each
    parameter with the objects that it is or leads to; ``parameters``: those that may lead into
    objects of others."""
    objects = sorted(_objects(trees), key=lambda each: len(each.owners))
    pointers = [
        _Pointer(each.name, each.name, each.type.target)
        for each in parameters
        if isinstance(each.type, Pointer) and each.name not in stores.apart
    ]
    pointers += [
        _Pointer(link.name, each.root, link.target, each.owners)
        for each in objects
        for link in each.place.links
    ]
    meeting = _Meeting(stores)
    pointers = pointers[:MOST_POINTERS]
    found = [
        *islice(_to_one(pointers, meeting), MOST_WAYS),
        *islice(_to_members(objects, pointers, meeting), MOST_WAYS),
    ]
    return sorted(found, key=lambda each: len(each.needs))


class _Meeting:
    """Does it matter whether pointers behind two parameters lead to one object?"""

    def __init__(self, stores: Stores) -> None:
        self._stores = stores
        self._known: dict[tuple[str, str, str], bool] = {}

    def __call__(self, one: str, other: str, target: Type) -> bool:
        key = one, other, type_key(target)
        if key not in self._known:
            self._known[key] = self._stores.parts_meet(one, other, target)
        return self._known[key]


def _objects(trees: Trees) -> Iterator[_Object]:
    for root, places in trees:
        owners = {places[0].name: frozenset((places[0].name,))} if places else {}
        for place in places:
            whole = owners[place.name]
            yield _Object(place, root.name, whole)
            owners.update((link.name, whole | {link.name}) for link in place.links)


def _to_one(pointers: Sequence[_Pointer], meet: _Meeting) -> Iterator[Alias]:
    """Two pointers, one of them in an object, lead to one object, or to one array, in which one of
    them leads an element further. Neither leads to the other one."""
    for at, one in enumerate(pointers):
        for other in pointers[:at]:
            if not one.owners or one.name in other.owners or other.name in one.owners:
                continue
            if not alike(one.target, other.target) or not meet(one.root, other.root, one.target):
                continue
            name, into = (one.name, other.name) if other.owners else (other.name, one.name)
            needs = one.owners | other.owners | {name, into}
            yield Alias(name, into, 0, needs)
            if not leads_to_places(Pointer(one.target)) and not is_text(one.target):
                yield Alias(name, into, size_of(one.target), needs)


def _to_members(
    objects: Sequence[_Object], pointers: Sequence[_Pointer], meet: _Meeting
) -> Iterator[Alias]:
    """A pointer leads to a member of an object."""
    for into in objects:
        for each in pointers:
            if each.name in into.owners:
                continue  # it leads to this object
            if isinstance(each.target, Record) and into.place.name in each.owners:
                continue  # a cycle
            if not meet(each.root, into.root, each.target):
                continue
            needs = each.owners | into.owners | {each.name}
            for offset in members_like(into.place, each.target, is_text(each.target)):
                yield Alias(each.name, into.place.name, offset, needs)


def members_like(place: Place, target: Type, text: bool) -> Iterator[int]:
    """The offsets of members of an object to which a pointer to ``target`` can lead; one to a
    ``text`` leads to no single character."""
    match target:
        case Record():
            yield from parts_like(place.type, target)
        case Pointer(target=inner):
            yield from (link.offset for link in place.links if link.target == inner)
        case _:
            for member in place.members:
                kind = member.type.element if isinstance(member.type, Array) else member.type
                if text and kind is member.type:
                    continue
                if member.bit_width is None and alike(kind, target) and not isinstance(kind, Void):
                    yield member.offset


def later_elements(place: Place, target: Type) -> Iterator[int]:
    """The offsets of the last and the second element of each array of numbers in an object to which
    a pointer to ``target`` can lead."""
    for member in place.members:
        if isinstance(member.type, Array) and alike(kind := member.type.element, target):
            for number in _elements(member.type)[1:NEAR_ELEMENTS]:
                yield member.offset + number * size_of(kind)


def parts_like(whole: Type, part: Type) -> Iterator[int]:
    """The offsets of members of this type in a structure, in those that are part of it, and in
    arrays, whose first and last elements come before the others."""
    waiting = [(whole, 0)]
    while waiting:
        kind, start = waiting.pop()
        for each in (kind.fields or ()) if isinstance(kind, Record) else ():
            inner = each.type.element if isinstance(each.type, Array) else each.type
            if not isinstance(inner, Record) or each.bit_width is not None:
                continue
            for number in _elements(each.type):
                offset = start + each.offset + number * size_of(inner)
                if inner == part:
                    yield offset
                else:
                    waiting.append((inner, offset))


def _elements(kind: Type) -> list[int]:
    """The numbers of the elements of an array that are tried, the outer ones first."""
    if not isinstance(kind, Array):
        return [0]
    length = max(1, kind.length) if isinstance(kind.length, int) else 1
    return [*dict.fromkeys((0, length - 1, *range(1, min(length, MOST_ELEMENTS) - 1)))]


def alike(one: Type, other: Type) -> bool:
    """May objects of both types be one (C17 6.5p7)?"""
    match one, other:
        case (Void(), _) | (_, Void()):
            return is_text(one) and is_text(other)
        case Integer() | Enumeration(), Integer() | Enumeration():
            return size_of(one) == size_of(other)
        case Floating(), Floating():
            return one == other
        case _:
            return one == other
