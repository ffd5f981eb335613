"""Operators on numbers and pointers.

    c + 1      (char c)         %4 = sext %2 to 32;  %5 = add %4, 1
    u >> n     (unsigned u)     %4 = lshr %2, %3
    p - q      (int *p, *q)     %4 = sub %2, %3;  %5 = ashr %4, 2

Operands are evaluated left to right, as gcc does, but for two cases in which it exchanges them: an
integer added to a pointer, and a plain variable before anything else under a commutative operator
or a comparison (``g + f()`` reads g after the call).
"""

from __future__ import annotations

from fractions import Fraction

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
    arithmetic_type,
    is_variable,
    operand_type,
)
from csg.language.types import (
    INT,
    Array,
    Floating,
    Pointer,
    Type,
    Void,
    is_arithmetic,
    is_integer,
    is_signed,
    size_of,
    value_bits,
)
from csg.lower.builder import ADDRESS, FunctionBuilder
from csg.lower.characters import class_of
from csg.lower.commas import has_commas, without_commas
from csg.lower.context import Lowering
from csg.lower.expressions import (
    convert,
    converted,
    from_truth,
    is_address,
    promoted_value,
    run_time_size,
)
from csg.lower.floats import pattern
from csg.lower.folding import folded, may_fold, without_sign
from csg.lower.order import (
    arranged,
    by_version,
    in_each_version,
    in_versions,
    orders,
    same_value,
)
from csg.lower.places import by_address

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
    if (value := _in_order_of_gcc(lowering, expression)) is not None:
        return value
    chain = [arranged(expression)]
    while isinstance(chain[-1].left, Binary) and _is_plain(chain[-1]) and not may_fold(chain[-1]):
        chain.append(arranged(chain[-1].left))
    value = _binary(lowering, chain.pop())
    while chain:
        outer = chain.pop()
        left = convert(lowering.builder, value, outer.left.type, outer.type)
        right = converted(lowering, outer.right, outer.type)
        value = operate(lowering, outer.operator, outer.type, left, right)
    return value


def _in_order_of_gcc(lowering: Lowering, expression: Binary) -> Value | None:
    """The value of an operation with commas, or one that a change lets gcc arrange in another way
    in one version; None of all others."""
    value = _behind_commas(lowering, expression) if has_commas(expression) else None
    return _arranged_by_version(lowering, expression) if value is None else value


def _behind_commas(lowering: Lowering, expression: Binary) -> Value | None:
    """The value of an expression after what stands left of its commas; None where a change alone
    has commas, in a version of its own."""
    builder = lowering.builder
    firsts, rest = without_commas(expression, builder.version)
    if builder.version is None and has_commas(rest) and not isinstance(expression.type, Void):
        width = value_bits(expression.type)
        return in_each_version(
            lowering, expression, (width,), lambda: (lowering.value(expression),)
        )[0]
    for each in firsts:
        lowering.discard(each)
    return lowering.value(rest) if firsts else None


def _arranged_by_version(lowering: Lowering, expression: Binary) -> Value | None:
    """The value of an operation that gcc arranges in one version and not as the other one has it.
    None where both are evaluated as they stand, or no change is near."""
    near = [expression.left, expression.right]
    near += [part for each in near if isinstance(each, Binary) for part in (each.left, each.right)]
    if not any(isinstance(each, Change) for each in near):
        return None
    halves = in_versions(lowering, expression)
    known = {
        version: arranged(half) for version, half in halves.items() if isinstance(half, Binary)
    }
    if all(known[version] is halves[version] for version in known):
        return None
    return by_version(lowering, expression, halves, lambda version: lowering.value(known[version]))


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
    if may_fold(expression) and (value := _evaluate_folded(lowering, expression)) is not None:
        return value
    if operator in ("+", "-") and is_address(left.type):
        if is_address(right.type):
            return _difference(lowering, expression)
        return displaced(lowering, left, right, "add" if operator == "+" else "sub")
    if is_address(right.type):
        return displaced(lowering, right, left, "add")
    if operator == "&" and (value := class_of(lowering, expression)) is not None:
        return value
    a, b = _operands(lowering, expression, expression.type)
    return operate(lowering, expression.operator, expression.type, a, b)


def _operands(lowering: Lowering, expression: Binary, kind: Type) -> tuple[Value, Value]:
    left, right = expression.left, expression.right

    def exchanged(one: Expression, other: Expression) -> bool:
        commutes = expression.operator in _COMMUTATIVE
        return commutes and _is_variable(one, other, expression, kind) and not _is_constant(other)

    old, new = orders(lowering, (left, right), exchanged)
    if old is new:
        return _in_order(lowering, left, right, kind, old)
    width = ADDRESS if by_address(kind) else value_bits(kind)

    def evaluate() -> tuple[Value, Value]:
        one = lowering.builder.version is Version.OLD
        return _in_order(lowering, left, right, kind, old if one else new)

    a, b = in_each_version(lowering, expression, (width, width), evaluate)
    return a, b


def _in_order(
    lowering: Lowering, left: Expression, right: Expression, kind: Type, exchanged: bool
) -> tuple[Value, Value]:
    if exchanged:
        b = converted(lowering, right, kind)
        return converted(lowering, left, kind), b
    a = converted(lowering, left, kind)
    return a, converted(lowering, right, kind)


def _is_variable(one: Expression, other: Expression, operation: Binary, kind: Type) -> bool:
    """Is an operand a name for gcc, which nothing converts? Integers are compared in the wider one
    of the types that they had before they were widened, if both are signed or unsigned."""
    compares = operation.operator in COMPARISONS
    if not (compares and is_integer(one.type) and is_integer(other.type)):
        return _is_name(one) and _same(one.type, kind)
    one, other = _unwidened(one), _unwidened(other)
    width = value_bits(kind)
    if is_signed(one.type) == is_signed(other.type):
        width = max(value_bits(one.type), value_bits(other.type))
    return _is_name(one) and value_bits(one.type) == width


