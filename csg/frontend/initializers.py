"""Initialisers become flat lists: one entry for each scalar, with its offset (C17 6.7.9).

    struct { int a[2]; struct { char c, d; } s; } x = { 1, 2, .s.d = 'q' };

gives ``.a[0]`` at 0: 1, ``.a[1]`` at 4: 2, ``.s.d`` at 9: 'q'. What no entry names is zero. Inner
braces may be left out: a stack of the aggregates around the current place says what comes next.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count

from csg.errors import Location
from csg.frontend.context import Context, decay, refuse, unsupported
from csg.frontend.expressions import check_assignable
from csg.frontend.operators import member_path, type_in_words
from csg.frontend.parser import Node, kind
from csg.language.syntax import (
    Cast,
    CompoundLiteral,
    EnumeratorName,
    Expression,
    FloatingConstant,
    Initializer,
    InitializerEntry,
    InitializerList,
    IntegerConstant,
    SizeOf,
    StringLiteral,
    Unary,
)
from csg.language.traversal import walk
from csg.language.types import (
    Array,
    Field,
    Integer,
    Record,
    RecordKind,
    Type,
    is_opaque,
    is_scalar,
    size_of,
)
from csg.records import record

_CONSTANT = (IntegerConstant, FloatingConstant, StringLiteral, EnumeratorName, SizeOf, Cast, Unary)
_END = 1 << 62  # the length of an array that its initialiser completes
Path = tuple[str | int, ...]


@record
class _Place:
    """A subobject: its offset in bytes, its type, and its bit-field if it is one."""

    type: Type
    path: Path
    offset: int
    field: Field | None = None


@dataclass(slots=True)
class _Aggregate:
    """An array, structure or union that is being filled; ``next`` is its next subobject."""

    place: _Place
    next: int = 0

    @property
    def count(self) -> int:
        match self.place.type:
            case Array(length=length):
                return length if isinstance(length, int) else _END
            case Record(kind=RecordKind.UNION, fields=fields):
                return min(1, len(fields or ()))
            case Record(fields=fields):
                return len(fields or ())
            case _:
                return 0


def initializer(context: Context, node: Node, target: Type) -> tuple[Initializer, Type]:
    """An initialiser for ``target``, and ``target`` with its length if it had none."""
    braced = kind(node) == "InitList"
    if isinstance(target, Array):
        inner = node.exprs[0] if braced and len(node.exprs) == 1 else node
        if (text := _text_for(context, inner, target)) is not None:
            return text, text.type
    if braced and is_opaque(target):
        raise unsupported(node, f"an initial value of the type '{target}'")
    if braced and not is_scalar(target):
        filler = _Filler(context, node.coord)
        filler.fill(_Place(target, (), 0), node)
        complete = _completed(target, filler.longest)
        return InitializerList(tuple(filler.entries.values()), complete, node.coord), complete
    return _single(context, node, target)


def _single(context: Context, node: Node, target: Type) -> tuple[Initializer, Type]:
    """``= value``; a scalar's may stand in braces."""
    while kind(node) == "InitList":
        if not node.exprs:
            return InitializerList((), target, node.coord), target
        node = node.exprs[0]
    if kind(node) == "NamedInitializer":
        raise refuse(node, f"a designator, but {type_in_words(target)} has no parts")
    value = context.expression(node)
    if isinstance(value, CompoundLiteral) and isinstance(target, Array):
        return value.initializer, _completed(target, _length(value.type))  # GNU: copies the literal
    value = decay(value)
    if is_opaque(target) and value.type != target:
        raise unsupported(node, f"an initial value of the type '{target}'")
    check_assignable(target, value)
    return value, target


def _length(kind_: Type) -> int:
    return kind_.length if isinstance(kind_, Array) and isinstance(kind_.length, int) else 0


def _completed(target: Type, length: int) -> Type:
    if isinstance(target, Array) and target.length is None:
        return Array(target.element, length)
    return target


def _text_for(context: Context, node: Node, target: Array) -> StringLiteral | None:
    """A string literal that fills an array of characters, with the array's type."""
    if kind(node) != "Constant" or node.type != "string" or not isinstance(target.element, Integer):
        return None
    text = context.expression(node)
    if not isinstance(text, StringLiteral) or target.element.size != text.unit:
        return None
    length = target.length if target.length is not None else len(text.value) // text.unit + 1
    fitting = text.value[: length * text.unit] if isinstance(length, int) else text.value
    return replace(text, value=fitting, type=Array(target.element, length))


