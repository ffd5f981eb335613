"""The types of operators' results (C17 6.5), on operands that are typed already.

unsigned char + int        int
int *p; p - p              long
c ? (char *) 0 : "text"    char *
"""

from __future__ import annotations

from csg.errors import Location, ParseError
from csg.frontend.constants import fold
from csg.frontend.context import pointed_qualifiers, qualifiers_of
from csg.language.syntax import (
    AddressOf,
    Binary,
    Cast,
    CompoundLiteral,
    Conditional,
    Dereference,
    Expression,
    Index,
    Logical,
    Member,
    Name,
    StringLiteral,
    SymbolKind,
    Unary,
    arithmetic_type,
    operand_type,
)
from csg.language.types import (
    INT,
    PTRDIFF,
    VOID,
    Array,
    Enumeration,
    Field,
    Function,
    Integer,
    Pointer,
    Record,
    Type,
    Void,
    is_arithmetic,
    is_integer,
    is_scalar,
)

SHIFTS = frozenset({"<<", ">>"})
COMPARISONS = frozenset({"<", ">", "<=", ">=", "==", "!="})
_ON_INTEGERS = frozenset({"%", "&", "|", "^"})


def binary(operator: str, left: Expression, right: Expression, place: Location) -> Binary:
    """``left operator right``, all but && and ||; refuses operands that have no meaning."""
    result = _binary_type(operator, left, right)
    if result is None:
        kinds = f"{type_in_words(left.type)} and {type_in_words(right.type)}"
        raise ParseError(f"invalid operands of '{operator}': {kinds}", place)
    return Binary(operator, left, right, result, place)


def _binary_type(operator: str, left: Expression, right: Expression) -> Type | None:
    a, b = left.type, right.type
    arithmetic = is_arithmetic(a) and is_arithmetic(b)
    integers = is_integer(a) and is_integer(b)
    if operator in COMPARISONS:
        return INT if is_scalar(a) and is_scalar(b) else None
    if operator in SHIFTS:
        return operand_type(left) if integers else None
    if operator in _ON_INTEGERS:
        return arithmetic_type(left, right) if integers else None
    if arithmetic:
        return arithmetic_type(left, right)
    match operator, a, b:
        case "+" | "-", Pointer(), _ if is_integer(b):
            return a
        case "+", _, Pointer() if is_integer(a):
            return b
        case "-", Pointer(), Pointer():
            return PTRDIFF
        case _:
            return None


def unary(operator: str, operand: Expression, place: Location) -> Unary:
    """``- ~ ! +``"""
    kind = operand.type
    fits = {"!": is_scalar, "~": is_integer}.get(operator, is_arithmetic)
    if not fits(kind):
        raise ParseError(f"invalid operand of '{operator}': {type_in_words(kind)}", place)
    return Unary(operator, operand, INT if operator == "!" else operand_type(operand), place)


def logical(operator: str, operands: list[Expression], place: Location) -> Logical:
    for operand in operands:
        condition(operand)
    return Logical(operator, tuple(operands), INT, place)


def condition(expression: Expression) -> Expression:
    """An expression that is compared with 0."""
    if not is_scalar(expression.type):
        raise ParseError(
            f"a {type_in_words(expression.type)} cannot be a condition", expression.location
        )
    return expression


def conditional(
    test: Expression, then: Expression | None, otherwise: Expression, place: Location
) -> Conditional:
    chosen = conditional_type(test if then is None else then, otherwise, place)
    return Conditional(condition(test), then, otherwise, chosen, place)


def conditional_type(then: Expression, otherwise: Expression, place: Location) -> Type:
    """The type of ``c ? then : otherwise`` (C17 6.5.15)."""
    a, b = then.type, otherwise.type
    if is_arithmetic(a) and is_arithmetic(b):
        return arithmetic_type(then, otherwise)
    if isinstance(a, Void) or isinstance(b, Void):
        return VOID
    if a == b and not isinstance(a, Pointer):
        return a
    match a, b:
        case Pointer(), Pointer():
            return _common_pointer(then, otherwise, a, b)
        case Pointer(), _ if is_integer(b):
            return a
        case _, Pointer() if is_integer(a):
            return b
        case _:
            text = f"the two values of '?:' do not fit: {type_in_words(a)} and {type_in_words(b)}"
            raise ParseError(text, place)


def _common_pointer(then: Expression, otherwise: Expression, a: Pointer, b: Pointer) -> Type:
    if is_null_pointer(otherwise):
        return a
    if is_null_pointer(then):
        return b
    target: Type = a.target
    if isinstance(b.target, Void):
        target = VOID
    elif isinstance(target, Array) and target.length is None:
        target = b.target
    return Pointer(target, a.qualifiers | b.qualifiers)


