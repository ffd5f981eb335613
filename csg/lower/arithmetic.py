"""Operators on numbers and pointers.

    c + 1      (char c)         %4 = sext %2 to 32;  %5 = add %4, 1
    u >> n     (unsigned u)     %4 = lshr %2, %3
    p - q      (int *p, *q)     %4 = sub %2, %3;  %5 = ashr %4, 2

Operands are evaluated left to right, as gcc does, but for two cases in which it exchanges them: an
integer added to a pointer, and a plain variable before anything else under a commutative operator
or a comparison (``g + f()`` reads g after the call).
"""

from __future__ import annotations

from csg.frontend.constants import fold, wrapped
from csg.ir import Constant, Value
from csg.language.syntax import (
    Binary,
    Cast,
    Change,
    EnumeratorName,
    Expression,
    IntegerConstant,
    Name,
    Unary,
    Version,
)
from csg.language.traversal import half_of, rebuilt, walk
from csg.language.types import (
    INT,
    Array,
    Floating,
    Function,
    Pointer,
    Type,
    is_arithmetic,
    is_integer,
    is_signed,
    size_of,
    usual_conversion,
    value_bits,
)
from csg.lower.builder import ADDRESS
from csg.lower.context import Lowering
from csg.lower.expressions import (
    convert,
    converted,
    from_truth,
    is_variable,
    operand_type,
    promoted_value,
    run_time_size,
)

_LARGEST_INT = 2**31 - 1
COMPARISONS = frozenset({"<", ">", "<=", ">=", "==", "!="})
_COMMUTATIVE = frozenset({"+", "*", "&", "|", "^"}) | COMPARISONS
_PLAIN = {"+": "add", "-": "sub", "*": "mul", "&": "and", "|": "or", "^": "xor", "<<": "shl"}
_DIVISIONS = {("/", True): "sdiv", ("/", False): "udiv", ("%", True): "srem", ("%", False): "urem"}
_FLOATING = {"+": "add", "-": "sub", "*": "mul", "/": "div"}
_RELATIONS = {"<": "lt", ">": "lt", "<=": "le", ">=": "le"}


def binary(lowering: Lowering, expression: Binary) -> Value:
    """The value of a binary expression. Left operands of ``a + b + c + ...`` are taken in a loop,
    not by recursion: the chain may be long."""
    chain = [expression]
    while isinstance(chain[-1].left, Binary) and _is_plain(chain[-1]):
        chain.append(chain[-1].left)
    value = _binary(lowering, chain.pop())
    while chain:
        outer = chain.pop()
        left = convert(lowering.builder, value, outer.left.type, outer.type)
        right = converted(lowering, outer.right, outer.type)
        value = operate(lowering, outer.operator, outer.type, left, right)
    return value


def _is_plain(expression: Binary) -> bool:
    """Is it arithmetic on numbers, with both operands converted to the type of the result?"""
    operator = expression.operator
    if operator in COMPARISONS or operator in ("<<", ">>"):
        return False
    return is_arithmetic(expression.left.type) and is_arithmetic(expression.right.type)


def _binary(lowering: Lowering, expression: Binary) -> Value:
    operator = expression.operator
    left, right = expression.left, expression.right
    if operator in COMPARISONS:
        return from_truth(lowering.builder, comparison(lowering, expression), expression.type)
    if operator in ("<<", ">>"):
        return _shift(lowering, expression)
    if operator in ("+", "-") and _is_pointer(left.type):
        if _is_pointer(right.type):
            return _difference(lowering, expression)
        return displaced(lowering, left, right, "add" if operator == "+" else "sub")
    if _is_pointer(right.type):
        return displaced(lowering, right, left, "add")
    a, b = _operands(lowering, expression, expression.type)
    return operate(lowering, operator, expression.type, a, b)


def _operands(lowering: Lowering, expression: Binary, kind: Type) -> tuple[Value, Value]:
    left, right = expression.left, expression.right
    if expression.operator in _COMMUTATIVE and _is_variable(left) and not _is_constant(right):
        b = converted(lowering, right, kind)
        return converted(lowering, left, kind), b
    a = converted(lowering, left, kind)
    return a, converted(lowering, right, kind)


def _is_variable(expression: Expression) -> bool:
    while isinstance(expression, Cast) and size_of(expression.type) == size_of(
        expression.operand.type
    ):
        expression = expression.operand
    return isinstance(expression, Name)


def _is_constant(expression: Expression) -> bool:
    """Is it a name or a constant? Then it does not matter when it is evaluated, or gcc does not
    exchange it."""
    return isinstance(expression, Name | IntegerConstant | EnumeratorName)


def operate(lowering: Lowering, operator: str, kind: Type, left: Value, right: Value) -> Value:
    """``left operator right`` for two values already of the arithmetic type ``kind``."""
    builder = lowering.builder
    if isinstance(kind, Floating):
        return builder.float_binary(_FLOATING[operator], left, right)
    if operator in _PLAIN:
        return builder.binary(_PLAIN[operator], left, right)
    if operator == ">>":
        return builder.binary("ashr" if is_signed(kind) else "lshr", left, right)
    return builder.binary(_DIVISIONS[operator, is_signed(kind)], left, right)


def _shift(lowering: Lowering, expression: Binary) -> Value:
    # The operands of a shift are promoted separately (C17 6.5.7p3): the count does not widen the
    # value, so this does not go through usual_conversion().
    builder = lowering.builder
    changes = [each for each in walk(expression.left, expression.right) if isinstance(each, Change)]
    halves = [_half(expression, version) for version in Version] if changes else [expression]
    values = [each for each in map(_shifted_constant, halves) if each is not None]
    if len(values) == len(halves):
        for each in changes:
            lowering.nodes.note_change(builder.node, each.id)
        return _of_versions(lowering, values[0], values[-1])
    left, kind = promoted_value(lowering, expression.left)
    right, count_kind = promoted_value(lowering, expression.right)
    count = builder.resize(right, left.width, is_signed(count_kind))
    return operate(lowering, expression.operator, kind, left, count)


