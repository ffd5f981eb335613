"""Combine the ways in which two pointers lead into one object.

    f(int *a, int *b, int *c)              b = a and c = a
    f(T *a, T *b, T *c, T *d)              b = a and d = c
    f(struct s *s, int *a, int *b)         a = &s->v and b = &s->w

A combination consists of groups. In a group one pointer has an object, and all others lead into it.
Each of them matters to another one of the group: code stores through one of both, or compares them
(``csg.analysis.aliasing``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, islice, product
from math import prod

from csg.language.types import Record
from csg.records import record
from symexec.inputs.shared_parts import MOST_WAYS, Alias, Known, Trees, objects_behind
from symexec.inputs.structures import Link

Pair = tuple[str, str]  # a pointer, and the one into whose object it leads
_ADDRESS = 8  # bytes


@record
class Combination:
    """Pointers that lead into objects of other ones: the choices that tests have, near ones first,
    and how many ``ways`` there are."""

    choices: tuple[tuple[Alias, ...], ...]
    ways: int


@record
class _Group:
    """The ``members`` lead into the object of ``root``; ``owners``: the pointers on the way to all
    of them."""

    root: str
    members: frozenset[str] = frozenset()
    owners: frozenset[str] = frozenset()

    @property
    def names(self) -> frozenset[str]:
        return self.members | {self.root}

    def excludes(self, other: _Group) -> bool:
        """Is a pointer of one group in the other one, or not there because of it?"""
        return not (
            self.members.isdisjoint(other.members)
            and self.root not in other.names
            and other.root not in self.members
            and self.members.isdisjoint(other.owners)
            and other.members.isdisjoint(self.owners)
        )


@record
class _Held:
    """A pointer in the object ``place``; ``owners``: the pointers on the way to it."""

    link: Link
    place: str
    owners: frozenset[str]


def combinations_of(
    ways: Iterable[Alias],
    known: Known,
    meeting: Collection[frozenset[str]],
    trees: Trees,
    apart: Collection[str],
) -> Iterator[Combination]:
    """The combinations of two ways or more, those of few pointers first; not all where there are
    very many. ``known``: how many ways two pointers have; ``meeting``: the pairs that matter;
    ``trees``: each parameter with the objects that it is or leads to; ``apart``: the parameters
    that lead into one object with others only where that matters."""
    near: dict[Pair, list[Alias]] = {}
    for way in ways:
        near.setdefault((way.name, way.into), []).append(way)
    counts = _counts(near, known)
    held = {
        link.name: _Held(link, each.place.name, each.owners)
        for each in objects_behind(trees)
        for link in each.place.links
    }
    groups = [*islice(_groups(counts, meeting, apart, held), MOST_WAYS)]
    groups.sort(key=lambda each: -len(each.members))
    for size in range(2, len({name for each in groups for name in each.members}) + 1):
        there_are_more = False
        for chosen in _of_size(groups, size, (), held):
            there_are_more = True
            pairs = [(name, each.root) for each in chosen for name in sorted(each.members)]
            yield Combination(_choices(near, pairs), prod(counts[pair] for pair in pairs))
        if not there_are_more:
            return  # a larger one would contain one of this size


def _counts(near: Mapping[Pair, Sequence[Alias]], known: Known) -> dict[Pair, int]:
    """How many ways there are for each pair, also those that no test has."""
    counts = {pair: len(found) for pair, found in near.items()}
    for (name, into), ways in known.items():
        untried = ways - len(near.get((name, into), ())) - len(near.get((into, name), ()))
        if untried > 0:
            counts[name, into] = counts.get((name, into), 0) + untried
    return counts


def _choices(
    near: Mapping[Pair, Sequence[Alias]], pairs: Sequence[Pair]
) -> tuple[tuple[Alias, ...], ...]:
    most = int(MOST_WAYS ** (1 / len(pairs)))
    ranked = product(*([*enumerate(near.get(pair, ()))][:most] for pair in pairs))
    found = sorted(ranked, key=lambda choice: sum(rank for rank, _ in choice))
    return tuple(tuple(way for _, way in choice) for choice in found)


def _groups(
    pairs: Collection[Pair],
    meeting: Collection[frozenset[str]],
    apart: Collection[str],
    held: Mapping[str, _Held],
) -> Iterator[_Group]:
    """All groups, small ones first."""
    into: dict[str, list[str]] = {}
    for name, root in pairs:
        into.setdefault(root, []).append(name)

    def can_join(name: str, group: _Group) -> bool:
        met = [each for each in group.names if frozenset((name, each)) in meeting]
        freely = name not in apart and group.names.isdisjoint(apart)
        return bool(met) and (freely or len(met) == len(group.names))

    def with_member(group: _Group, name: str) -> _Group:
        owners = group.owners | (held[name].owners if name in held else frozenset())
        return _Group(group.root, group.members | {name}, owners)

    grown = [
        _Group(root, owners=held[root].owners if root in held else frozenset()) for root in into
    ]
    while grown:
        larger: dict[_Group, None] = {}
        for group in grown:
            for name in into[group.root]:
                made = with_member(group, name)
                if name in group.members or made in larger or not can_join(name, group):
                    continue
                if made.members.isdisjoint(made.owners) and _can_be((made,), held):
                    larger[made] = None
                    yield made
        grown = [*larger]


def _of_size(
    groups: Sequence[_Group], size: int, chosen: tuple[_Group, ...], held: Mapping[str, _Held]
) -> Iterator[tuple[_Group, ...]]:
    """The groups that can be together, in which so many pointers lead into objects of others; one
    group comes before several."""
    if not size:
        yield chosen
    for at, each in enumerate(groups):
        if len(each.members) > size or any(each.excludes(other) for other in chosen):
            continue
        together = (*chosen, each)
        if _can_be(together, held):
            yield from _of_size(groups[at + 1 :], size - len(each.members), together, held)


def _can_be(groups: Sequence[_Group], held: Mapping[str, _Held]) -> bool:
    """Can a caller have these groups at once? Each pointer is in one of them, and in an object that
    is there. No two pointers lie in one place, and no pointer to a structure leads back."""
    names = {name: each.root for each in groups for name in each.names}
    if len(names) < sum(len(each.names) for each in groups):
        return False
    inner = [held[name] for name in names if name in held]
    there = {owner for each in inner for owner in each.owners}
    led = {name for name, root in names.items() if name != root}
    if not there.isdisjoint(led):
        return False
    needed = [held[name] for name in {*names, *there} if name in held]
    in_unions = [each for each in needed if each.link.instead]
    return not any(_overlap(*both) for both in combinations(in_unions, 2)) and not _leads_back(
        {name: root for name, root in names.items() if name in led}, held
    )


def _overlap(one: _Held, other: _Held) -> bool:
    """Are both pointers members of one union?"""
    return one.place == other.place and abs(one.link.offset - other.link.offset) < _ADDRESS


def _leads_back(into: Mapping[str, str], held: Mapping[str, _Held]) -> bool:
    """Does a pointer to a structure lead to one that leads to it?"""
    links = [name for name in into if name in held and isinstance(held[name].link.target, Record)]
    following = {
        name: [other for other in links if into[name] in held[other].owners] for name in links
    }
    while following:
        ends = {name for name, others in following.items() if not others}
        if not ends:
            return True
        following = {
            name: [other for other in others if other not in ends]
            for name, others in following.items()
            if name not in ends
        }
    return False
