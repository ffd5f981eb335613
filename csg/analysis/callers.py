"""What all calls of a function guarantee: values that every one of them passes, and no others.

    if (n > 0 && n < 16) f(buf, n);         1 <= n <= 15: the guard holds, and n is not changed
    f(sum, x & 7);                          0 <= n <= 7: no other value can come out
    if (!p) return; .. f(p, 3);             p is not null
    if (n <= sizeof line) f(line, n);       n <= bytes of buf
    if (from < to) f(from, to);             from < to

Each call is looked at by itself. What is said of the function holds for all of them, in both
versions; where one call says nothing, nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from csg.analysis.nullness import Body, way_to
from csg.analysis.order import Held, atoms
from csg.language.expression_text import ExpressionText, Notation
from csg.language.syntax import (
    AddressOf,
    Assign,
    Binary,
    Call,
    Cast,
    CompoundAssign,
    Conditional,
    EnumeratorName,
    Expression,
    FunctionDefinition,
    Increment,
    Index,
    IntegerConstant,
    Linkage,
    Logical,
    Name,
    SizeOf,
    StorageDuration,
    StringLiteral,
    Symbol,
    SymbolKind,
    TranslationUnit,
    Unary,
    arithmetic_type,
)
from csg.language.traversal import INVERSE, MIRROR, Tree, called_name, is_null, walk, without_casts
from csg.language.types import (
    Array,
    Pointer,
    Type,
    is_integer,
    is_signed,
    size_of,
    value_bits,
)
from csg.records import record
from csg.unify.changes.explaining import is_pure

Bounds = tuple[int, int]  # the smallest and the largest value
_DEEPEST = 12  # operators, one within the other, whose values are bounded
_COMPARES = ("<", "<=", ">", ">=", "==", "!=")


@record
class Passed:
    """What one call passes: ``bounds`` of each number (None: not known, or no number), which
    pointers are ``there``, how many bytes are behind each (0: not known), the pairs of numbers of
    which the first is ``below`` the second, those where it is ``not_above`` it, and the pairs of a
    pointer and a number that is its size."""

    bounds: tuple[Bounds | None, ...]
    there: frozenset[int]
    bytes: tuple[int, ...]
    below: frozenset[tuple[int, int]]
    not_above: frozenset[tuple[int, int]]
    sizes: frozenset[tuple[int, int]]


def calls_of(
    units: Sequence[TranslationUnit], function: FunctionDefinition
) -> list[tuple[FunctionDefinition, Call]]:
    """All calls of a function, each with the function that it stands in; none where the function
    may be called in other ways too."""
    mentioned, found = 0, []
    bodies = [each for unit in units for each in unit.functions]
    for within in bodies:
        for node in walk(within.body):
            match node:
                case Name(symbol=symbol) if _names(symbol, function):
                    mentioned += 1
                case Call(function=Name(symbol=symbol)) if _names(symbol, function):
                    found.append((within, node))
                case _:
                    pass
    declared: list[Tree] = [each for unit in units for each in unit.declarations]
    for node in walk(*declared):
        if isinstance(node, Name) and _names(node.symbol, function):
            mentioned += 1
    return found if len(found) == mentioned else []


def _names(symbol: Symbol, function: FunctionDefinition) -> bool:
    """Is it the function? Another file has a symbol of its own for one that is not static."""
    own = function.symbol
    if symbol is own or own.linkage is Linkage.INTERNAL:
        return symbol is own
    return symbol.name == own.name and symbol.linkage is Linkage.EXTERNAL


def passed_by(
    calls: Sequence[tuple[FunctionDefinition, Call]], kinds: Sequence[Type]
) -> Iterator[Passed]:
    """What each call passes. ``kinds``: the types of the parameters."""
    callers: dict[Symbol, _Caller] = {}
    for within, call in calls:
        caller = callers.setdefault(within.symbol, _Caller(within))
        yield caller.passed(call, kinds)


class _Caller:
    """A function that calls others: what it knows of what it passes."""

    def __init__(self, definition: FunctionDefinition) -> None:
        self._body = Body(definition)
        self._order = self._body.order
        self._held = list(self._order.conditions())
        self._stores: list[range] = []  # calls, and what is written other than to a variable
        for node in self._order.nodes:
            match node:
                case Call():
                    self._stores.append(self._order.extent(node))
                case (
                    Assign(target=target)
                    | CompoundAssign(target=target)
                    | Increment(operand=target)
                ) if not isinstance(without_casts(target), Name):
                    self._stores.append(self._order.extent(node))
                case _:
                    pass

    def passed(self, call: Call, kinds: Sequence[Type]) -> Passed:
        given = call.arguments
        pairs = [(i, j) for i in range(len(given)) for j in range(len(given)) if i != j]
        orders = {
            pair: self._ordered(given[pair[0]], given[pair[1]], kinds, pair) for pair in pairs
        }
        return Passed(
            tuple(
                self._converted(each, kind) if is_integer(kind) and is_integer(each.type) else None
                for each, kind in zip(given, kinds, strict=True)
            ),
            frozenset(at for at, each in enumerate(given) if self._is_there(each)),
            tuple(map(_bytes_of, given)),
            frozenset(pair for pair, found in orders.items() if found == "<"),
            frozenset(pair for pair, found in orders.items() if found),
            frozenset((i, j) for i, j in pairs if _is_size_of(given[j], given[i])),
        )

    # -------------------------------------------------------------- values of numbers

    def _converted(self, argument: Expression, kind: Type) -> Bounds | None:
        """The bounds of an argument that becomes a parameter of this type."""
        low, high = self._bounds(argument)
        least, most = range_of_type(kind)
        return (low, high) if least <= low and high <= most else (least, most)

    def _bounds(self, expression: Expression, depth: int = 0) -> Bounds:
        """The values that an expression can have where it stands."""
        least, most = range_of_type(expression.type)
        found = self._computed(expression, depth) if depth < _DEEPEST else None
        low, high = (least, most) if found is None else found
        if not (least <= low <= high <= most):  # it wraps around
            low, high = least, most
        for condition, holds in self._facts(expression):
            low, high = _restricted(condition, holds, expression, (low, high))
        return (low, high) if low <= high else (least, most)  # control does not come here

    def _computed(self, expression: Expression, depth: int) -> Bounds | None:
        match expression:
            case IntegerConstant(value=value) | EnumeratorName(value=value):
                return value, value
            case SizeOf(value=int(value)):
                return value, value
            case Cast(operand=operand) if is_integer(operand.type):
                return self._bounds(operand, depth + 1)
            case Logical() | Unary(operator="!"):
                return 0, 1
            case Unary(operator="-", operand=operand) if is_integer(operand.type):
                low, high = self._bounds(operand, depth + 1)
                return -high, -low
            case Conditional(condition=condition, then=then, otherwise=otherwise):
                parts = [condition if then is None else then, otherwise]
                if not all(is_integer(each.type) for each in parts):
                    return None
                both = [self._bounds(each, depth + 1) for each in parts]
                return min(both[0][0], both[1][0]), max(both[0][1], both[1][1])
            case Binary(operator=operator, left=left, right=right):
                if operator in _COMPARES:
                    return 0, 1
                if is_integer(left.type) and is_integer(right.type):
                    one, other = (self._bounds(each, depth + 1) for each in (left, right))
                    common = range_of_type(arithmetic_type(left, right))
                    if all(common[0] <= each[0] and each[1] <= common[1] for each in (one, other)):
                        return _combined(operator, one, other)
                return None
            case _:
                return None

    # -------------------------------------------------------------- pointers and pairs

    def _is_there(self, argument: Expression) -> bool:
        """Is a pointer never null?"""
        while True:
            match argument:
                case Cast(operand=argument):
                    pass
                case Binary(operator="+" | "-", left=left, right=right, type=Pointer()):
                    argument = left if isinstance(left.type, Pointer) else right
                case _:
                    break
        match argument:
            case StringLiteral() | AddressOf():
                return True
            case Name(symbol=symbol) as name:
                if isinstance(symbol.type, Array):
                    return symbol.kind is SymbolKind.OBJECT
                if self._body.has_used(symbol, self._order.extent(name)):
                    return True
            case _:
                pass
        pointer = argument
        for condition, holds in self._facts(pointer):
            match condition:
                case Binary(operator="==" | "!=" as operator, left=left, right=right):
                    compared = right if is_null(left) else left
                    with_null = is_null(left) or is_null(right)
                    if with_null and _same(compared, pointer) and holds is (operator == "!="):
                        return True
                case _ if holds and _same(condition, pointer):
                    return True
                case _:
                    pass
        return False

    def _ordered(
        self, one: Expression, other: Expression, kinds: Sequence[Type], pair: tuple[int, int]
    ) -> str:
        """``<`` or ``<=`` where a guard says so of two numbers; "" where none does."""
        types = {one.type, other.type, kinds[pair[0]], kinds[pair[1]]}
        if len(types) != 1 or not is_integer(one.type) or _lvalue(other) is None:
            return ""
        found = ""
        for condition, holds in self._facts(one):
            match condition:
                case Binary(operator=operator, left=left, right=right) if operator in _COMPARES:
                    operator = operator if holds else INVERSE[operator]
                    named = [_lvalue(each) for each in (left, right)]
                    if named == [_lvalue(other), _lvalue(one)]:
                        operator = MIRROR[operator]
                    elif named != [_lvalue(one), _lvalue(other)]:
                        continue
                    if not self._stays(other, self._order.extent(condition), other):
                        continue
                    if operator in ("<", "=="):
                        found = "<" if operator == "<" else found or "<="
                    elif operator == "<=":
                        found = found or "<="
                case _:
                    pass
        return found

    # -------------------------------------------------------------- what holds there

    def _facts(self, expression: Expression) -> Iterator[tuple[Expression, bool]]:
        """The conditions about an lvalue that hold where it is read."""
        if _lvalue(expression) is None:
            return
        at = self._order.extent(expression).start
        for each in self._held:
            if at in each.places:
                yield from self._about(expression, each)

    def _about(self, expression: Expression, held: Held) -> Iterator[tuple[Expression, bool]]:
        for condition, holds in atoms(held.condition, held.holds):
            parts = [condition]
            if isinstance(condition, Binary):
                parts = [condition.left, condition.right]
            named = any(_same(part, expression) for part in parts)
            if named and self._stays(expression, self._order.extent(condition), expression):
                yield condition, holds

    def _stays(self, expression: Expression, start: range, end: Expression) -> bool:
        """Does an lvalue keep its value from one node to another one?"""
        found = _lvalue(expression)
        if found is None:
            return False
        symbol, way = found
        if "volatile" in symbol.qualifiers:
            return False
        events = [*self._body.assigned.get(symbol, ())]
        is_own = symbol.storage is StorageDuration.AUTOMATIC and not symbol.address_taken
        if way or not is_own:
            events += self._stores
        return not self._order.is_between(start, events, self._order.extent(end))


def _lvalue(expression: Expression) -> tuple[Symbol, str] | None:
    """The object that an expression names, without any cast on the way; None for others."""
    return None if any(isinstance(each, Cast) for each in walk(expression)) else way_to(expression)


def _same(compared: Expression, expression: Expression) -> bool:
    """Is this the object that is compared? Casts around that are for whoever looks at its value."""
    found = _lvalue(without_casts(compared))
    return found is not None and found == _lvalue(expression)


def _restricted(
    condition: Expression, holds: bool, expression: Expression, known: Bounds
) -> Bounds:
    """The values of a number that are left where a condition is true, or is not."""
    low, high = known
    match condition:
        case Binary(operator=operator, left=left, right=right) if operator in _COMPARES:
            operator = operator if holds else INVERSE[operator]
            if not _same(left, expression):
                left, right, operator = right, left, MIRROR[operator]
            value = _constant(right)
            if value is None or not (is_integer(left.type) and is_integer(right.type)):
                return known
            return _compared(known, left, operator, value, arithmetic_type(left, right))
        case Cast():
            return known
        case _ if _same(condition, expression) and is_integer(condition.type):
            if not holds:
                return (0, 0) if low <= 0 <= high else known
            return low + (low == 0), high - (high == 0)
        case _:
            return known


def _compared(
    known: Bounds, compared: Expression, operator: str, value: int, common: Type
) -> Bounds:
    """The values that are left where ``compared``, which casts may stand around, is converted to
    the ``common`` type and then compared with a constant. A negative one becomes a large one in an
    unsigned type (C17 6.3.1.3p2)."""
    kinds = [common]
    while isinstance(compared, Cast):
        if not is_integer(compared.type):
            return known
        kinds.append(compared.type)
        compared = compared.operand
    low, high = known
    least, most = range_of_type(common)
    if not least <= value <= most or any(range_of_type(kind)[1] < high for kind in kinds):
        return known
    if low < 0 and any(range_of_type(kind)[0] > low for kind in kinds):
        if any(is_signed(kind) for kind in kinds):
            return known  # through an unsigned type to a wider signed one, or to a narrower one
        width = min(value_bits(kind) for kind in kinds)
        negative = (low + (1 << width), (1 << width) - 1)
        if low < -(1 << (width - 1)) or _left(negative, operator, value) is not None:
            return known
        low = 0
    left = _left((low, high), operator, value)
    return known if left is None else left


def _left(values: Bounds, operator: str, value: int) -> Bounds | None:
    """Those of the values that compare so with a constant; None where none does."""
    low, high = values
    match operator:
        case "<":
            high = min(high, value - 1)
        case "<=":
            high = min(high, value)
        case ">":
            low = max(low, value + 1)
        case ">=":
            low = max(low, value)
        case "==":
            low, high = max(low, value), min(high, value)
        case _:
            low, high = low + (low == value), high - (high == value)
    return (low, high) if low <= high else None


def _combined(operator: str, one: Bounds, other: Bounds) -> Bounds | None:
    """The bounds of a sum, of a difference, and of what ``&`` and ``%`` leave."""
    match operator:
        case "+":
            return one[0] + other[0], one[1] + other[1]
        case "-":
            return one[0] - other[1], one[1] - other[0]
        case "&":
            masks = [each[1] for each in (one, other) if each[0] >= 0]
            return (0, min(masks)) if masks else None
        case "%" if other[0] > 0:
            most = other[1] - 1
            return (max(-most, one[0]) if one[0] < 0 else 0), min(most, max(one[1], 0))
        case _:
            return None


def range_of_type(kind: Type) -> Bounds:
    """The values that a type can represent."""
    width = value_bits(kind)
    return (
        (-(1 << (width - 1)), (1 << (width - 1)) - 1) if is_signed(kind) else (0, (1 << width) - 1)
    )


def _constant(expression: Expression) -> int | None:
    """The value of a constant; None for others, and where a cast changes it."""
    kinds: list[Type] = []
    while isinstance(expression, Cast):
        if not is_integer(expression.type):
            return None
        kinds.append(expression.type)
        expression = expression.operand
    sign = 1
    if isinstance(expression, Unary) and expression.operator == "-":
        if not is_signed(expression.type):
            return None
        sign, expression = -1, expression.operand
    match expression:
        case IntegerConstant(value=value) | EnumeratorName(value=value) | SizeOf(value=int(value)):
            value = sign * value
            return value if all(_holds(kind, value) for kind in kinds) else None
        case _:
            return None


def _holds(kind: Type, value: int) -> bool:
    least, most = range_of_type(kind)
    return least <= value <= most


def _bytes_of(pointer: Expression) -> int:
    """The size of the object that an argument leads to the start of; 0 where it is not known."""
    match without_casts(pointer):
        case Name(symbol=Symbol(type=Array(length=int()) as kind, kind=SymbolKind.OBJECT)):
            return size_of(kind)
        case AddressOf(operand=Name(symbol=symbol)) if not isinstance(symbol.type, Array):
            return size_of(symbol.type) if not isinstance(symbol.type, Pointer) else 8
        case AddressOf(operand=Index(base=base, index=IntegerConstant(value=0))):
            return _bytes_of(base) if isinstance(base, Name) else 0
        case _:
            return 0


def _is_size_of(size: Expression, pointer: Expression) -> bool:
    """Is it ``sizeof a``, passed together with the array ``a``, or ``strlen(s)`` with ``s``?"""
    match without_casts(size), without_casts(pointer):
        case SizeOf(operand=Name(symbol=measured)), Name(symbol=passed):
            return measured is passed and isinstance(passed.type, Array)
        case Call(arguments=(measured_text,)) as call, text if called_name(call) == "strlen":
            return is_pure(text) and _text_of(measured_text) == _text_of(text)
        case _:
            return False


def _text_of(expression: Expression) -> str:
    return ExpressionText(Notation(), lambda node: "({ ... })").of(without_casts(expression))


def common_to(passed: Sequence[Passed]) -> Passed:
    """What all of these calls pass."""
    first, *others = passed
    bounds: list[Bounds | None] = [*first.bounds]
    for each in others:
        for at, other in enumerate(each.bounds):
            known = bounds[at]
            if known is None or other is None:
                bounds[at] = None
            else:
                bounds[at] = min(known[0], other[0]), max(known[1], other[1])
    return Passed(
        tuple(bounds),
        first.there.intersection(*(each.there for each in others)),
        tuple(min(each.bytes[at] for each in passed) for at in range(len(first.bytes))),
        first.below.intersection(*(each.below for each in others)),
        first.not_above.intersection(*(each.not_above for each in others)),
        first.sizes.intersection(*(each.sizes for each in others)),
    )