def _shifted_constant(shift: Expression) -> Constant | None:
    """What gcc makes of a constant that is shifted by another one. By the width of the operand or
    more it is undefined (C17 6.5.7p3): a processor computes something else. None where an operand
    is no constant, and for counts that are negative as an int, most of which gcc leaves to the
    processor."""
    assert isinstance(shift, Binary)
    kind, count = operand_type(shift.left), fold(shift.right)
    left = fold(shift.left) if count is not None and 0 <= count <= _LARGEST_INT else None
    value = None if left is None else wrapped(left, kind)
    if count is None or not isinstance(value, int):
        return None
    width = value_bits(kind)
    most = min(count, width)  # behind it nothing changes any more
    value = value << most if shift.operator == "<<" else value >> most
    return Constant(value & ((1 << width) - 1), width)


def _half(expression: Expression, version: Version) -> Expression:
    """The expression of one version."""
    match expression:
        case Change():
            return _half(half_of(expression, version), version)
        case _:
            return rebuilt(expression, lambda each: _half(each, version))


def _of_versions(lowering: Lowering, old: Constant, new: Constant) -> Value:
    builder = lowering.builder
    if builder.version is not None or old == new:
        return old if builder.version is Version.OLD else new
    result = builder.variable(old.width)
    for version, value in ((Version.OLD, old), (Version.NEW, new)):
        builder.version = version
        builder.move(result, value)
    builder.version = None
    return result


def comparison(lowering: Lowering, expression: Binary) -> Value:
    """A comparison as a value of width 1; ``>`` is ``<`` with its operands exchanged."""
    operator = expression.operator
    kind = _common_type(expression.left, expression.right)
    left, right = _operands(lowering, expression, kind)
    if operator in (">", ">="):
        left, right = right, left
    if isinstance(kind, Floating):
        named = {"==": "eq", "!=": "ne"}.get(operator) or _RELATIONS[operator]
        return lowering.builder.float_compare(named, left, right)
    if operator in ("==", "!="):
        return lowering.builder.compare("eq" if operator == "==" else "ne", left, right)
    prefix = "s" if is_signed(kind) else "u"
    return lowering.builder.compare(prefix + _RELATIONS[operator], left, right)


def _common_type(left: Expression, right: Expression) -> Type:
    if _is_pointer(left.type):
        return left.type
    if _is_pointer(right.type):
        return right.type
    return usual_conversion(operand_type(left), operand_type(right))


def _is_pointer(kind: Type) -> bool:
    return isinstance(kind, Pointer | Array | Function)


def _difference(lowering: Lowering, expression: Binary) -> Value:
    left = lowering.value(expression.left)
    right = lowering.value(expression.right)
    bytes_apart = lowering.builder.binary("sub", left, right)
    size = element_size(lowering, expression.left.type)
    if isinstance(size, Constant):
        if size.value in (0, 1):
            return bytes_apart
        if size.value & (size.value - 1) == 0:  # the distance is a multiple: the shift is exact
            count = Constant(size.value.bit_length() - 1, ADDRESS)
            return lowering.builder.binary("ashr", bytes_apart, count)
    return lowering.builder.binary("sdiv", bytes_apart, size)


def displaced(lowering: Lowering, base: Expression, index: Expression, operator: str) -> Value:
    """``base + index`` or ``base - index`` in units of what ``base`` points to; base first."""
    address = lowering.value(base)
    distance, kind = subscript(lowering, index)
    return moved(lowering, address, base.type, distance, kind, operator)


def subscript(lowering: Lowering, index: Expression) -> tuple[Value, Type]:
    """The value of what is added to a pointer, and its integer type."""
    if value_bits(index.type) == 1:
        return converted(lowering, index, INT), INT
    return lowering.value(index), index.type


def moved(
    lowering: Lowering, address: Value, pointer: Type, distance: Value, kind: Type, operator: str
) -> Value:
    """A pointer value moved by ``distance`` (of the integer type ``kind``) elements."""
    builder = lowering.builder
    wide = builder.resize(distance, ADDRESS, is_integer(kind) and is_signed(kind))
    size = element_size(lowering, pointer)
    if isinstance(size, Constant):
        scaled = builder.scaled(wide, size.value)
    else:
        scaled = builder.binary("mul", wide, size)
    return builder.binary(operator, address, scaled)


def element_size(lowering: Lowering, pointer: Type) -> Value:
    target = pointer.target if isinstance(pointer, Pointer) else pointer
    if isinstance(pointer, Array):
        target = pointer.element
    if is_variable(target):
        return run_time_size(lowering, target)
    return Constant(size_of(target), ADDRESS)


def unary(lowering: Lowering, expression: Unary) -> Value:
    match expression.operator:
        case "!":
            opposite = _negated(lowering, lowering.condition(expression.operand))
            return from_truth(lowering.builder, opposite, expression.type)
        case "-":
            value = converted(lowering, expression.operand, expression.type)
            if isinstance(expression.type, Floating):
                return lowering.builder.float_negate(value)
            return lowering.builder.unary("neg", value)
        case "~":
            value = converted(lowering, expression.operand, expression.type)
            return lowering.builder.unary("not", value)
        case "+":
            return converted(lowering, expression.operand, expression.type)
        case _:
            raise AssertionError(expression.operator)


def _negated(lowering: Lowering, truth: Value) -> Value:
    return lowering.builder.unary("not", truth)
