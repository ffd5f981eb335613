"""Which pointers of an input lead into one object.

    int both(int *a, int *b)           b = a, b = a + 1, a = b + 1
    int put(struct s *s, int *out)     out = s->slots, out = &s->used
    int eq(struct l *l, struct l *m)   m = l, m = l->next, l = m->next
    int up(struct d *d, struct b *b)   b = &d->base
    int pop(struct queue *q)           q->tail = q->head

Apart they are in all other inputs. A way is tried where a version writes through one of both, or
compares them (``csg.analysis.aliasing``). Those near to the parameters come first, and several at
once (``combined_aliases``) come last. What is beyond ``MOST_ALIASES`` is a bound of the verdict. So
are cycles: no pointer in an object leads to the object itself, nor to one that leads to it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice

from csg.analysis.aliasing import Stores, types_behind
from csg.analysis.several import Several
from csg.language.syntax import Symbol
from csg.language.types import Function, Pointer, Type, Void, size_of
from symexec.inputs.combined_aliases import combinations_of
from symexec.inputs.inside import alike, leads_into, parts_alike, ways_between, ways_into
from symexec.inputs.shared_parts import MOST_WAYS, Alias, Known, Trees, shared_parts
from symexec.inputs.structures import (
    Depth,
    Place,
    can_be_passed,
    is_text,
    leads_to_places,
    led_to,
    parameter_places,
)

MOST_ALIASES = (12, 48, 192)  # at each level
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
    level: int = 0,
) -> tuple[list[tuple[Alias, ...]], int]:
    """The choices that are tried, each one way or, beyond level 0, several at once; and how many
    there are. ``apart``: parameters that stay as they are; ``single``: those that lead to one
    element; ``texts``: those that lead to texts, which a 0 ends: they lead into texts alone."""
    pointers = [
        each for each in parameters if isinstance(each.type, Pointer) and each.name not in apart
    ]
    trees = [
        (each, parameter_places(each, several, depths=depths))
        for each in parameters
        if each in pointers or can_be_passed(each.type)
    ]
    ways, known = _ways(trees, pointers, stores, single, texts)
    tried: list[tuple[Alias, ...]] = [(each,) for each in ways]
    in_all = len(ways) + _count_untried(ways, known)
    meeting = {frozenset(pair) for pair in (*known, *((each.name, each.into) for each in ways))}
    if len(meeting) > 1:
        written = stores.with_all_written(each.name for each in parameters)
        more, all_known = _ways(trees, pointers, written, single, texts)
        both = combinations_of(
            dict.fromkeys((*ways, *more)), all_known, meeting, trees, stores.apart
        )
        found = [*islice(both, MOST_WAYS)]
        in_all += sum(each.ways for each in found)
        ranked = [
            (len(choice), rank + len({need for way in choice for need in way.needs}), choice)
            for each in found
            for rank, choice in enumerate(each.choices)
        ]
        if level:
            tried += (choice for _, _, choice in sorted(ranked, key=lambda each: each[:2]))
    return tried[: MOST_ALIASES[level]], in_all


def _ways(
    trees: Trees,
    pointers: Sequence[Symbol],
    stores: Stores,
    single: Collection[str],
    texts: Collection[str],
) -> tuple[list[Alias], Known]:
    """The ways in which one pointer leads into the object of another one, near ones first, and how
    many are known."""
    places = dict(trees)
    known = Known()
    found: list[Alias] = []
    for at, one in enumerate(pointers):
        for other in pointers[at + 1 :]:
            if stores.meet(one.name, other.name):
                rows = any(place.several for each in (one, other) for place in places[each][:1])
                found += _roots(one, other, known, rows, single, texts)
    later: list[Alias] = []
    for one, tree in trees:
        for other in pointers:
            if one is not other and stores.meet(one.name, other.name):
                near, behind = _inside(tree, other, known, other.name in texts)
                found += near
                later += behind
    shared = shared_parts(trees, pointers, stores, known, single)
    found += (each for each in shared if len(each.needs) <= NEAR)
    for each in pointers:
        if each.name not in texts:
            found += _globals(each, stores, each.name in single or leads_to_places(each.type))
    copies = {each.name for each, _ in trees if each not in pointers}  # nobody points into these
    ways: dict[tuple[str, str, int], Alias] = {}
    for way in (*found, *shared, *later):
        if way.into not in copies:
            ways.setdefault((way.name, way.into, way.offset), way)
    return [*ways.values()], Known(
        {pair: count for pair, count in known.items() if pair[1] not in copies}
    )


def _count_untried(ways: Iterable[Alias], known: Known) -> int:
    """How many of the known ways have no start."""
    left = Counter(known)
    for each in ways:
        pair = each.name, each.into
        left[pair if pair in left else pair[::-1]] -= 1
    return sum(count for count in left.values() if count > 0)


def _roots(
    one: Symbol,
    other: Symbol,
    known: Known,
    several: bool,
    single: Collection[str],
    texts: Collection[str],
) -> Iterator[Alias]:
    """Both lead to one object, or one of them an element further than the other. Nothing is behind
    a ``single`` number, or a structure where neither of them leads to ``several``."""
    assert isinstance(one.type, Pointer)
    assert isinstance(other.type, Pointer)
    left, right = led_to(one.type), led_to(other.type)
    names = frozenset((one.name, other.name))
    ways = ways_between(left, right, several)
    if alike(left, right):
        is_longer = other.name not in single and one.name in single
        shorter, longer = (one, other) if is_longer else (other, one)
        found = [Alias(shorter.name, longer.name, 0, names)]
        if not leads_to_places(one.type):
            for each, into in ((other, one), (one, other)):
                if into.name not in single:
                    found.append(Alias(each.name, into.name, size_of(left), names))
            ways = len(found)
    elif is_text(right) and not leads_to_places(one.type):
        found = [Alias(other.name, one.name, 0, names)]
    elif is_text(left) and not leads_to_places(other.type):
        found = [Alias(one.name, other.name, 0, names)]
    else:
        found = []
    known.add(other.name, one.name, ways)
    yield from (each for each in found if _ends(each, one, other, texts))


def _ends(alias: Alias, one: Symbol, other: Symbol, texts: Collection[str]) -> bool:
    """Does a text that leads into the object end there?"""
    into = other if alias.name == one.name else one
    kind = into.type
    return alias.name not in texts or (isinstance(kind, Pointer) and is_text(led_to(kind)))


def _inside(
    found: Sequence[Place], other: Symbol, known: Known, text: bool
) -> tuple[list[Alias], list[Alias]]:
    """The other parameter leads to what a pointer in an object leads to, or to a part of the
    object; those in which it leads to a later element of an array of numbers are the second
    ones."""
    assert isinstance(other.type, Pointer)
    target = led_to(other.type)
    near: list[Alias] = []
    later: list[Alias] = []
    for place in found[:1]:
        both = frozenset((place.name, other.name))
        near += (
            Alias(other.name, link.name, 0, both | {link.name})
            for link in place.links
            if alike(link.target, target)
        )
        ways = ways_into(place, target, text)
        known.add(other.name, place.name, ways.in_all)
        there = {link.offset: link.name for link in place.links if isinstance(target, Pointer)}
        for offset in ways.near:
            needs = both | ({there[offset]} if offset in there else frozenset())
            near.append(Alias(other.name, place.name, offset, needs))
        later += (Alias(other.name, place.name, offset, both) for offset in ways.later)
    return near, later


def _globals(parameter: Symbol, stores: Stores, is_single: bool) -> Iterator[Alias]:
    """The parameter leads into a global object that the function uses: to a first element, or to
    any one if it leads to no more than that."""
    assert isinstance(parameter.type, Pointer)
    target = led_to(parameter.type)
    for each in stores.globals:
        if isinstance(target, Pointer | Void) or not stores.meets_global(parameter.name, each.name):
            continue
        parts = parts_alike(each.type, target)
        offsets = (offset for rank, offset in parts if is_single or not rank)
        for offset in islice(dict.fromkeys(offsets), MOST_PARTS):
            yield Alias(parameter.name, GLOBAL + each.name, offset, frozenset((parameter.name,)))


def objects_apart(
    parameters: Sequence[Symbol], stores: Stores, tried: Collection[Sequence[Alias]]
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
                for choice in tried
                for alias in choice
                if (alias.name, alias.into) == (each.name, GLOBAL + known.name)
            }
            for level, target in enumerate(_targets(each.type)):
                if leads_into(known.type, target, set() if level else offsets):
                    found[known.name] = None
    return tuple(found)


def _targets(kind: Type) -> list[Type]:
    """What pointers in an input lead to: what the parameter does, before what is behind it."""
    inner = [kind, *types_behind(kind)]
    found = [led_to(each) for each in inner if isinstance(each, Pointer)]
    return [each for each in found if not isinstance(each, Function)]


def named_in(texts: Sequence[str], parameters: Sequence[Symbol]) -> frozenset[str]:
    """The parameters that texts speak of."""
    words = {word for text in texts for word in re.findall(r"\w+", text)}
    return frozenset(each.name for each in parameters if each.name in words)
