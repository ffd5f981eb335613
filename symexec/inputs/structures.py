"""What a pointer parameter leads to when it is no plain string or array: objects, their members,
and the pointers in them.

    struct list { int n; char *name; struct list *next; }
    f(struct list *l)      Place("l", 24 bytes, members (l->n), links (l->name, l->next))
                           Place("l->next", 24 bytes, members (l->next->n), ...)
    g(char **out)          Place("out", 8 bytes, links (*out))
    struct list first;     Place("first", 24 bytes, members (first.n), links (first.name, ...))
    h(struct pair *p)      Place("p", 16 elements of 8 bytes, members (p->x, p->y, p[1].x, ...)),
                           if code steps p

A tree of objects ends after a few (``DEPTHS``: one row for each level of depth). In an input every
link leads to an object of its own or is null; ``choices`` says which combinations are tried: all
texts and arrays there and no further structure, everything, then each the other way round, and each
two; what is near to the parameters first.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from math import prod

from csg.analysis.several import ALONE, Several, record_key
from csg.language.syntax import (
    Symbol,
)
from csg.language.type_text import declaration_text
from csg.language.types import (
    UCHAR,
    Array,
    Enumeration,
    Field,
    Floating,
    Integer,
    Pointer,
    Record,
    RecordKind,
    Type,
    Void,
    is_opaque,
    size_of,
)
from csg.records import record
from symexec.options import InputOptions

MOST_PARTS = 1024  # members of the objects that are added beyond the first level
MOST_MEMBERS = 256  # scalars of one object that are inputs
UNIONS_NEAR = 2  # pointers from the parameter to a union whose pointers lead to something
MOST_IN_A_ROW = 16  # structures, or pointers, that one pointer leads to
# Elements of an array of no length at the end of a structure (``char text[];``): characters, other
# numbers, and structures or pointers.
AT_THE_END = (16, 8, 4)
_OWN_OF_THE_SYSTEM = ("__", "_I", "_G")  # FILE, DIR: tags that are the implementation's


@record
class Depth:
    """How far structures are followed: ``pointers`` from structure to structure, ``objects`` behind
    one parameter. ``choices``: the combinations of null pointers that are tried."""

    pointers: int
    objects: int
    choices: int


DEPTHS = (Depth(3, 16, 64), Depth(7, 32, 96), Depth(15, 64, 192))
# A returned object, and one that outlives the call: compared as far as it is there.
COMPARED = (DEPTHS[0], replace(DEPTHS[0], pointers=DEPTHS[-1].pointers))


def every_depth(asked: int | None) -> tuple[Depth, ...]:
    """How far structures are followed, level by level; the last level has as many pointers as the
    user asks for."""
    if asked is None:
        return DEPTHS
    below = [each for each in DEPTHS[:-1] if each.pointers < asked]
    return (*below, replace(DEPTHS[len(below)], pointers=asked))


def depths_of(options: InputOptions) -> tuple[Depth, ...]:
    """How far structures are followed at the level that the options are at: the last one, where the
    user asks for it."""
    depths = every_depth(options.structure_depth)
    return depths if options.structure_depth is not None else depths[: options.depth + 1]


@record
class Member:
    """A number, or an array of numbers, ``offset`` bytes into an object. ``text``: an array of
    characters that ends with a 0."""

    name: str
    offset: int
    type: Type
    bit_offset: int = 0
    bit_width: int | None = None
    text: bool = False


@record
class Link:
    """A pointer that can lead to something; ``name`` is the name of that, one object or
    ``several``. ``instead``: it is a member of a union, and stands in the place of other members
    where it is not null."""

    name: str
    offset: int
    target: Type
    several: bool = False
    instead: bool = False


@record
class Place:
    """An object with members. ``pointers`` are the offsets of all pointers in it, ``opaque`` those
    that no input can make point anywhere (to functions), ``left_out`` the parts that stay zero.
    ``elements``: how many of ``type`` there are in a row. ``level``: the first of ``DEPTHS`` at
    which it exists; ``cut``: it has links that there are too many objects for. ``arrays``: those
    in it, with their sizes in bytes; ``end``: the elements of one that has no length."""

    name: str
    type: Type
    size: int
    members: tuple[Member, ...]
    links: tuple[Link, ...]
    pointers: tuple[int, ...]
    left_out: tuple[str, ...] = ()
    opaque: tuple[Link, ...] = ()
    elements: int = 1
    several: bool = False  # also where only one element is left
    level: int = 0
    cut: bool = False
    arrays: tuple[tuple[str, int], ...] = ()
    end: int = 0

    @property
    def names(self) -> set[str]:
        """The names of all inputs in it, and in what it leads to."""
        return {each.name for each in self.members} | {each.name for each in self.links}


@record
class Nullable:
    """A pointer that is null in some inputs. ``owners``: the pointers that must not be null for it
    to exist. ``instead``: it is a member of a union."""

    name: str
    present: bool  # when nothing is asked
    owners: tuple[str, ...]
    instead: bool = False


def leads_to_places(kind: Type) -> bool:
    """Is it a pointer to a structure, to a pointer, or to an array?"""
    match kind:
        case Pointer(target=Record() as target):
            return is_open(target)
        case Pointer(target=Pointer()):
            return True
        case Pointer(target=Array() as target):
            return is_complete(target)
        case _:
            return False


def led_to(kind: Pointer) -> Type:
    """What a pointer leads to. One to an array of no length leads to as many elements as there are,
    as a pointer to an element does."""
    target = kind.target
    return target.element if isinstance(target, Array) and target.length is None else target


def is_number(kind: Type) -> bool:
    """Are objects of this type numbers, or bytes?"""
    return isinstance(kind, Void | Integer | Enumeration | Floating)


def is_complete(kind: Array) -> bool:
    """Is it an array of known length, whose elements a caller can make?"""
    element, length = numbers_in(kind)
    return length > 0 and can_be_given(element)


def numbers_in(kind: Array) -> tuple[Type, int]:
    """The type of the elements of an array, or of arrays of arrays, and how many of them there are:
    0 where nobody knows."""
    element: Type = kind
    length = 1
    while isinstance(element, Array):
        length *= element.length if isinstance(element.length, int) else 0
        element = element.element
    return element, length


def can_be_passed(kind: Type) -> bool:
    """Is it a structure that a caller can pass and get back by value? (Only the largest member of a
    union would be made and compared.)"""
    return isinstance(kind, Record) and kind.kind is RecordKind.STRUCT and is_open(kind)


def is_followed(kind: Type) -> bool:
    """Does a caller look at what a returned pointer of this type leads to? Of several numbers only
    at the first, since nobody knows how many there are; texts are compared as texts."""
    match kind:
        case Pointer(target=Integer() | Enumeration() | Floating() as target):
            return not is_text(target)
        case _:
            return leads_to_places(kind)


def is_open(kind: Record) -> bool:
    """Can a caller make an object of this type? Not one of which only the name is known, nor one of
    the C library, nor a vector."""
    known = kind.fields is not None and not is_opaque(kind)
    return known and not kind.tag.startswith(_OWN_OF_THE_SYSTEM)


def is_text(kind: Type) -> bool:
    """Is a pointer to this type a pointer to a text?"""
    match kind:
        case Void():
            return True
        case Integer(size=1, name=name):
            return name.endswith("char")
        case _:
            return False


def is_shown_text(kind: Type) -> bool:
    """Do native runs show what a pointer to this type leads to as a text?"""
    return is_text(kind) and not isinstance(kind, Void)


def places(
    name: str,
    target: Type,
    several: Several = ALONE,
    depths: Sequence[Depth] = DEPTHS[:1],
    given: bool = False,
) -> list[Place]:
    """The objects that a pointer to ``target`` leads to, those of the first level first, nearest
    first. ``given``: a test makes them, and gives them room for arrays of no length."""
    whole = _first_behind(name, target)
    root = _place(name, target, whole, several, name in several.parameters, given)
    if whole in several.parameters:  # the pointer that is pointed to is stepped
        root = replace(root, links=tuple(replace(each, several=True) for each in root.links))
    return _tree(root, several, depths, given)


def _first_behind(name: str, target: Type) -> str:
    """C for the object that a pointer leads to, or for the first of them."""
    return f"{_in_brackets(name)}[0]" if isinstance(target, Array) else f"*{name}"


def _in_brackets(pointer: str) -> str:
    """C for a pointer, as ``[]`` and ``->`` need it."""
    return f"({pointer})" if pointer.startswith("*") else pointer


def object_places(
    name: str,
    kind: Type,
    several: Several = ALONE,
    depths: Sequence[Depth] = DEPTHS[:1],
    given: bool = False,
) -> list[Place]:
    """An object by its name, and those that the pointers in it lead to. What a pointer leads to has
    the name of the pointer, so the pointer itself is ``&name``."""
    root = _place(name, kind, name, several, unions=given)
    root = replace(root, name=f"&{name}") if isinstance(kind, Pointer) else root
    return _tree(root, several, depths, given)


Count = Callable[[Place], tuple[int, int]]  # (elements that exist, how many of them are inputs)


def parameter_places(
    symbol: Symbol,
    several: Several = ALONE,
    count: Count | None = None,
    depths: Sequence[Depth] = DEPTHS[:1],
) -> list[Place]:
    """The objects that a parameter is or leads to; none for a number. Without a ``count`` there are
    as many elements of each as possible."""
    kind, found = symbol.type, []
    if can_be_passed(kind):
        found = object_places(symbol.name, kind, several, depths, given=True)
    elif isinstance(kind, Pointer) and leads_to_places(kind):
        found = places(symbol.name, kind.target, several, depths, given=True)
    return found if count is None else _cut(found, count)


def _cut(found: Sequence[Place], count: Count) -> list[Place]:
    """The objects without the elements that do not exist, and what these lead to; the last elements
    may exist and be no inputs."""
    retained: list[Place] = []
    known: set[str] = set()
    for place in found:
        if retained and place.name not in known:
            continue
        there, inputs = count(place)
        stride = place.size // place.elements
        size, end = there * stride, inputs * stride
        cut = replace(
            place,
            size=size,
            elements=there,
            members=tuple(each for each in place.members if each.offset < end),
            links=tuple(each for each in place.links if each.offset < end),
            pointers=tuple(each for each in place.pointers if each < size),
        )
        retained.append(cut if place.several else place)
        known.update(link.name for link in retained[-1].links)
    return retained


@record
class _Next:
    """An object that may be added to a tree: behind ``link``, ``depth`` pointers from the root.
    ``turns``: how often the way there goes on by another member than before."""

    link: Link
    depth: int
    far: int
    turns: int
    via: tuple[str, int]


def _tree(root: Place, several: Several, depths: Sequence[Depth], given: bool) -> list[Place]:
    """The objects that are reached by few pointers, and those behind the first of several elements,
    first. Each further level adds objects to those of the one before it, at first along one member
    (``l->next->next->next``): lists grow, whatever else their elements lead to."""
    found = [root]
    parts, limit = 0, depths[0]
    later = _behind(root, None)
    for level, limit in enumerate(depths):
        waiting = [
            ((each.turns if level else 0), each.far, order, each)
            for order, each in enumerate(later)
            if each.depth <= limit.pointers
        ]
        later = [each for each in later if each.depth > limit.pointers]
        order = len(waiting)
        heapq.heapify(waiting)
        while waiting and len(found) < limit.objects and parts < MOST_PARTS:
            _, _, _, each = heapq.heappop(waiting)
            link = each.link
            whole = _first_behind(link.name, link.target)
            made = _place(link.name, link.target, whole, several, link.several, given)
            found.append(replace(made, level=level))
            parts += (len(made.members) + len(made.pointers)) if level else 0
            for further in _behind(made, each):
                if further.depth > limit.pointers:
                    later.append(further)
                    continue
                order += 1
                key = further.turns if level else 0
                heapq.heappush(waiting, (key, further.far, order, further))
        later += [each for _, _, _, each in sorted(waiting)]
    known = {place.name for place in found}
    left_out = {each.link.name for each in later if each.depth <= limit.pointers}
    return [_without_further(place, known, left_out) for place in found]


def _behind(place: Place, way: _Next | None) -> list[_Next]:
    """What the links of an object lead to, if that is an object with members. ``way``: how the
    object was come to; None for the root."""
    found = []
    for link in place.links:
        if not leads_to_places(Pointer(link.target)):
            continue
        index, offset = divmod(link.offset * place.elements, place.size)
        via = (str(place.type), offset)
        if way is None:
            found.append(_Next(link, 1, 1 + index, 0, via))
        else:
            turns = way.turns + (via != way.via)
            found.append(_Next(link, way.depth + 1, way.far + 1 + index, turns, via))
    return found


def _without_further(place: Place, known: set[str], left_out: set[str]) -> Place:
    retained = tuple(
        link
        for link in place.links
        if link.name in known or not leads_to_places(Pointer(link.target))
    )
    cut = any(link.name in left_out for link in place.links)
    return replace(place, links=retained, cut=cut)


def _place(
    name: str,
    target: Type,
    whole: str,
    several: Several,
    is_several: bool = False,
    given: bool = False,
    unions: bool = False,
) -> Place:
    """An object. ``whole``: C for the object itself, ``name`` or ``*name``; for the first one if
    there are several. ``given``: it has room for an array of no length at its end. ``unions``, or
    ``given``: pointers in unions lead to something in some inputs."""
    unions = unions or given
    size, pointer = size_of(target), _in_brackets(name)
    prefix = f"{name}." if whole == name else f"{pointer}->"
    end = _array_at_the_end(target) if given else None
    if end is not None:
        size = max(size, end[0].offset + size_of(end[1]))
    first = _Collected(several, end, unions)
    texts = whole == name or not isinstance(target, Array) or name in several.rows
    first.object(target, whole, prefix, 0, texts)
    parts, count = [first], 1
    if is_several and end is None:
        count = max(1, min(MOST_IN_A_ROW, MOST_MEMBERS // max(1, first.scalars)))
    for place in range(1, count):
        parts.append(_Collected(several, unions=unions))
        parts[-1].object(target, f"{pointer}[{place}]", f"{pointer}[{place}].", place * size, texts)
    derived = isinstance(target, Array | Pointer)  # of which C has no word
    shown = declaration_text(target) if derived else target
    return Place(
        name,
        target,
        size * count,
        tuple(member for each in parts for member in each.members),
        tuple(link for each in parts for link in each.links),
        tuple(dict.fromkeys(offset for each in parts for offset in each.pointers)),
        tuple(f"{each.removeprefix(prefix)} of {shown}" for each in first.left_out),
        tuple(link for each in parts for link in each.opaque),
        count,
        count > 1,
        arrays=tuple(array for each in parts for array in each.arrays),
        end=0 if end is None or not isinstance(end[1].length, int) else end[1].length,
    )


def _array_at_the_end(kind: Type) -> tuple[Field, Array] | None:
    """The last member of a structure, if that is an array of no length (C17 6.7.2.1p18; GNU C: of
    length 0), and the array that a test has there."""
    if not isinstance(kind, Record) or kind.kind is RecordKind.UNION or not kind.fields:
        return None
    last = kind.fields[-1]
    texts, numbers, others = AT_THE_END
    match last.type:
        case Array(element=Integer(size=1) as element, length=None | 0):
            return last, Array(element, texts)
        case Array(element=Integer() | Enumeration() | Floating() as element, length=None | 0):
            return last, Array(element, numbers)
        case Array(element=Record() | Pointer() as element, length=None | 0):
            return last, Array(element, others)
        case _:
            return None


class _Collected:
    """The parts of one object, those of records and arrays in it included. ``end``: the member that
    is an array of no length, and the array that is there. ``unions``: pointers in unions are
    inputs."""

    def __init__(
        self, several: Several, end: tuple[Field, Array] | None = None, unions: bool = False
    ) -> None:
        self.members: list[Member] = []
        self.links: list[Link] = []
        self.opaque: list[Link] = []
        self.pointers: list[int] = []
        self.left_out: list[str] = []
        self.arrays: list[tuple[str, int]] = []
        self.scalars = 0
        self._several = several
        self._end = end
        self._unions = unions

    def object(self, kind: Type, whole: str, prefix: str, start: int, texts: bool) -> None:
        """Add the parts of an object. ``whole``: C for it; the names of its members begin with
        ``prefix``. ``texts``: arrays of characters in it are texts; of members other things say
        that."""
        if isinstance(kind, Record):
            self._record(kind, prefix, start)
        else:
            self._entry(whole, start, kind, text=texts)

    def _record(self, kind: Record, prefix: str, start: int) -> None:
        fields = kind.fields or ()
        if is_opaque(kind):
            self.left_out.append(prefix.rstrip("."))
        if kind.kind is RecordKind.UNION and fields:
            self._union(fields, prefix, start, record_key(kind))
            return
        for member in fields:
            self._field(member, prefix, start, record_key(kind))

    def _union(self, fields: Sequence[Field], prefix: str, start: int, owner: str) -> None:
        """Add the largest member of a union, and the pointers in others, which stand in its place
        where they lead to something."""
        numbers = [each for each in fields if not isinstance(each.type, Pointer)]
        choice = (self._unions and numbers) or fields
        largest = max(choice, key=lambda member: size_of(member.type))
        before = len(self.members)
        self._field(largest, prefix, start, owner)
        covered = self._bytes(self.members[before:])
        for each in fields:
            if each is largest:
                continue
            other = _Collected(self._several, unions=self._unions)
            other._field(each, prefix, start, owner)
            if self._unions:
                self.links += [replace(link, instead=True) for link in other.links]
                self.opaque += other.opaque
                self.scalars += len(other.links)
            there = bool(other.members) and self._bytes(other.members) <= covered
            if not self._unions or not (there or (other.links and not other.members)):
                self.left_out.append(prefix + each.name)

    @staticmethod
    def _bytes(members: Sequence[Member]) -> set[int]:
        """The bytes that members lie in."""
        return {
            place
            for each in members
            for place in range(each.offset, each.offset + size_of(each.type))
        }

    def _field(self, member: Field, prefix: str, start: int, owner: str) -> None:
        offset = start + member.offset
        if member.bit_width is not None:
            if member.name:
                self.scalars += 1
                name = prefix + member.name
                bits = (member.bit_offset, member.bit_width)
                self.members.append(Member(name, offset, member.type, *bits))
        elif member.name:
            several = (owner, member.name) in self._several.members
            if (owner, member.name) in self._several.tagged and isinstance(member.type, Pointer):
                self.left_out.append(f"the low bits of {member.name}")
            kind = member.type
            if self._end is not None and self._end[0] is member:
                kind = self._end[1]
            if isinstance(kind, Array):
                self.arrays.append((prefix + member.name, size_of(kind)))
            text = self._several.is_text(owner, member.name)
            self._entry(prefix + member.name, offset, kind, several, text)
        elif isinstance(member.type, Record):
            self._record(member.type, prefix, offset)

    def _entry(
        self, name: str, offset: int, kind: Type, several: bool = False, text: bool = True
    ) -> None:
        match kind:
            case _ if self.scalars >= MOST_MEMBERS:
                self.left_out.append(name)
            case Integer() | Enumeration() | Floating():
                self.scalars += 1
                self.members.append(Member(name, offset, kind))
            case Array(element=Integer() | Enumeration() | Floating() as each, length=int(length)):
                if length:
                    self.scalars += 1
                    text = text and length > 1 and is_text(each)
                    self.members.append(Member(name, offset, kind, text=text))
            case Array(element=element, length=int(length)):
                for index in range(min(length, MOST_MEMBERS)):
                    place = offset + index * size_of(element)
                    self._entry(f"{name}[{index}]", place, element, several, text)
                if length > MOST_MEMBERS:
                    self.left_out.append(f"{name}[{MOST_MEMBERS}..{length - 1}]")
            case Record():
                self._record(kind, f"{name}.", offset)
            case Pointer(target=target):
                self.scalars += 1
                self.pointers.append(offset)
                if can_be_given(target):
                    self.links.append(Link(name, offset, target, several))
                else:
                    self.opaque.append(Link(name, offset, target))
                    self.left_out.append(name)
            case _:
                self.left_out.append(name)


def can_be_given(target: Type) -> bool:
    """Can an input hold an object that a pointer to ``target`` leads to?"""
    match target:
        case Integer() | Enumeration() | Floating() | Void() | Pointer():
            return True
        case Record():
            return is_open(target)
        case Array():
            return is_complete(target)
        case _:
            return False


def element_of(target: Type) -> Integer | Enumeration | Floating:
    """The type of the elements of the array or string that a pointer leads to."""
    if isinstance(target, Void):
        return UCHAR
    assert isinstance(target, Integer | Enumeration | Floating)
    return target


def number_of_bits(member: Member) -> Integer:
    """The type of a bit-field's values."""
    kind = member.type.underlying if isinstance(member.type, Enumeration) else member.type
    assert isinstance(kind, Integer)
    return replace(kind, width=member.bit_width)


