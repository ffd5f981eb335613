"""What a pointer parameter leads to when it is no plain string or array: objects, their members,
and the pointers in them.

    struct list { int n; char *name; struct list *next; }
    f(struct list *l)      Place("l", 24 bytes, members (l->n), links (l->name, l->next))
                           Place("l->next", 24 bytes, members (l->next->n), ...)
    g(char **out)          Place("out", 8 bytes, links (*out))
    struct list first;     Place("first", 24 bytes, members (first.n), links (first.name, ...))

A tree of objects ends after a few. In an input every link leads to an object of its own or is null;
``choices`` says which combinations are tried: all texts and arrays there and no further structure,
everything, then each the other way round, and each two; what is near to the parameters first.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from csg.language.syntax import (
    Binary,
    Cast,
    Conditional,
    Expression,
    FunctionDefinition,
    If,
    IntegerConstant,
    Logical,
    Name,
    Symbol,
    Unary,
    While,
)
from csg.language.traversal import Tree, walk
from csg.language.types import (
    UCHAR,
    Array,
    Enumeration,
    Field,
    Floating,
    Integer,
    Pointer,
    Record,
    Type,
    Void,
    size_of,
)
from csg.records import record

MOST_PLACES = 16  # objects that one parameter leads to
DEEPEST = 3  # pointers from structure to structure that are followed
MOST_CHOICES = 64  # combinations of pointers that are null
MOST_MEMBERS = 256  # scalars of one object that are inputs
_OWN_OF_THE_SYSTEM = ("__", "_I", "_G")  # FILE, DIR: tags that are the implementation's


@record
class Member:
    """A number, or an array of numbers, ``offset`` bytes into an object."""

    name: str
    offset: int
    type: Type
    bit_offset: int = 0
    bit_width: int | None = None


@record
class Link:
    """A pointer that can lead to something; ``name`` is what it leads to."""

    name: str
    offset: int
    target: Type


@record
class Place:
    """An object with members. ``pointers`` are the offsets of all pointers in it, ``opaque`` those
    that no input can make lead anywhere (to functions), ``left_out`` what stays zero."""

    name: str
    type: Type
    size: int
    members: tuple[Member, ...]
    links: tuple[Link, ...]
    pointers: tuple[int, ...]
    left_out: tuple[str, ...] = ()
    opaque: tuple[Link, ...] = ()

    @property
    def names(self) -> set[str]:
        """Of all inputs in it, and of what it leads to."""
        return {each.name for each in self.members} | {each.name for each in self.links}


@record
class Nullable:
    """A pointer that is null in some inputs. ``owners``: what must be there for it to exist."""

    name: str
    present: bool  # when nothing is asked
    owners: tuple[str, ...]


def leads_to_places(kind: Type) -> bool:
    """Is it a pointer to a structure, or to a pointer?"""
    match kind:
        case Pointer(target=Record() as target):
            return is_open(target)
        case Pointer(target=Pointer()):
            return True
        case _:
            return False


def can_be_passed(kind: Type) -> bool:
    """Is it a structure that a caller can pass itself, and be given back? Of a union only the
    largest member would be made and compared."""
    return isinstance(kind, Record) and kind.kind == "struct" and is_open(kind)


def is_followed(kind: Type) -> bool:
    """Does a caller look at what a returned pointer of this type leads to? At the first of several
    numbers, for nobody knows how many there are; texts are compared as texts."""
    match kind:
        case Pointer(target=Integer() | Enumeration() | Floating() as target):
            return not is_text(target)
        case _:
            return leads_to_places(kind)


def is_open(kind: Record) -> bool:
    """Can a caller make one? Not what is known by its name only, or is the C library's own."""
    return kind.fields is not None and not kind.tag.startswith(_OWN_OF_THE_SYSTEM)


def is_text(kind: Type) -> bool:
    """Do pointers to it lead to strings?"""
    match kind:
        case Void():
            return True
        case Integer(size=1, name=name):
            return name.endswith("char")
        case _:
            return False


def places(name: str, target: Type) -> list[Place]:
    """The objects that a pointer to ``target`` leads to, nearest first."""
    return _tree(_place(name, target, f"*{name}"))


def object_places(name: str, kind: Type) -> list[Place]:
    """An object by its name, and those that the pointers in it lead to. What a pointer leads to is
    called as the pointer is, so the pointer itself is ``&name``."""
    root = _place(name, kind, name)
    return _tree(replace(root, name=f"&{name}") if isinstance(kind, Pointer) else root)


def _tree(root: Place) -> list[Place]:
    found: list[Place] = []
    waiting = deque([(root, 0)])
    while waiting and len(found) < MOST_PLACES:
        place, depth = waiting.popleft()
        found.append(place)
        if depth < DEEPEST:
            waiting.extend(
                (_place(link.name, link.target, f"*{link.name}"), depth + 1)
                for link in place.links
                if leads_to_places(Pointer(link.target))
            )
    known = {place.name for place in found}
    return [_without_further(place, known) for place in found]


def _without_further(place: Place, known: set[str]) -> Place:
    kept = tuple(
        link
        for link in place.links
        if link.name in known or not leads_to_places(Pointer(link.target))
    )
    return replace(place, links=kept)


def _place(name: str, target: Type, whole: str) -> Place:
    """``whole``: C for the object itself, ``name`` or ``*name``."""
    collected = _Collected()
    prefix = ""
    if isinstance(target, Record):
        pointer = f"({name})" if name.startswith("*") else name
        prefix = f"{name}." if whole == name else f"{pointer}->"
        collected.record(target, prefix, 0)
    else:
        collected.entry(whole, 0, target)
    return Place(
        name,
        target,
        size_of(target),
        tuple(collected.members),
        tuple(collected.links),
        tuple(collected.pointers),
        tuple(f"{each.removeprefix(prefix)} of {target}" for each in collected.left_out),
        tuple(collected.opaque),
    )