def is_null_pointer(expression: Expression) -> bool:
    """A null pointer constant: 0, or 0 cast to ``void *`` (C17 6.3.2.3p3)."""
    if isinstance(expression, Cast):
        if expression.type != Pointer(VOID) or pointed_qualifiers(expression.type):
            return False
        expression = expression.operand
    return is_integer(expression.type) and fold(expression) == 0


# --------------------------------------------------------------------------- objects


def take_address(operand: Expression, place: Location) -> Expression:
    """``&operand``; the object that it lies in needs memory from now on."""
    mark_addressed(operand)
    if isinstance(operand, Member) and operand.field.bit_width is not None:
        raise ParseError("the address of a bit-field cannot be taken", place)
    designates = Name | Dereference | Index | Member | CompoundLiteral | StringLiteral
    if not isinstance(operand, designates) and not isinstance(operand.type, Record):
        raise ParseError("'&' needs an object or a function", place)
    return AddressOf(operand, Pointer(operand.type, qualifiers_of(operand)), place)


def mark_addressed(operand: Expression) -> None:
    """Note that the address of the object that ``operand`` is a part of is taken."""
    while True:
        match operand:
            case Member(record=record, arrow=False):
                operand = record
            case Name(symbol=symbol) | CompoundLiteral(symbol=symbol):
                symbol.address_taken = True
                return
            case _:
                return


def dereference(operand: Expression, place: Location) -> Expression:
    match operand.type:
        case Pointer(target=target):
            return Dereference(operand, target, place)
        case _:
            raise ParseError(f"'*' needs a pointer, not {type_in_words(operand.type)}", place)


def index(base: Expression, subscript: Expression, place: Location) -> Index:
    """``base[subscript]``, whichever of the two is the pointer."""
    if not isinstance(base.type, Pointer):
        base, subscript = subscript, base
    if not isinstance(base.type, Pointer) or not is_integer(subscript.type):
        raise ParseError("'[]' needs an array or pointer and an integer", place)
    return Index(base, subscript, base.type.target, place)


def member(record: Expression, name: str, arrow: bool, place: Location) -> Member:
    """``record.name`` or ``record->name``; anonymous members on the way are spelt out."""
    kind = record.type
    if arrow:
        kind = kind.target if isinstance(kind, Pointer) else VOID
    if not isinstance(kind, Record):
        operator = "->" if arrow else "."
        raise ParseError(f"'{operator}{name}': {type_in_words(record.type)} has no members", place)
    if kind.fields is None:
        raise ParseError(f"'{kind}' is incomplete here; its members are not known", place)
    path = member_path(kind, name)
    if not path:
        raise ParseError(f"'{kind}' has no member named '{name}'", place)
    for step in path:
        record = Member(record, step, arrow, step.type, place)
        arrow = False
    assert isinstance(record, Member)
    return record


def member_path(kind: Record, name: str) -> list[Field]:
    """The fields that lead to ``name``: itself, behind the anonymous members around it."""
    for field in kind.fields or ():
        if field.name == name:
            return [field]
        if not field.name and isinstance(field.type, Record):
            inner = member_path(field.type, name)
            if inner:
                return [field, *inner]
    return []


def is_assignable(target: Expression) -> bool:
    """Whether ``target`` designates an object that a value can be put into."""
    match target:
        case Name(symbol=symbol):
            return symbol.kind is not SymbolKind.FUNCTION and not isinstance(symbol.type, Array)
        case Member(field=field):
            return not isinstance(field.type, Array)
        case Dereference() | Index() | CompoundLiteral():
            return not isinstance(target.type, Array | Function)
        case _:
            return False


def compatible(a: Type, b: Type) -> bool:
    """Compatible types (C17 6.2.7): qualifiers of what pointers point to count, an enumeration is
    its integer type, and a missing length fits any."""
    match a, b:
        case Pointer(), Pointer():
            return a.qualifiers == b.qualifiers and compatible(a.target, b.target)
        case Array(), Array():
            lengths = {each.length for each in (a, b) if isinstance(each.length, int)}
            return len(lengths) < 2 and compatible(a.element, b.element)
        case Function(), Function():
            return compatible(a.result, b.result) and _parameters_fit(a, b)
        case (Enumeration(underlying=whole), Integer() as other) | (
            Integer() as other,
            Enumeration(underlying=whole),
        ):
            return whole == other
        case _:
            return a == b


def _parameters_fit(a: Function, b: Function) -> bool:
    if not (a.prototype and b.prototype):
        return True
    same = len(a.parameters) == len(b.parameters) and a.variadic == b.variadic
    return same and all(map(compatible, a.parameters, b.parameters))


def type_in_words(kind: Type) -> str:
    """A type in words, for a message."""
    match kind:
        case Pointer(target=target):
            return f"pointer to {type_in_words(target)}"
        case Array(element=element):
            return f"array of {type_in_words(element)}"
        case Function():
            return "function"
        case _:
            return f"'{kind}'"