# ------------------------------------------------------------------ which pointers are null


def nullable_pointers(
    symbols: Sequence[Symbol],
    asked: frozenset[str],
    several: Several = ALONE,
    count: Count | None = None,
    depths: Sequence[Depth] = DEPTHS[:1],
) -> list[Nullable]:
    """The pointers among the parameters of an entry function that may be null; ``asked``: those
    that it compares with null."""
    found: list[Nullable] = []
    for symbol in symbols:
        if isinstance(symbol.type, Pointer) and symbol.name in asked:
            found.append(Nullable(symbol.name, True, ()))
        if tree := parameter_places(symbol, several, count, depths):
            found += _links(tree)
    return found


def _links(found: list[Place]) -> Iterator[Nullable]:
    owners: dict[str, tuple[str, ...]] = {found[0].name: (found[0].name,)}
    for place in found:
        for link in place.links:
            further = leads_to_places(Pointer(link.target))
            present = not further and not link.instead
            yield Nullable(link.name, present, owners[place.name], link.instead)
            if further:
                owners[link.name] = (*owners[place.name], link.name)


def choices(nullable: Sequence[Nullable], last: Depth = DEPTHS[0]) -> Iterator[frozenset[str]]:
    """Sets of pointers that are null, the usual one first. Where structures have grown (``last``),
    each of them comes before texts and arrays that are missing, and two at a time behind all
    single ones: the longest list is among those that are tried. Pointers in unions lead to
    something one at a time."""
    usual = frozenset(each.name for each in nullable if not each.present)
    unions = frozenset(each.name for each in nullable if each.instead)
    found = dict.fromkeys([usual, unions] if nullable else [usual])
    near = [each for each in nullable if not each.instead or len(each.owners) <= UNIONS_NEAR]
    steps = [*combinations(near, 1), *filter(_come_together, combinations(near, 2))]
    grown = last.pointers > DEPTHS[0].pointers
    for step in sorted(
        steps, key=lambda step: (len(step) > 1, grown and step[0].present, _far(step))
    ):
        null = usual
        for each in step:
            null = _turned(null, each)
        found[null] = None
        if len(found) >= last.choices:
            break
    yield from found


