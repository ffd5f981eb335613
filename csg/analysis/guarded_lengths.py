"""The pairs of pointer and number of a function that reads or writes so many elements, all of them
where the number is no less.

    if (len > 2 && memcmp(buf, "abc", 3) == 0)      (buf, len)
    if (len < n) return 0;
    return !memcmp(buf, word, n);                   (buf, len), if n is a local variable

There is none where a use of what the pointer leads to is not guarded, or not understood; nor where
all that is used is the first element, or what a text has anyway (``s[0] == 'a' && s[1] == 'b'``);
nor where the number is no neighbour and may be larger than what is used: it may mean something
else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Protocol

from csg.analysis.order import exit_of
from csg.errors import Location
from csg.ir.library_effects import TAKES
from csg.language.syntax import (
    AddressOf,
    Assign,
    Binary,
    Call,
    Case,
    Cast,
    Compound,
    CompoundAssign,
    Conditional,
    Declaration,
    Dereference,
    Expression,
    For,
    If,
    Increment,
    Index,
    InitializerList,
    Label,
    Logical,
    Member,
    Name,
    Return,
    StorageDuration,
    Symbol,
    Unary,
    While,
)
from csg.language.traversal import (
    INVERSE,
    MIRROR,
    Tree,
    called_name,
    pointee,
    root_of,
    value_of,
    without_casts,
)
from csg.language.types import Pointer, Record, Type, size_of
from csg.records import record

Pair = tuple[str, str]  # the place of a pointer, the place of a number
_MOST_COPIES = 8  # of a pointer, one made of the other


@record
class Counted:
    """A pointer has behind it as many elements of ``unit`` bytes as a number says, or ``less`` of
    them. ``why`` is the reason, in C's words. The code distinguishes numbers below ``least`` from
    others. ``sure``: it holds whatever the name of the number is."""

    unit: int
    why: str
    location: Location
    least: int = 0
    sure: bool = False
    less: int = 0


class Uses(Protocol):
    """What is known of a function: names of its parameters and of members that they lead to."""

    @property
    def own(self) -> set[Symbol]: ...
    def extent(self, node: Tree) -> range: ...
    def word(self, name: str) -> str: ...
    def base(self, expression: Expression) -> str: ...
    def parameter(self, expression: Expression) -> str: ...
    def place_of(self, symbol: Symbol) -> str: ...
    def number(self, expression: Expression) -> str: ...
    def element(self, name: str) -> int: ...
    def defines(self, name: str) -> bool: ...
    def moves(self, pointer: str) -> bool: ...
    def changes(self, number: str) -> bool: ...


@record
class _Use:
    """What lies behind a pointer is used at a place: so many bytes, or as many as ``variable``
    says. ``size``: of an element."""

    place: int
    bytes: int
    variable: Symbol | None
    size: int
    location: Location


@record
class _AtLeast:
    """At these places of a function, a number is at least ``least``, or what ``variable`` holds.
    ``least`` of -1: it is at most something."""

    places: range
    least: int
    variable: Symbol | None = None


class Guarded:
    """The pairs of one function."""

    def __init__(self, uses: Uses, nodes: Sequence[Tree]) -> None:
        self._uses = uses
        self._nodes = nodes
        self._facts: dict[str, list[_AtLeast]] = {}
        self._used: dict[str, list[_Use]] = {}
        self._other: set[str] = set()  # pointers that are used in other ways
        self._known: set[int] = set()  # identities of the expressions that are understood
        self._nonzero: dict[str, list[_AtLeast]] = {}  # texts are so long there
        assigned = [each for each in map(_assigned, nodes) if each is not None]
        times = Counter(symbol for symbol, _ in assigned)
        self._assigned = {name for symbol in times if (name := uses.place_of(symbol))}
        self._steady = {
            symbol
            for symbol, count in times.items()
            if count == 1 and symbol.storage is StorageDuration.AUTOMATIC
        } - uses.own
        self._aliases = {
            symbol: value
            for symbol, value in assigned
            if isinstance(symbol.type, Pointer) and symbol in self._steady
        }
        self._labels = [place for place, node in enumerate(nodes) if isinstance(node, Label)]
        for node in nodes:
            self._guards(node)
        for place, node in enumerate(nodes):
            self._use(place, node)
        for node in nodes:
            self._mention(node)

    def pairs(self) -> Iterator[tuple[Pair, Counted, list[int]]]:
        """Each pair, with the places that show it."""
        for pointer, used in sorted(self._used.items()):
            if pointer in self._other | self._assigned or self._uses.moves(pointer):
                continue
            for number in sorted(self._facts):
                if number in self._assigned or self._uses.changes(number):
                    continue
                for unit in (1, max(each.size for each in used)):
                    exact = [self._shows(each, pointer, number, unit) for each in used]
                    if None not in exact:
                        if any(exact):
                            yield self._pair(pointer, number, unit, used)
                        break

    def _pair(
        self, pointer: str, number: str, unit: int, used: Sequence[_Use]
    ) -> tuple[Pair, Counted, list[int]]:
        one, other = self._uses.word(pointer), self._uses.word(number)
        why = f"{one} is used where {other} is large enough"
        made = Counted(unit, why, used[0].location)
        return (pointer, number), made, [each.place for each in used]

    def _shows(self, use: _Use, pointer: str, number: str, unit: int) -> bool | None:
        """Does the use show that the number counts? None: it shows that it does not, as the code
        does not ask whether it is large enough, or refuses large numbers too."""
        facts = [each for each in self._facts[number] if use.place in each.places]
        if any(each.least < 0 for each in facts):
            return None
        if use.variable is not None:
            return True if any(each.variable is use.variable for each in facts) else None
        least = max((each.least for each in facts if each.variable is None), default=0)
        held = max(
            (each.least for each in self._nonzero.get(pointer, ()) if use.place in each.places),
            default=0,
        )
        if use.bytes <= held:
            return False
        if least * unit < use.bytes:
            return None
        asked = any(each.least * unit == use.bytes for each in facts)
        return use.bytes > unit and (asked or _are_neighbours(pointer, number))

    # -------------------------------------------------------------- what a number is no less than

    def _guards(self, node: Tree) -> None:
        extent = self._uses.extent
        match node:
            case Logical(operator=operator, operands=operands):
                end = extent(node).stop
                for each in operands[:-1]:
                    self._fact(each, operator == "&&", range(extent(each).stop, end))
            case Conditional(condition=condition, then=then, otherwise=otherwise):
                if then is not None:
                    self._fact(condition, True, extent(then))
                self._fact(condition, False, extent(otherwise))
            case While(condition=condition, body=body):
                self._fact(condition, True, extent(body))
            case For(condition=condition, body=body) if condition is not None:
                self._fact(condition, True, extent(body))
            case If(condition=condition, then=then, otherwise=otherwise):
                self._fact(condition, True, extent(then))
                if otherwise is not None:
                    self._fact(condition, False, extent(otherwise))
            case Compound(items=items):
                self._behind(items)
            case _:
                pass

    def _behind(self, items: Sequence[Tree]) -> None:
        """Note what holds behind ``if (n < 3) return;``, up to the end of the block or a label."""
        extent = self._uses.extent
        labels = [extent(each).start for each in items if isinstance(each, Case)]
        labels += self._labels
        end = extent(items[-1]).stop if items else 0
        for item in items:
            if isinstance(item, If) and exit_of(item.then) is not None:
                start = extent(item).stop
                stop = min((each for each in labels if each >= start), default=end)
                self._fact(item.condition, False, range(start, stop))

    def _fact(self, condition: Expression, holds: bool, places: range) -> None:
        """Note what is sure at these places, where the condition has this value."""
        waiting = [(condition, holds)]
        while waiting:
            node, holds = waiting.pop()
            match without_casts(node):
                case Unary(operator="!", operand=operand):
                    waiting.append((operand, not holds))
                case Logical(operator=operator, operands=operands) if holds is (operator == "&&"):
                    waiting += [(each, holds) for each in operands]
                case Binary(operator=operator, left=left, right=right) if operator in INVERSE:
                    operator = operator if holds else INVERSE[operator]
                    self._compared(left, operator, right, places)
                    self._compared(right, MIRROR[operator], left, places)
                case Name() | Member() as number if holds:
                    self._add(number, places, 1)
                case Index() | Dereference() as element if holds:
                    self._holds_text(element, places)
                case _:
                    pass

    def _compared(self, left: Expression, operator: str, right: Expression, places: range) -> None:
        value, inner, element = value_of(right), without_casts(right), without_casts(left)
        is_there = value is not None and operator == ("!=" if value == 0 else "==")
        if isinstance(element, Index | Dereference) and is_there:
            self._holds_text(element, places)
        match operator:
            case ">" | ">=" | "==" if value is not None:
                self._add(left, places, value + (operator == ">"))
            case "!=" if value == 0:
                self._add(left, places, 1)
            case "<" | "<=" if value is not None:
                self._add(left, places, -1)
            case ">" | ">=" | "==" if isinstance(inner, Name) and inner.symbol in self._steady:
                self._add(left, places, 0, inner.symbol)
            case _:
                pass

    def _add(
        self, number: Expression, places: range, least: int, variable: Symbol | None = None
    ) -> None:
        name = self._uses.number(number)
        if name:
            self._facts.setdefault(name, []).append(_AtLeast(places, least, variable))

    def _holds_text(self, element: Index | Dereference, places: range) -> None:
        """Note that an element is not zero there: a text goes on behind it."""
        base = element.base if isinstance(element, Index) else element.operand
        index = value_of(element.index) if isinstance(element, Index) else 0
        start = self._bytes_before(base)
        if start is not None and index is not None and size_in_bytes(element.type) == 1:
            self._nonzero.setdefault(start[0], []).append(_AtLeast(places, start[1] + index + 2))

    # -------------------------------------------------------------- what is used of a pointer

    def _use(self, place: int, node: Tree) -> None:
        match node:
            case Index(base=base, index=index):
                self._used_up_to(place, base, value_of(index), pointee(base), node.location)
            case Dereference(operand=operand):
                self._used_up_to(place, operand, 0, pointee(operand), node.location)
            case Call(arguments=arguments):
                name = called_name(node)
                for at, by, element in () if self._uses.defines(name) else TAKES.get(name, ()):
                    if element is None and max(at, by) < len(arguments):
                        self._taken(place, arguments[at], arguments[by], node.location)
            case _:
                pass

    def _used_up_to(
        self, place: int, base: Expression, index: int | None, kind: Type, where: Location
    ) -> None:
        start, size = self._bytes_before(base), size_in_bytes(kind)
        if start is None:
            return
        if index is None or start[1] + index * size < 0:
            self._other.add(start[0])
        else:
            end = start[1] + (index + 1) * size
            self._used.setdefault(start[0], []).append(_Use(place, end, None, size, where))

    def _taken(self, place: int, pointer: Expression, size: Expression, where: Location) -> None:
        start, value, inner = self._bytes_before(pointer), value_of(size), without_casts(size)
        if start is None:
            return
        name, before = start
        element = self._uses.element(name)
        if value is not None and before + value > 0:
            use = _Use(place, before + value, None, element, where)
        elif isinstance(inner, Name) and inner.symbol in self._steady and before == 0:
            use = _Use(place, 0, inner.symbol, element, where)
        else:
            self._other.add(name)
            return
        self._used.setdefault(name, []).append(use)

    def _bytes_before(self, expression: Expression) -> tuple[str, int] | None:
        """The pointer that an address is computed from, and how many bytes lie between them; None
        where that is not known. The expressions on the way are understood."""
        before, passed = 0, [expression]
        while len(passed) < _MOST_COPIES:
            match expression:
                case Cast(operand=inner):
                    expression = inner
                case Binary(operator="+" | "-" as sign, left=left, right=right, type=Pointer()):
                    is_left = isinstance(left.type, Pointer)
                    number = value_of(right if is_left else left)
                    if number is None:
                        return None
                    step = number * stride(expression.type)
                    before += step if sign == "+" else -step
                    expression = left if is_left else right
                case AddressOf(operand=Index(base=base, index=index) as element):
                    number = value_of(index)
                    if number is None:
                        return None
                    before += number * stride(base.type)
                    passed.append(element)
                    expression = base
                case Name(symbol=symbol) if symbol in self._aliases:
                    passed.append(expression)
                    expression = self._aliases[symbol]
                case Name() | Member() if isinstance(expression.type, Pointer):
                    name = self._uses.parameter(expression)
                    if not name:
                        return None
                    self._known.update(map(id, (*passed, expression)))
                    return name, before
                case _:
                    return None
        return None

    def _mention(self, node: Tree) -> None:
        """Note pointers that are used in a way that is not understood. Comparing one, returning it,
        and naming it otherwise, use nothing of what it leads to."""
        harmless: list[Expression] = []
        match node:
            case Binary(operator="==" | "!=" | "<" | ">" | "<=" | ">=", left=left, right=right):
                harmless = [left, right]
            case Unary(operator="!", operand=operand):
                harmless = [operand]
            case Logical(operands=operands):
                harmless = [*operands]
            case Return(value=value) if value is not None:
                harmless = [value]
            case Cast(operand=operand, type=kind) if not isinstance(kind, Pointer):
                harmless = [operand]  # (void) p
            case _ if (found := _assigned(node)) is not None and found[0] in self._aliases:
                self._bytes_before(found[1])
            case Name() | Member() if (
                isinstance(node.type, Pointer) and id(node) not in self._known
            ):
                self._other.add(self._uses.base(node))
            case _:
                pass
        self._known.update(id(without_casts(each)) for each in harmless)


def _assigned(node: Tree) -> tuple[Symbol, Expression] | None:
    """A local variable, and what a node sets it to."""
    match node:
        case Declaration(symbol=symbol, initializer=value) if value is not None:
            if not isinstance(value, InitializerList):
                return symbol, value
        case Assign(target=Name(symbol=symbol), value=value):
            return symbol, value
        case CompoundAssign(target=Name(symbol=symbol), value=value):
            return symbol, value
        case Increment(operand=Name(symbol=symbol) as value):
            return symbol, value
        case AddressOf(operand=Name(symbol=symbol) as value):
            return symbol, value
        case _:
            pass
    return None


def _are_neighbours(pointer: str, number: str) -> bool:
    """Does the number stand behind the pointer, or is it a member beside it?"""
    if pointer.isdigit() and number.isdigit():
        return int(number) == int(pointer) + 1
    return root_of(pointer) == root_of(number)


def stride(kind: Type) -> int:
    return size_in_bytes(kind.target) if isinstance(kind, Pointer) else 1


def size_in_bytes(kind: Type) -> int:
    if isinstance(kind, Record) and kind.fields is None:
        return 1
    return max(1, size_of(kind))