class _Filler:
    """Collects the entries of one braced list; ``longest`` is the length that it gives to an
    array of unknown length."""

    def __init__(
        self, context: Context, location: Location, numbers: Iterator[int] | None = None
    ) -> None:
        self.context = context
        self.location = location
        self.numbers = numbers or count(1)  # of shared values
        self.entries: dict[Path, InitializerEntry] = {}
        self.entered: list[Path] = []  # every entry ever made
        self.prefixes: set[Path] = set()  # of the aggregates that entries lie in
        self.longest = 0

    def fill(self, target: _Place, node: Node) -> None:
        """Put the items of the braced list ``node`` into ``target``."""
        if is_scalar(target.type):
            if node.exprs:
                self._put(target, node.exprs[0])
            return
        stack = [_Aggregate(target)]
        for item in node.exprs:
            if kind(item) == "NamedInitializer":
                del stack[1:]
                self._designated(stack, item)
            else:
                self._next(stack, item)

    # ------------------------------------------------------------------ items without designator

    def _next(self, stack: list[_Aggregate], item: Node) -> None:
        """Put ``item`` at the next place; go into aggregates whose braces are left out."""
        while len(stack) > 1 and stack[-1].next >= stack[-1].count:
            stack.pop()
        place = self._advance(stack)
        if place is None:
            self.context.warn(item.coord, "excess elements in an initialiser are ignored")
            return
        self._descend(stack, place, item)

    def _descend(self, stack: list[_Aggregate], place: _Place, item: Node) -> None:
        """``item`` starts at ``place`` or, if that is an aggregate, at its first part."""
        value: Expression | None = None
        while not self._takes_whole(place, item, value):
            if value is None:
                value = decay(self.context.expression(item))
                continue
            stack.append(_Aggregate(place))
            inner = self._advance(stack)
            if inner is None:
                what = type_in_words(place.type)
                raise refuse(item, f"a value for {what}, which has no members")
            place = inner
        self._put(place, item, value)

    def _takes_whole(self, place: _Place, item: Node, value: Expression | None) -> bool:
        if is_scalar(place.type) or kind(item) == "InitList":
            return True
        if isinstance(place.type, Array):
            return _text_for(self.context, item, place.type) is not None
        return value is not None and value.type == place.type

    def _advance(self, stack: list[_Aggregate]) -> _Place | None:
        """The next subobject of the innermost aggregate, which counts as taken from now on."""
        aggregate = stack[-1]
        while aggregate.next < aggregate.count:
            place = _part(aggregate.place, aggregate.next)
            aggregate.next += 1
            if len(stack) == 1:
                self.longest = max(self.longest, aggregate.next)
            if place is not None:
                return place
        return None

    # ------------------------------------------------------------------ designators

    def _designated(self, stack: list[_Aggregate], item: Node) -> None:
        """``.a[2] = value``: go there from the outermost aggregate; what follows goes on there."""
        *leading, last = item.name
        ways = [stack]
        for designator in leading:
            ways = [
                [*way, _Aggregate(place)]
                for before in ways
                for way, place in self._ways(before, designator)
            ]
        targets = [found for way in ways for found in self._ways(way, last)]
        written = [self._written(way, place, item.expr) for way, place in targets]
        stack[:] = targets[-1][0]
        if len(targets) > 1:
            self._share(written)

    def _ways(
        self, stack: list[_Aggregate], designator: Node
    ) -> list[tuple[list[_Aggregate], _Place]]:
        """The subobjects that a designator names, each with the aggregates around it."""
        way = list(stack)
        return [(list(way), place) for place in self._designate(way, designator)]

    def _written(self, stack: list[_Aggregate], place: _Place, item: Node) -> list[Path]:
        """Add the entries for ``item`` at a place, and return their paths."""
        before = len(self.entered)
        self._descend(stack, place, item)
        return [path for path in dict.fromkeys(self.entered[before:]) if path in self.entries]

    def _share(self, places: list[list[Path]]) -> None:
        """Note that one value was given to several places: it is evaluated once, as gcc does."""
        models = [self.entries[path] for path in places[0]]
        for number, entry in enumerate(models):
            if not entry.shared and not _is_constant(entry.value):
                models[number] = replace(entry, shared=next(self.numbers))
        for paths in places:
            for path, model in zip(paths, models, strict=True):
                same = replace(self.entries[path], value=model.value, shared=model.shared)
                self.entries[path] = same

    def _designate(self, stack: list[_Aggregate], designator: Node) -> list[_Place]:
        if kind(designator) == "ArrayDesignator":
            return self._elements(stack, designator)
        return [self._named(stack, designator)]

    def _elements(self, stack: list[_Aggregate], designator: Node) -> list[_Place]:
        """The elements that ``[2]``, or GNU's ``[0 ... 3]``, designates."""
        aggregate = stack[-1]
        low, high = self._range(designator.expr)
        if not isinstance(aggregate.place.type, Array) or not 0 <= low <= high < aggregate.count:
            raise refuse(designator, "this index designates no element")
        aggregate.next = high + 1
        if len(stack) == 1:
            self.longest = max(self.longest, high + 1)
        parts = (_part(aggregate.place, number) for number in range(low, high + 1))
        return [part for part in parts if part is not None]

    def _range(self, node: Node) -> tuple[int, int]:
        if kind(node) == "BinaryOp" and node.op == "...":
            bounds = (node.left, node.right)
        else:
            bounds = (node, node)
        low, high = (self.context.constant(bound, "an array index") for bound in bounds)
        return low, high

    def _named(self, stack: list[_Aggregate], designator: Node) -> _Place:
        """The member that ``.name`` designates, which may be a member of anonymous members."""
        record = stack[-1].place.type
        path = member_path(record, designator.name) if isinstance(record, Record) else []
        if not path:
            what = type_in_words(record)
            raise refuse(designator, f"{what} has no member named '{designator.name}'")
        place = stack[-1].place
        for step, field in enumerate(path):
            aggregate = stack[-1]
            assert isinstance(aggregate.place.type, Record)
            number = _number(aggregate.place.type, field)
            aggregate.next = _END if aggregate.place.type.kind is RecordKind.UNION else number + 1
            if aggregate.place.type.kind is RecordKind.UNION:
                self._forget(aggregate.place, field)
            place = _member_place(aggregate.place, field)
            if step + 1 < len(path):
                stack.append(_Aggregate(place))
        return place

    def _forget(self, union: _Place, field: Field) -> None:
        """Another member of a union takes the place of those initialised before."""
        keep = (*union.path, field.name) if field.name else union.path
        for other in self._inside(union):
            if other[: len(keep)] != keep:
                del self.entries[other]

    def _inside(self, place: _Place) -> list[Path]:
        """The entries in ``place``. An anonymous member has the path of what it stands in, so its
        bytes decide as well."""
        end = place.offset + size_of(place.type)
        return [
            path
            for path, entry in self.entries.items()
            if path[: len(place.path)] == place.path and place.offset <= entry.offset < end
        ]

    # ------------------------------------------------------------------ entries

    def _put(self, place: _Place, item: Node, value: Expression | None = None) -> None:
        """One entry, or those of an inner braced list; later ones replace earlier ones."""
        self._replace(place)
        if isinstance(place.type, Array):
            inner = item.exprs[0] if kind(item) == "InitList" and len(item.exprs) == 1 else item
            if (text := _text_for(self.context, inner, place.type)) is not None:
                return self._enter(place, text)
        if kind(item) == "InitList":
            if is_scalar(place.type) and not item.exprs:
                return None
            if not is_scalar(place.type):
                return self._inner(place, item)
            item, value = item.exprs[0], None
            if kind(item) == "InitList":
                return self._put(place, item)
        value = decay(self.context.expression(item)) if value is None else value
        check_assignable(place.type, value)
        return self._enter(place, value)

    def _inner(self, place: _Place, item: Node) -> None:
        inner = _Filler(self.context, item.coord, self.numbers)
        inner.fill(place, item)
        self.entries.update(inner.entries)
        self.entered += inner.entered
        self.prefixes |= inner.prefixes

    def _enter(self, place: _Place, value: Expression) -> None:
        bits = place.field if place.field and place.field.bit_width is not None else None
        entry = InitializerEntry(place.path, place.offset, place.type, value, bits)
        if isinstance(place.type, Array):  # a flexible member takes its text's length
            entry = replace(entry, type=value.type)
        self.entries[place.path] = entry
        self.entered.append(place.path)
        self.prefixes.update(place.path[:length] for length in range(len(place.path)))

    def _replace(self, place: _Place) -> None:
        """Remove the entries that were made before for the object at ``place``."""
        self.entries.pop(place.path, None)
        if place.path in self.prefixes:
            for other in self._inside(place):
                del self.entries[other]


def _is_constant(value: Expression) -> bool:
    """Is it a constant, so that evaluating it twice makes no difference?"""
    return all(isinstance(part, _CONSTANT) for part in walk(value))


def _part(place: _Place, number: int) -> _Place | None:
    """The subobject ``number`` of an aggregate; None for padding (an unnamed bit-field)."""
    match place.type:
        case Array(element=element):
            return _Place(element, (*place.path, number), place.offset + number * size_of(element))
        case Record(fields=fields) if fields:
            field = fields[number]
            padding = not field.name and not isinstance(field.type, Record)
            return None if padding else _member_place(place, field)
        case _:
            return None


def _member_place(place: _Place, field: Field) -> _Place:
    path = (*place.path, field.name) if field.name else place.path
    return _Place(field.type, path, place.offset + field.offset, field)


def _number(record: Record, field: Field) -> int:
    return next(number for number, one in enumerate(record.fields or ()) if one is field)
