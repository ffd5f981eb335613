"""Which pointers in the objects of an input lead into one object, one choice for each.

    struct queue { struct node *head, *tail; }    q->tail = q->head
    struct text { char *at; char small[16]; }     t->at = t->small
    struct list { struct node *first, **end; }    l->end = &l->first
    f(struct node *n, int *out)                   out = &n->next->value

No pointer to a structure leads to the one that it is a part of, nor to one that leads there: cycles
are a bound of the verdict.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice

from csg.analysis.aliasing import Stores, type_key
from csg.language.syntax import Symbol
from csg.language.types import VOID, Pointer, Record, Type, size_of
from csg.records import record
from symexec.inputs.inside import Ways, alike, ways_between, ways_into
from symexec.inputs.structures import Place, is_text, leads_to_places, led_to

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
    ``owners``: the pointers that lead to that object; ``several``: it leads to several of them."""

    name: str
    root: str
    target: Type
    owners: frozenset[str] = frozenset()
    several: bool = False


@record
class OwnedObject:
    """An object, the parameter that it belongs to, and the pointers that lead to it."""

    place: Place
    root: str
    owners: frozenset[str]


class Known(dict[tuple[str, str], int]):
    """How many ways there are in which the first pointer leads into what the second one leads to,
    or the second one into what the first one does."""

    def add(self, name: str, into: str, ways: int) -> None:
        if ways:
            self[name, into] = max(ways, self.get((name, into), 0))


Trees = Sequence[tuple[Symbol, Sequence[Place]]]


def shared_parts(
    trees: Trees,
    parameters: Iterable[Symbol],
    stores: Stores,
    known: Known,
    single: Collection[str] = (),
) -> list[Alias]:
    """The choices that matter, near ones first; not all where there are very many. ``trees``: each
    parameter with the objects that it is or leads to; ``parameters``: those that may lead into
    objects of others, of which ``single`` ones lead to one number; ``known``: all ways are added to
    these."""
    objects = sorted(objects_behind(trees), key=lambda each: len(each.owners))
    pointers = [
        _Pointer(each.name, each.name, led_to(each.type))
        for each in parameters
        if isinstance(each.type, Pointer) and each.name not in stores.apart
    ]
    pointers += [
        _Pointer(link.name, each.root, link.target, each.owners, link.several)
        for each in objects
        for link in each.place.links
    ]
    meeting = _Meeting(stores)
    pointers = pointers[:MOST_POINTERS]
    found = [
        *islice(_to_one(pointers, meeting, known, single), MOST_WAYS),
        *islice(_to_members(objects, pointers, meeting, known), MOST_WAYS),
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

    def as_bytes(self, one: str, other: str) -> bool:
        """Does it matter where one of the pointers is to characters?"""
        return self(one, other, VOID)


def objects_behind(trees: Trees) -> Iterator[OwnedObject]:
    """The objects that parameters are or lead to."""
    for root, places in trees:
        owners = {places[0].name: frozenset((places[0].name,))} if places else {}
        for place in places:
            whole = owners[place.name]
            yield OwnedObject(place, root.name, whole)
            owners.update((link.name, whole | {link.name}) for link in place.links)


def _to_one(
    pointers: Sequence[_Pointer], meet: _Meeting, known: Known, single: Collection[str]
) -> Iterator[Alias]:
    """Two pointers, one of them in an object, lead to one object, or to one array, in which one of
    them leads an element further. Neither leads to the other one."""
    for at, each in enumerate(pointers):
        for other in pointers[:at]:
            if not each.owners or each.name in other.owners or other.name in each.owners:
                continue
            own, into = (each, other) if other.owners else (other, each)
            ways = ways_between(own.target, into.target, own.several or into.several)
            ways -= ways > 1 and own.name in single  # nothing is behind its number
            is_met = meet(own.root, into.root, own.target)
            if not is_met and (is_text(own.target) or is_text(into.target)):
                ways *= meet.as_bytes(own.root, into.root)
            elif not is_met:
                continue
            known.add(own.name, into.name, ways)
            if not is_met or not alike(own.target, into.target):
                continue
            needs = own.owners | into.owners | {own.name, into.name}
            yield Alias(own.name, into.name, 0, needs)
            if not leads_to_places(Pointer(own.target)) and not is_text(own.target):
                yield Alias(own.name, into.name, size_of(own.target), needs)
                if own.name not in single:
                    yield Alias(into.name, own.name, size_of(own.target), needs)


def _to_members(
    objects: Sequence[OwnedObject], pointers: Sequence[_Pointer], meet: _Meeting, known: Known
) -> Iterator[Alias]:
    """A pointer leads to a member of an object."""
    found: dict[tuple[str, Type], Ways] = {}
    for into in objects:
        place = into.place
        for each in pointers:
            if each.name in into.owners:
                continue  # it leads to this object
            if isinstance(each.target, Record) and place.name in each.owners:
                continue  # a cycle
            text = is_text(each.target)
            is_met = meet(each.root, into.root, each.target)
            if not is_met and not (text and meet.as_bytes(each.root, into.root)):
                continue
            key = place.name, each.target
            if key not in found:
                found[key] = ways_into(place, each.target, text)
            known.add(each.name, place.name, found[key].in_all)
            needs = each.owners | into.owners | {each.name}
            for offset in found[key].near if is_met else ():
                yield Alias(each.name, place.name, offset, needs)