class _Collected:
    """The parts of one object, those of records and arrays in it included."""

    def __init__(self) -> None:
        self.members: list[Member] = []
        self.links: list[Link] = []
        self.opaque: list[Link] = []
        self.pointers: list[int] = []
        self.left_out: list[str] = []
        self._scalars = 0

    def record(self, kind: Record, prefix: str, start: int) -> None:
        fields = kind.fields or ()
        if kind.kind == "union" and fields:
            largest = max(fields, key=lambda member: size_of(member.type))
            self.left_out += [prefix + each.name for each in fields if each is not largest]
            fields = (largest,)
        for member in fields:
            self._field(member, prefix, start)

    def _field(self, member: Field, prefix: str, start: int) -> None:
        offset = start + member.offset
        if member.bit_width is not None:
            if member.name:
                self._scalars += 1
                name = prefix + member.name
                bits = (member.bit_offset, member.bit_width)
                self.members.append(Member(name, offset, member.type, *bits))
        elif member.name:
            self.entry(prefix + member.name, offset, member.type)
        elif isinstance(member.type, Record):
            self.record(member.type, prefix, offset)

    def entry(self, name: str, offset: int, kind: Type) -> None:
        match kind:
            case _ if self._scalars >= MOST_MEMBERS:
                self.left_out.append(name)
            case Integer() | Enumeration() | Floating():
                self._scalars += 1
                self.members.append(Member(name, offset, kind))
            case Array(element=Integer() | Enumeration() | Floating(), length=int(length)):
                if length:
                    self._scalars += 1
                    self.members.append(Member(name, offset, kind))
            case Array(element=element, length=int(length)):
                for index in range(min(length, MOST_MEMBERS)):
                    self.entry(f"{name}[{index}]", offset + index * size_of(element), element)
            case Record():
                self.record(kind, f"{name}.", offset)
            case Pointer(target=target):
                self._scalars += 1
                self.pointers.append(offset)
                if can_be_given(target):
                    self.links.append(Link(name, offset, target))
                else:
                    self.opaque.append(Link(name, offset, target))
                    self.left_out.append(name)
            case _:
                self.left_out.append(name)


def can_be_given(target: Type) -> bool:
    """Can an input hold something that a pointer to ``target`` leads to?"""
    match target:
        case Integer() | Enumeration() | Floating() | Void() | Pointer():
            return True
        case Record():
            return is_open(target)
        case _:
            return False


def element_of(target: Type) -> Integer | Enumeration | Floating:
    """Of the array or string that a pointer leads to."""
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


def nullable_pointers(symbols: Sequence[Symbol], asked: frozenset[str]) -> list[Nullable]:
    """Of an entry function's parameters; ``asked``: those that it compares with null."""
    found: list[Nullable] = []
    for symbol in symbols:
        kind = symbol.type
        if can_be_passed(kind):
            found += _links(object_places(symbol.name, kind))
        if not isinstance(kind, Pointer):
            continue
        if symbol.name in asked:
            found.append(Nullable(symbol.name, True, ()))
        if leads_to_places(kind):
            found += _links(places(symbol.name, kind.target))
    return found


def _links(found: list[Place]) -> Iterator[Nullable]:
    owners: dict[str, tuple[str, ...]] = {found[0].name: (found[0].name,)}
    for place in found:
        for link in place.links:
            further = leads_to_places(Pointer(link.target))
            yield Nullable(link.name, not further, owners[place.name])
            if further:
                owners[link.name] = (*owners[place.name], link.name)


def choices(nullable: Sequence[Nullable]) -> Iterator[frozenset[str]]:
    """Sets of pointers that are null, the usual one first."""
    usual = frozenset(each.name for each in nullable if not each.present)
    found = dict.fromkeys([usual, frozenset()] if nullable else [usual])
    steps = [*combinations(nullable, 1), *combinations(nullable, 2)]
    for step in sorted(steps, key=_far):
        null = usual
        for each in step:
            null = _turned(null, each)
        found[null] = None
        if len(found) >= MOST_CHOICES:
            break
    yield from found


def _far(step: Sequence[Nullable]) -> int:
    """What is near to the parameters comes first."""
    return len(step) + sum(len(each.owners) for each in step)


def _turned(null: frozenset[str], pointer: Nullable) -> frozenset[str]:
    return null | {pointer.name} if pointer.present else null - {pointer.name, *pointer.owners}


def compared_with_null(definition: FunctionDefinition) -> frozenset[int]:
    """The places of the pointer parameters that the function expects to be null now and then."""
    own = {
        symbol: place
        for place, symbol in enumerate(definition.parameters)
        if isinstance(symbol.type, Pointer)
    }
    found = set()
    for node in walk(definition.body):
        for asked in _asked(node):
            if isinstance(asked, Name) and asked.symbol in own:
                found.add(own[asked.symbol])
    return frozenset(found)


def _asked(node: Tree) -> tuple[object, ...]:
    """Expressions of which a node asks whether they are null."""
    match node:
        case Unary(operator="!", operand=operand):
            return (operand,)
        case Logical(operands=operands):
            return operands
        case (
            If(condition=condition) | While(condition=condition) | Conditional(condition=condition)
        ):
            return (condition,)
        case Binary(operator="==" | "!=", left=left, right=right):
            if _is_null(right):
                return (left,)
            return (right,) if _is_null(left) else ()
        case _:
            return ()


def _is_null(expression: Expression) -> bool:
    while isinstance(expression, Cast):
        expression = expression.operand
    return isinstance(expression, IntegerConstant) and expression.value == 0
