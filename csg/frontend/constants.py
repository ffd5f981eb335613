"""Compute integer constant expressions: array sizes, enumerators, case labels.

sizeof(int) * 2 + (3 > 2)                  9
(size_t) &((struct s *) 0)->second         4, the old way to write offsetof
"""

from __future__ import annotations

import struct

from csg.language.syntax import (
    AddressOf,
    Binary,
    Builtin,
    Cast,
    Conditional,
    Dereference,
    EnumeratorName,
    Expression,
    FloatingConstant,
    Index,
    IntegerConstant,
    Logical,
    Member,
    SizeOf,
    Unary,
)
from csg.language.types import (
    BOOL,
    FLOAT,
    Array,
    Enumeration,
    Floating,
    Integer,
    Pointer,
    Type,
    is_arithmetic,
    promoted,
    size_of,
    usual_conversion,
)

Number = int | float


def fold(expression: Expression) -> int | None:
    """The value of an integer (or pointer) expression that the compiler knows, else None."""
    value = _number(expression)
    return value if isinstance(value, int) else None


def wrapped(value: Number, kind: Type) -> Number | None:
    """``value`` converted to ``kind`` (C17 6.3.1)."""
    match kind:
        case Floating():
            if kind == FLOAT:
                return float(struct.unpack("f", struct.pack("f", value))[0])
            return float(value)
        case Enumeration(underlying=underlying):
            return wrapped(value, underlying)
        case Integer():
            if kind == BOOL:
                return int(value != 0)
            whole = int(value) & ((1 << kind.bits) - 1)
            return whole - (1 << kind.bits) if kind.signed and whole >> (kind.bits - 1) else whole
        case Pointer():
            return int(value) & ((1 << 64) - 1)
        case _:
            return None


def _number(expression: Expression) -> Number | None:
    match expression:
        case IntegerConstant(value=value) | EnumeratorName(value=value):
            return value
        case FloatingConstant(text=text):
            return float.fromhex(text) if text[:2].lower() == "0x" else float(text)
        case SizeOf(value=size):
            return size
        case Cast(operand=operand):
            value_ = _number(operand)
            return None if value_ is None else wrapped(value_, expression.type)
        case Unary():
            return _unary(expression)
        case Binary():
            return _chain(expression)
        case Logical():
            return _logical(expression)
        case Conditional():
            return _conditional(expression)
        case AddressOf(operand=operand):
            return _address(operand)
        case Builtin(name="expect", arguments=arguments):
            return _number(arguments[0])
        case _:
            return None


def _unary(expression: Unary) -> Number | None:
    value = _number(expression.operand)
    match expression.operator, value:
        case _, None:
            return None
        case "!", _:
            return int(not value)
        case "~", int(whole):
            return wrapped(~whole, expression.type)
        case "-", _:
            assert value is not None
            return wrapped(-value, expression.type)
        case "+", _:
            assert value is not None
            return wrapped(value, expression.type)
        case _:
            return None


def _chain(expression: Binary) -> Number | None:
    """A chain of operators leans to the left and can be long; so its left side is a loop."""
    spine: list[Binary] = []
    node: Expression = expression
    while isinstance(node, Binary):
        spine.append(node)
        node = node.left
    left = _number(node)
    for operation in reversed(spine):
        right = _number(operation.right)
        if left is None or right is None:
            return None
        left = _binary(operation, left, right)
    return left


def _binary(operation: Binary, left: Number, right: Number) -> Number | None:
    kinds = operation.left.type, operation.right.type
    if isinstance(operation.type, Pointer) or isinstance(kinds[0], Pointer):
        return _on_pointers(operation, left, right)
    if not (is_arithmetic(kinds[0]) and is_arithmetic(kinds[1])):
        return None
    if operation.operator in ("<<", ">>"):
        return _shift(operation, left, right)
    common = usual_conversion(*kinds)
    a, b = wrapped(left, common), wrapped(right, common)
    assert a is not None and b is not None
    result = _arithmetic(operation.operator, a, b)
    return None if result is None else wrapped(result, operation.type)


def _arithmetic(operator: str, a: Number, b: Number) -> Number | None:
    if operator in ("/", "%") and b == 0:
        return None
    whole = isinstance(a, int) and isinstance(b, int)
    match operator:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "/":
            return _quotient(int(a), int(b)) if whole else a / b
        case "%":
            return int(a) - int(b) * _quotient(int(a), int(b))
        case "&":
            return int(a) & int(b)
        case "|":
            return int(a) | int(b)
        case "^":
            return int(a) ^ int(b)
        case _:
            return _COMPARISONS[operator](a, b)


def _quotient(a: int, b: int) -> int:
    """C divides towards zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


_COMPARISONS = {
    "<": lambda a, b: int(a < b),
    ">": lambda a, b: int(a > b),
    "<=": lambda a, b: int(a <= b),
    ">=": lambda a, b: int(a >= b),
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
}


def _shift(operation: Binary, left: Number, right: Number) -> Number | None:
    kind = promoted(operation.left.type)
    value = wrapped(left, kind)
    assert isinstance(value, int) and isinstance(right, int)
    if not 0 <= right < 8 * size_of(kind):
        return None
    return wrapped(value << right if operation.operator == "<<" else value >> right, kind)


def _on_pointers(operation: Binary, left: Number, right: Number) -> Number | None:
    if operation.operator in _COMPARISONS:
        return _COMPARISONS[operation.operator](left, right)
    a, b = operation.left.type, operation.right.type
    match operation.operator:
        case "-" if isinstance(a, Pointer) and isinstance(b, Pointer):
            return _quotient(int(left) - int(right), size_of(a.target) or 1)
        case "+" | "-" if isinstance(a, Pointer):
            step = int(right) * size_of(a.target)
            return wrapped(left + step if operation.operator == "+" else left - step, a)
        case "+" if isinstance(b, Pointer):
            return wrapped(int(left) * size_of(b.target) + right, b)
        case _:
            return None


def _logical(expression: Logical) -> Number | None:
    stops = expression.operator == "||"
    for operand in expression.operands:
        value = _number(operand)
        if value is None:
            return None
        if bool(value) == stops:
            return int(stops)
    return int(not stops)


def _conditional(expression: Conditional) -> Number | None:
    condition = _number(expression.condition)
    if condition is None:
        return None
    if not condition:
        chosen = _number(expression.otherwise)
    else:
        chosen = condition if expression.then is None else _number(expression.then)
    return None if chosen is None else wrapped(chosen, expression.type)


def _address(operand: Expression) -> Number | None:
    """The address of an lvalue that is built on a constant pointer (``((T *) 0)->a[2]``)."""
    match operand:
        case Dereference(operand=pointer):
            return _pointer(pointer)
        case Member(record=record, field=field, arrow=arrow):
            start = _pointer(record) if arrow else _address(record)
            return None if start is None else start + field.offset
        case Index(base=base, index=index):
            start, count = _pointer(base), _number(index)
            return None if start is None or count is None else start + count * _step(base)
        case _:
            return None


def _step(pointer: Expression) -> int:
    return size_of(pointer.type.target) if isinstance(pointer.type, Pointer) else 1


def _pointer(expression: Expression) -> Number | None:
    """A pointer's value; a member or element of array type is its own address."""
    match expression:
        case Member(field=field) if isinstance(field.type, Array):
            return _address(expression)
        case Index(base=pointer) | Dereference(operand=pointer) if _points_to_array(pointer):
            return _address(expression)
        case _:
            return _number(expression)


def _points_to_array(pointer: Expression) -> bool:
    return isinstance(pointer.type, Pointer) and isinstance(pointer.type.target, Array)
