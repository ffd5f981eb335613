"""What code takes the object behind a pointer parameter for, beyond its declared type.

    ((struct wide *) node)->value            struct wide begins where node leads
    container_of(link, struct item, link)    struct item begins 8 bytes before
    memcpy(&w, at, sizeof w)                 the type of w
    (uintptr_t) at & 1                       the lowest bit of at says something

The value of a parameter goes to other variables by assignments, casts, sums with constants, and to
the parameters of functions that are called. Nothing is said of the order of statements.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from csg.analysis.lengths import Functions, called_from
from csg.language.syntax import (
    AddressOf,
    Assign,
    Binary,
    Call,
    Cast,
    Change,
    Comma,
    CompoundAssign,
    Conditional,
    Declaration,
    Expression,
    ExpressionStatement,
    FunctionDefinition,
    Member,
    Name,
    StatementExpression,
    Symbol,
    Unary,
)
from csg.language.traversal import called_name, constant_of, walk, without_casts
from csg.language.types import Integer, Pointer, Record, Type, Void, size_of
from csg.records import record

TAGS = (
    7  # the bits that are zero in the address of any object from malloc, as far as they are tried
)
MOST_VIEWS = 4  # types that the object behind one parameter is tried with
_ROUNDS = 8  # in which values are followed from variable to variable
_COPIES = frozenset(("memcpy", "memmove", "__builtin_memcpy", "__builtin_memmove"))

_Way = tuple[int, int]  # a parameter by its number, and how many bytes are added to it


@record
class View:
    """An object of this type begins ``before`` bytes before the address that is passed."""

    type: Record
    before: int = 0


@record
class Viewed:
    """The ``views`` of the object behind the parameter number ``at``, and the ``tags``: bits of its
    address that the code looks at. ``plainly``: it is also used by its declared type."""

    at: int
    views: tuple[View, ...]
    tags: int
    plainly: bool


def views(versions: Sequence[Functions], name: str) -> tuple[Viewed, ...]:
    """What the functions of this name, and those that they call, take their parameters for, in any
    of the versions."""
    found: dict[int, _Seen] = {}
    kinds: dict[int, Type] = {}
    for functions in versions:
        entry = functions.get(name)
        if entry is None or not any(isinstance(each.type, Pointer) for each in entry.parameters):
            continue
        kinds.update((at, each.type) for at, each in enumerate(entry.parameters))
        _Values(functions, entry, found).follow()
    made = [_viewed(at, kinds[at], each) for at, each in sorted(found.items())]
    return tuple(each for each in made if each.views or each.tags)


def _viewed(at: int, kind: Type, seen: _Seen) -> Viewed:
    assert isinstance(kind, Pointer)
    wanted: dict[tuple[str, int], View] = {}
    for each in seen.views:
        before = 0 if _is_tag(each, seen.tags, kind.target) else each.before
        if before or _is_larger(each.type, kind.target):
            wanted.setdefault((str(each.type), before), View(each.type, before))
    largest = sorted(wanted.values(), key=lambda one: (-(size_of(one.type) or 0), str(one.type)))
    return Viewed(at, tuple(largest[:MOST_VIEWS]), seen.tags, seen.plainly)


def _is_tag(view: View, tags: int, target: Type) -> bool:
    """Are the bytes before it the bits of a tag that the code takes away by subtraction?"""
    members = {each.offset for each in view.type.fields or () if each.type == target}
    return bool(view.before & tags) and view.before <= TAGS and view.before not in members


def _is_larger(kind: Record, target: Type) -> bool:
    match target:
        case Void():
            return True
        case Record():
            return (size_of(kind) or 0) > (size_of(target) or 0)
        case _:
            return False


@dataclass(slots=True)
class _Seen:
    views: dict[View, None] = field(default_factory=dict)
    tags: int = 0
    plainly: bool = False


class _Values:
    """Where the values of the parameters go."""

    def __init__(
        self, functions: Functions, entry: FunctionDefinition, found: dict[int, _Seen]
    ) -> None:
        self._functions = functions
        self._called = called_from(functions, entry)
        self._nodes = [(each, node) for each in self._called for node in walk(each.body)]
        self._found = found
        self._parameters = entry.parameters
        self._known: dict[Symbol, set[_Way]] = {
            each: {(at, 0)}
            for at, each in enumerate(entry.parameters)
            if isinstance(each.type, Pointer)
        }

    def follow(self) -> None:
        for _ in range(_ROUNDS):
            before = sum(map(len, self._known.values()))
            for _, node in self._nodes:
                self._flow(node)
            if sum(map(len, self._known.values())) == before:
                break
        for _, node in self._nodes:
            self._look_at(node)

    # ------------------------------------------------------------------ where values go

    def _flow(self, node: object) -> None:
        match node:
            case Declaration(symbol=symbol, initializer=value) if isinstance(value, Expression):
                self._goes(value, symbol)
            case Assign(target=Name(symbol=symbol), value=value):
                self._goes(value, symbol)
            case CompoundAssign(operator="&" | "&=" | "|" | "|=", target=Name()):
                pass  # the same object
            case Call(arguments=arguments):
                called = self._functions.get(called_name(node))
                if called is not None:
                    for symbol, value in zip(called.parameters, arguments, strict=False):
                        self._goes(value, symbol)
            case _:
                pass

    def _goes(self, value: Expression, to: Symbol) -> None:
        if isinstance(to.type, Pointer) or _is_word(to.type):
            self._known.setdefault(to, set()).update(self._ways(value))

    def _ways(self, expression: Expression) -> set[_Way]:
        """The parameters whose value, with something added, an expression has."""
        found: set[_Way] = set()
        waiting: list[tuple[Expression, int]] = [(expression, 0)]
        while waiting:
            node, more = waiting.pop()
            match node:
                case Name(symbol=symbol):
                    found |= {(at, by + more) for at, by in self._known.get(symbol, ())}
                case Cast(operand=inner, type=kind) if isinstance(kind, Pointer) or _is_word(kind):
                    waiting.append((inner, more))
                case Binary(operator="+" | "-" as operator, left=left, right=right, type=kind):
                    step = _step(kind)
                    number = constant_of(right)
                    if number is not None:
                        signed = number * step if operator == "+" else -number * step
                        waiting.append((left, more + signed))
                    elif operator == "+" and (number := constant_of(left)) is not None:
                        waiting.append((right, more + number * step))
                case Binary(operator="&" | "|", left=left):
                    waiting.append((left, more))
                case Conditional(condition=condition, then=then, otherwise=otherwise):
                    waiting += [(condition if then is None else then, more), (otherwise, more)]
                case Change(old=one, new=other):
                    waiting += [(one, more), (other, more)]
                case Assign(value=inner) | Comma(right=inner):
                    waiting.append((inner, more))
                case StatementExpression(body=body) if body.items:
                    last = body.items[-1]
                    if isinstance(last, ExpressionStatement) and last.expression is not None:
                        waiting.append((last.expression, more))
                case AddressOf(operand=Member(record=base, arrow=True, field=member)):
                    waiting.append((base, more + member.offset))
                case _:
                    pass
        return {(at, by) for at, by in found if abs(by) < 1 << 16}

    # ------------------------------------------------------------------ what they are taken for

    def _look_at(self, node: object) -> None:
        match node:
            case Cast(operand=operand, type=kind):
                self._takes(operand, kind)
            case Declaration(symbol=symbol, initializer=value) if isinstance(value, Expression):
                self._takes(value, symbol.type)
            case Assign(target=target, value=value):
                self._takes(value, target.type)
            case Call(arguments=arguments):
                self._passes(called_name(node), arguments)
            case Binary(operator="&", left=left, right=right):
                self._masks(left, right)
            case CompoundAssign(operator="&" | "&=", target=target, value=value):
                self._masks(target, value)
            case _:
                pass

    def _passes(self, name: str, arguments: Sequence[Expression]) -> None:
        called = self._functions.get(name)
        if called is not None:
            for symbol, value in zip(called.parameters, arguments, strict=False):
                self._takes(value, symbol.type)
        elif name in _COPIES and len(arguments) == 3:
            target, source, size = arguments
            count = constant_of(size)
            for one, other in ((target, source), (source, target)):
                kind = without_casts(other).type
                kind = kind.target if isinstance(kind, Pointer) else kind
                if isinstance(kind, Record) and size_of(kind) == count:
                    self._sees(one, kind)

    def _takes(self, value: Expression, kind: Type) -> None:
        match kind:
            case Pointer(target=Record() as target):
                self._sees(value, target)
            case Pointer(target=target) if not isinstance(target, Void):
                inner = without_casts(value)
                if inner is value or not isinstance(inner.type, Pointer):
                    return
                for at, by in self._ways(value):
                    if not by and isinstance(self._parameters[at].type, Pointer):
                        self._seen(at).plainly = True
            case _:
                pass

    def _sees(self, value: Expression, kind: Record) -> None:
        if kind.fields is None or not kind.fields:
            return
        for at, by in self._ways(value):
            if by <= 0 and -by < (size_of(kind) or 0):
                self._seen(at).views[View(kind, -by)] = None

    def _masks(self, value: Expression, mask: Expression) -> None:
        bits = tag_bits(mask)
        if bits and _is_word(value.type):
            for at, _ in self._ways(value):
                self._seen(at).tags |= bits

    def _seen(self, at: int) -> _Seen:
        return self._found.setdefault(at, _Seen())


def _is_word(kind: Type) -> bool:
    return isinstance(kind, Integer) and kind.size == 8


def _step(kind: Type) -> int:
    if isinstance(kind, Pointer) and not isinstance(kind.target, Void):
        return size_of(kind.target) or 1
    return 1


def tag_bits(mask: Expression) -> int:
    """The low bits that a mask selects, or takes away."""
    inner = without_casts(mask)
    if isinstance(inner, Unary) and inner.operator == "~":
        number = constant_of(inner.operand)
        return 0 if number is None or not 0 < number <= TAGS else number
    number = constant_of(mask)
    if number is None:
        return 0
    if 0 < number <= TAGS:
        return number
    cleared = ~number & ((1 << 64) - 1)
    return cleared if 0 < cleared <= TAGS else 0
