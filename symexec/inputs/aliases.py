"""Which pointers of an input lead into one object, one choice for each.

    int both(int *a, int *b)           b = a, b = a + 1, a = b + 1
    int put(struct s *s, int *out)     out = s->slots, out = &s->used
    int eq(struct l *l, struct l *m)   m = l, m = l->next, l = m->next
    int up(struct d *d, struct b *b)   b = &d->base
    int pop(struct queue *q)           q->tail = q->head

Apart they are in all other inputs. A choice is tried where a version writes through one of both, or
compares them (``csg.analysis.aliasing``); those near to the parameters come first, and what is
beyond ``MOST_ALIASES`` is a bound of the verdict. So are cycles: no pointer in an object leads to
the object itself, nor to one that leads to it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import islice

from csg.analysis.aliasing import Stores, types_behind
from csg.analysis.several import Several
from csg.language.syntax import Symbol
from csg.language.types import (
    Array,
    Function,
    Pointer,
    Record,
    Type,
    Void,
    size_of,
)
from symexec.inputs.shared_parts import (
    NEAR_ELEMENTS,
    Alias,
    alike,
    later_elements,
    members_like,
    parts_like,
    shared_parts,
)
from symexec.inputs.structures import (
    Depth,
    Place,
    can_be_passed,
    is_text,
    leads_to_places,
    parameter_places,
)

MOST_ALIASES = 12
NEAR = 3  # pointers that are not null where parts of one object lead to one object
MOST_PARTS = 3  # of one global object, for one parameter
GLOBAL = "&"  # before the name of a global object


def aliases(
    parameters: Sequence[Symbol],
    stores: Stores,
    several: Several,
    depths: Sequence[Depth],
    apart: Collection[str] = (),
    single: Collection[str] = (),
    texts: Collection[str] = (),
) -> tuple[list[Alias], int]:
    """The choices that are tried, and how many there are. ``apart``: parameters that stay as they
    are; ``single``: those that lead to one element; ``texts``: those that lead to texts, which a 0
    ends: they lead into texts alone."""
    pointers = [
        each for each in parameters if isinstance(each.type, Pointer) and each.name not in apart
    ]
    trees = {
        each: parameter_places(each, several, depths=depths)
        for each in parameters
        if each in pointers or can_be_passed(each.type)
    }
    found: list[Alias] = []
    untried = 0  # a text there has no end, there is one element alone, or what is in a structure
    for at, one in enumerate(pointers):
        for other in pointers[at + 1 :]:
            if stores.meet(one.name, other.name):
                both = [*_roots(one, other)]
                alone = {one.name, other.name} & {*single}
                tried = [
                    each
                    for each in both
                    if _ends(each, one, other, texts) and not (each.offset and alone)
                ]
                found += tried
                untried += len({each.name for each in both} - {each.name for each in tried})
    later: list[Alias] = []
    for one, places in trees.items():
        for other in pointers:
            if one is not other and stores.meet(one.name, other.name):
                found += _inside(places, other, other.name in texts)
                later += () if other.name in texts else _later(places, other)
                untried += one in pointers and _has_other_ways(places, other)
    shared = shared_parts([*trees.items()], pointers, stores)
    near = [each for each in shared if len(each.needs) <= NEAR]
    found += near
    for each in pointers:
        if each.name not in texts:
            found += _globals(each, stores)
    copies = {each.name for each in trees if each not in pointers}  # nobody points into these
    found = [each for each in dict.fromkeys((*found, *shared, *later)) if each.into not in copies]
    return found[:MOST_ALIASES], len(found) + untried


def _roots(one: Symbol, other: Symbol) -> Iterator[Alias]:
    """Both lead to one object, or one of them an element further than the other."""
    assert isinstance(one.type, Pointer)
    assert isinstance(other.type, Pointer)
    left, right = one.type.target, other.type.target
    names = frozenset((one.name, other.name))
    if alike(left, right):
        yield Alias(other.name, one.name, 0, names)
        if not leads_to_places(one.type):
            step = max(1, size_of(left)) if not isinstance(left, Void) else 1
            yield Alias(other.name, one.name, step, names)
            yield Alias(one.name, other.name, step, names)
    elif is_text(right) and not leads_to_places(one.type):
        yield Alias(other.name, one.name, 0, names)
    elif is_text(left) and not leads_to_places(other.type):
        yield Alias(one.name, other.name, 0, names)


def _ends(alias: Alias, one: Symbol, other: Symbol, texts: Collection[str]) -> bool:
    """Does a text that leads into the object end there?"""
    into = other if alias.name == one.name else one
    kind = into.type
    return alias.name not in texts or (isinstance(kind, Pointer) and is_text(kind.target))


def _inside(found: Sequence[Place], other: Symbol, text: bool) -> Iterator[Alias]:
    """The other parameter leads to what a pointer in an object leads to, or to a member."""
    assert isinstance(other.type, Pointer)
    target = other.type.target
    for place in found[:1]:
        for link in place.links:
            if alike(link.target, target):
                yield Alias(
                    other.name, link.name, 0, frozenset((place.name, link.name, other.name))
                )
        for offset in members_like(place, target, text):
            there = {link.name for link in place.links if link.offset == offset}
            needs = frozenset((place.name, other.name, *there))
            yield Alias(other.name, place.name, offset, needs)


def _later(found: Sequence[Place], other: Symbol) -> Iterator[Alias]:
    """The other parameter leads to a later element of an array of numbers in an object."""
    assert isinstance(other.type, Pointer)
    for place in found[:1]:
        for offset in later_elements(place, other.type.target):
            yield Alias(other.name, place.name, offset, frozenset((place.name, other.name)))


def _has_other_ways(found: Sequence[Place], other: Symbol) -> bool:
    """Can the other parameter lead into a structure in a way that no start has? To bytes of it, to
    a pointer in it, to the structure behind it, or to a later element of an array in it."""
    assert isinstance(other.type, Pointer)
    target = other.type.target
    for place in found[:1]:
        if is_text(target) or isinstance(target, Pointer) or alike(place.type, target):
            return True
        for member in place.members:
            kind = member.type
            if not isinstance(kind, Array) or kind.length in range(NEAR_ELEMENTS + 1):
                continue
            if alike(kind.element, target):
                return True
    return False


def _globals(parameter: Symbol, stores: Stores) -> Iterator[Alias]:
    """The parameter leads into a global object that the function uses."""
    assert isinstance(parameter.type, Pointer)
    target = parameter.type.target
    for each in stores.globals:
        kind = each.type.element if isinstance(each.type, Array) else each.type
        if not stores.meets_global(parameter.name, each.name):
            continue
        into, needs = GLOBAL + each.name, frozenset((parameter.name,))
        if alike(kind, target) and not isinstance(kind, Pointer | Void):
            yield Alias(parameter.name, into, 0, needs)
        elif leads_to_places(parameter.type):
            for offset in parts_like(kind, target):
                yield Alias(parameter.name, into, offset, needs)
        elif not isinstance(target, Pointer | Void):
            for offset in islice(_offsets_alike(each.type, target), MOST_PARTS):
                yield Alias(parameter.name, into, offset, needs)


def objects_apart(
    parameters: Sequence[Symbol], stores: Stores, tried: Collection[Alias]
) -> tuple[str, ...]:
    """The names of the objects of the program into which a pointer of the input could lead, as far
    as that matters, and into which, or into parts of which, none does."""
    found: dict[str, None] = {}
    for known in (*stores.globals, *stores.given_out):
        for each in parameters:
            if not stores.meets_global(each.name, known.name):
                continue
            offsets = {
                alias.offset
                for alias in tried
                if (alias.name, alias.into) == (each.name, GLOBAL + known.name)
            }
            for level, target in enumerate(_targets(each.type)):
                met = set() if level else offsets
                if any(offset not in met for offset in _offsets_alike(known.type, target)):
                    found[known.name] = None
    return tuple(found)


def _targets(kind: Type) -> list[Type]:
    """What pointers in an input lead to: what the parameter does, before what is behind it."""
    inner = [kind, *types_behind(kind)]
    found = [each.target for each in inner if isinstance(each, Pointer)]
    return [each for each in found if not isinstance(each, Function | Void)]


def _offsets_alike(whole: Type, part: Type) -> Iterator[int]:
    """Where objects of the type ``part`` lie in another one; of an array the first element
    counts."""
    waiting = [(whole, 0)]
    while waiting:
        kind, start = waiting.pop()
        match kind:
            case _ if alike(kind, part) and not isinstance(kind, Void):
                yield start
            case Array(element=element):
                waiting.append((element, start))
            case Record(fields=tuple() as fields):
                waiting += [
                    (each.type, start + each.offset)
                    for each in reversed(fields)
                    if each.bit_width is None
                ]
            case _:
                pass


def named_in(texts: Sequence[str], parameters: Sequence[Symbol]) -> frozenset[str]:
    """The parameters that texts speak of."""
    words = {word for text in texts for word in re.findall(r"\w+", text)}
    return frozenset(each.name for each in parameters if each.name in words)