def _come_together(pair: Sequence[Nullable]) -> bool:
    """May both of these differ from what is usual? A pointer in a union only with one that is
    needed for it."""
    one, other = pair
    if not (one.instead or other.instead):
        return True
    return one.name in other.owners or other.name in one.owners


def null_choices(nullable: Sequence[Nullable], last: Depth = DEPTHS[0]) -> tuple[int, int]:
    """How many inputs that differ in which pointers are null are tried, and how many there are.
    Pointers in an object that does not exist make no difference."""
    tried = {_existing(null, nullable) for null in choices(nullable, last)}
    behind: dict[str, int] = {}  # choices among the pointers in an object
    for each in reversed(nullable):  # owners stand before what they lead to
        owner = each.owners[-1] if each.owners else ""
        behind[owner] = behind.get(owner, 1) * (1 + behind.pop(each.name, 1))
    return len(tried), prod(behind.values())


def _existing(null: frozenset[str], nullable: Sequence[Nullable]) -> frozenset[str]:
    """Those of the null pointers that are in an object that exists."""
    return frozenset(
        each.name for each in nullable if each.name in null and null.isdisjoint(each.owners)
    )


def _far(step: Sequence[Nullable]) -> int:
    """How far a part is from the parameters: near ones come first."""
    return len(step) + sum(len(each.owners) for each in step)


def _turned(null: frozenset[str], pointer: Nullable) -> frozenset[str]:
    return null | {pointer.name} if pointer.present else null - {pointer.name, *pointer.owners}