def _same(one: Type, other: Type) -> bool:
    if by_address(one) or by_address(other):
        return True
    alike = isinstance(one, Floating) is isinstance(other, Floating)
    return alike and value_bits(one) == value_bits(other)


def _unwidened(operand: Expression) -> Expression:
    while isinstance(operand, Cast) and is_integer(operand.operand.type):
        if value_bits(operand.type) <= value_bits(operand.operand.type):
            break
        operand = operand.operand
    return operand


def _is_name(expression: Expression) -> bool:
    return isinstance(same_value(expression), Name)


def _is_constant(expression: Expression) -> bool:
    """Is it a name or a constant? Then it does not matter when it is evaluated, or gcc does not
    exchange it."""
    return isinstance(expression, Name | IntegerConstant | EnumeratorName)


def operate(lowering: Lowering, operator: str, kind: Type, left: Value, right: Value) -> Value:
    """``left operator right`` for two values already of the arithmetic type ``kind``."""
    builder = lowering.builder
    if isinstance(left, Constant) is not isinstance(right, Constant):
        known = _with_constant(builder, operator, kind, left, right)
        if known is not None:
            return known
    if isinstance(kind, Floating):
        return builder.float_binary(_FLOATING[operator], left, right)
    if operator in _PLAIN:
        return builder.binary(_PLAIN[operator], left, right)
    if operator == ">>":
        return builder.binary("ashr" if is_signed(kind) else "lshr", left, right)
    return builder.binary(_DIVISIONS[operator, is_signed(kind)], left, right)


def _with_constant(
    builder: FunctionBuilder, operator: str, kind: Type, left: Value, right: Value
) -> Value | None:
    """``x %= -1`` and the like, as ``folded`` has them."""
    a, b = (each.value if isinstance(each, Constant) else None for each in (left, right))
    width = left.width
    if isinstance(kind, Floating):
        one = pattern(Fraction(1), width)
        minus = one | 1 << (width - 1)
        if operator in ("*", "/") and b in (one, minus):
            return left if b == one else builder.float_negate(left)
        same_with = {"-": 0, "+": 1 << (width - 1)}.get(operator)
        return left if same_with is not None and b == same_with else None
    if operator not in ("/", "%"):
        return None
    if a == 0 or (operator == "%" and b == 1):
        return Constant(0, width)
    if b == (1 << width) - 1 and is_signed(kind):
        return Constant(0, width) if operator == "%" else builder.unary("neg", left)
    return None


def _evaluate_folded(lowering: Lowering, expression: Binary) -> Value | None:
    """Evaluate what gcc computes instead of an expression; None if each version computes the
    expression itself."""
    halves = in_versions(lowering, expression)
    known = {version: folded(half) for version, half in halves.items() if isinstance(half, Binary)}
    if not any(known.values()):
        return None

    def evaluate(version: Version | None) -> Value:
        return lowering.value(known.get(version) or halves[version])

    return by_version(lowering, expression, halves, evaluate)


def _shift(lowering: Lowering, expression: Binary) -> Value:
    halves = in_versions(lowering, expression)
    known = {version: _shifted_constant(half) for version, half in halves.items()}
    if not any(known.values()):
        return _shift_values(lowering, expression)

    def evaluate(version: Version | None) -> Value:
        half = halves[version]
        assert isinstance(half, Binary)
        return known[version] or _shift_values(lowering, half)

    return by_version(lowering, expression, halves, evaluate)


def _shift_values(lowering: Lowering, expression: Binary) -> Value:
    # The operands of a shift are promoted separately (C17 6.5.7p3): the count does not widen the
    # value, so this does not go through usual_conversion().
    builder = lowering.builder
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


def comparison(lowering: Lowering, expression: Binary) -> Value:
    """A comparison as a value of width 1; ``>`` is ``<`` with its operands exchanged."""
    if (value := _in_order_of_gcc(lowering, expression)) is not None:
        return lowering.builder.compare("ne", value, Constant(0, value.width))
    expression = arranged(expression)
    operator = expression.operator
    kind = _common_type(expression.left, expression.right)
    left, right = _operands(lowering, expression, kind)
    if operator in (">", ">="):
        left, right = right, left
    if isinstance(kind, Floating):
        named = {"==": "eq", "!=": "ne"}.get(operator) or _RELATIONS[operator]
        return lowering.builder.float_compare(named, left, right)
    if operator in ("==", "!="):
        equal = "eq" if operator == "==" else "ne"
        pointers = is_address(kind) and not (_is_null(left) or _is_null(right))
        return lowering.builder.compare(equal, left, right, pointers)
    prefix = "s" if is_signed(kind) else "u"
    relation = prefix + _RELATIONS[operator]
    return lowering.builder.compare(relation, left, right, pointers=is_address(kind))


def _is_null(value: Value) -> bool:
    return isinstance(value, Constant) and not value.value


def _common_type(left: Expression, right: Expression) -> Type:
    if is_address(left.type):
        return left.type
    if is_address(right.type):
        return right.type
    return arithmetic_type(left, right)


def _difference(lowering: Lowering, expression: Binary) -> Value:
    left = lowering.value(expression.left)
    right = lowering.value(expression.right)
    bytes_apart = lowering.builder.distance(left, right)
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
        case "-" if (simpler := without_sign(expression)) is not None:
            return lowering.value(simpler)
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
