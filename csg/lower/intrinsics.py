"""gcc's builtins and variable arguments.

    va_arg(ap, int)                        %4 = va_arg integer 4, [%2]
    __builtin_add_overflow(a, b, &r)       in twice the width, stored, compared with what was stored
    __builtin_popcount(x)                  lower to shifts and masks

Names come without the prefix ``__builtin_``. Before these come atomic builtins, bits, and builtins
on floating-point numbers.
"""

from __future__ import annotations

import re
from fractions import Fraction

from csg.frontend.constants import fold
from csg.ir import Constant, Refuse, VaArgument, VaCopy, Value, VaStart
from csg.language.syntax import (
    AddressOf,
    Binary,
    Builtin,
    Cast,
    Comma,
    Dereference,
    Expression,
    Index,
    Member,
    Name,
    StringLiteral,
    VaArg,
    arithmetic_type,
    operand_type,
)
from csg.language.types import (
    INT,
    SIZE,
    UCHAR,
    Array,
    Floating,
    Function,
    Pointer,
    Record,
    Type,
    Void,
    is_signed,
    value_bits,
)
from csg.language.types import size_of as type_size
from csg.lower import floats
from csg.lower.arithmetic import operate
from csg.lower.builder import FunctionBuilder
from csg.lower.context import Lowering
from csg.lower.conventions import passed_as
from csg.lower.expressions import converted
from csg.lower.places import InMemory, by_address, read, write
from csg.lower.statements import label_address
from csg.records import record

# ---------------------------------------------------------------------------------- atomic builtins
# gcc's atomic builtins, for programs with one thread.
#
# __sync_fetch_and_add(&n, 3)   %2 = load 4, [%1];  %3 = add %2, 3;  store 4, [%1], %3; gives %2
# __sync_add_and_fetch(&n, 3)   the same, gives %3
# __atomic_compare_exchange_n(&n, &e, 3, ..)    n == e: store 3 to n; else what n is to e


_FETCH = re.compile(r"__(?:sync|atomic)_fetch_(?:and_)?(add|sub|or|and|xor|nand)$")
_RESULT = re.compile(r"__(?:sync|atomic)_(add|sub|or|and|xor|nand)_(?:and_)?fetch$")
_OPERATORS = {"add": "+", "sub": "-", "or": "|", "and": "&", "xor": "^", "nand": "&"}
_BYTES = frozenset({"__atomic_test_and_set", "__atomic_clear"})  # whatever the pointer's type
_FENCES = frozenset({"__sync_synchronize", "__atomic_thread_fence", "__atomic_signal_fence"})


def _atomic_builtin(lowering: Lowering, expression: Builtin) -> Value | None:
    """The value of an atomic builtin, None for any other."""
    name = expression.name
    if name in _FENCES:
        return Constant(0, 32)
    kind = UCHAR if name in _BYTES else _target(expression)
    if kind is None or by_address(kind) or isinstance(kind, Void):
        return None
    place = InMemory(lowering.value(expression.arguments[0]), kind)
    if changing := _FETCH.match(name) or _RESULT.match(name):
        if isinstance(kind, Pointer):
            return None
        return _changed(lowering, expression, place, changing[1])
    if "compare" in name:
        return _compared(lowering, expression, place)
    return _moved(lowering, expression, place)


def _changed(lowering: Lowering, expression: Builtin, place: InMemory, operation: str) -> Value:
    kind, builder = place.type, lowering.builder
    operand = converted(lowering, expression.arguments[1], kind)
    old = read(builder, place)
    new = operate(lowering, _OPERATORS[operation], kind, old, operand)
    if operation == "nand":
        new = builder.unary("not", new)
    write(builder, place, new)
    return old if _FETCH.match(expression.name) else new


def _moved(lowering: Lowering, expression: Builtin, place: InMemory) -> Value | None:
    """The value of an atomic load, store or exchange; generic forms take the addresses of their
    operands."""
    kind, builder, arguments = place.type, lowering.builder, expression.arguments
    match expression.name:
        case "__atomic_load_n":
            return read(builder, place)
        case "__atomic_load":
            write(builder, _behind(lowering, arguments[1], kind), read(builder, place))
        case "__atomic_store_n":
            write(builder, place, converted(lowering, arguments[1], kind))
        case "__atomic_store":
            write(builder, place, read(builder, _behind(lowering, arguments[1], kind)))
        case "__sync_lock_release" | "__atomic_clear":
            write(builder, place, Constant(0, value_bits(kind)))
        case "__sync_lock_test_and_set" | "__atomic_exchange_n":
            operand = converted(lowering, arguments[1], kind)
            old = read(builder, place)
            write(builder, place, operand)
            return old
        case "__atomic_test_and_set":
            old = read(builder, place)
            write(builder, place, Constant(1, value_bits(kind)))
            return builder.compare("ne", old, Constant(0, value_bits(kind)))
        case "__atomic_exchange":
            operand = read(builder, _behind(lowering, arguments[1], kind))
            write(builder, _behind(lowering, arguments[2], kind), read(builder, place))
            write(builder, place, operand)
        case _:
            return None
    return Constant(0, 32)


def _compared(lowering: Lowering, expression: Builtin, place: InMemory) -> Value | None:
    """The value of a compare-and-exchange: it stores where the old value is the expected one."""
    kind, builder, name = place.type, lowering.builder, expression.name
    if isinstance(kind, Floating):
        return None
    _, expected, wanted, *_ = expression.arguments
    remembered = None if name.startswith("__sync") else _behind(lowering, expected, kind)
    known = converted(lowering, expected, kind) if remembered is None else read(builder, remembered)
    generic = name == "__atomic_compare_exchange"
    desired = (
        read(builder, _behind(lowering, wanted, kind))
        if generic
        else converted(lowering, wanted, kind)
    )
    old = read(builder, place)
    equal = builder.compare("eq", old, known)
    then, otherwise, end = builder.new_block(), builder.new_block(), builder.new_block()
    builder.branch(equal, then, otherwise)
    builder.block = then
    write(builder, place, desired)
    builder.jump(end)
    builder.block = otherwise
    if remembered is not None:
        write(builder, remembered, old)
    builder.jump(end)
    builder.block = end
    return old if name == "__sync_val_compare_and_swap" else equal


def _behind(lowering: Lowering, pointer: Expression, kind: Type) -> InMemory:
    return InMemory(lowering.value(pointer), kind)


def _target(expression: Builtin) -> Type | None:
    first = expression.arguments[0].type if expression.arguments else None
    return first.target if isinstance(first, Pointer) else None


# --------------------------------------------------------------------------------------------- bits
# Counting and exchanging bits with shifts and masks, without branches.
#
# popcount(x)    pairs, nibbles, bytes, then one multiplication adds up the bytes
# ctz(x)         popcount((x & -x) - 1)
# clz(x)         popcount(~smeared), smeared = every bit below the highest one set
# ffs(x)         popcount(x ^ (x - 1)), 0 for 0


def count(builder: FunctionBuilder, operation: str, value: Value) -> Value:
    match operation:
        case "popcount":
            return _population(builder, value)
        case "parity":
            return builder.binary("and", _population(builder, value), _constant(1, value))
        case "ctz":
            lowest = builder.binary("and", value, builder.unary("neg", value))
            return _population(builder, builder.binary("sub", lowest, _constant(1, value)))
        case "clz":
            return _leading_zeros(builder, value)
        case "ffs":
            return _first_set(builder, value)
        case "clrsb":
            sign = builder.binary("ashr", value, _constant(value.width - 1, value))
            zeros = _leading_zeros(builder, builder.binary("xor", value, sign))
            return builder.binary("sub", zeros, _constant(1, value))
        case _:
            raise AssertionError(operation)


def swap_bytes(builder: FunctionBuilder, value: Value) -> Value:
    """The value with its bytes reversed: halves are exchanged at distances of 8, 16, 32 bits."""
    distance = 8
    while distance < value.width:
        low = _repeated((1 << distance) - 1, 2 * distance, value)
        up = builder.binary("shl", builder.binary("and", value, low), _constant(distance, value))
        shifted = builder.binary("lshr", value, _constant(distance, value))
        value = builder.binary("or", up, builder.binary("and", shifted, low))
        distance *= 2
    return value


def _population(builder: FunctionBuilder, value: Value) -> Value:
    shifted = builder.binary("lshr", value, _constant(1, value))
    halves = builder.binary("and", shifted, _repeated(0x55, 8, value))
    value = builder.binary("sub", value, halves)
    pairs = _repeated(0x33, 8, value)
    upper = builder.binary("and", builder.binary("lshr", value, _constant(2, value)), pairs)
    value = builder.binary("add", builder.binary("and", value, pairs), upper)
    value = builder.binary("add", value, builder.binary("lshr", value, _constant(4, value)))
    value = builder.binary("and", value, _repeated(0x0F, 8, value))
    value = builder.binary("mul", value, _repeated(0x01, 8, value))
    return builder.binary("lshr", value, _constant(value.width - 8, value))


def _leading_zeros(builder: FunctionBuilder, value: Value) -> Value:
    distance = 1
    while distance < value.width:
        shifted = builder.binary("lshr", value, _constant(distance, value))
        value = builder.binary("or", value, shifted)
        distance *= 2
    return _population(builder, builder.unary("not", value))


def _first_set(builder: FunctionBuilder, value: Value) -> Value:
    below = builder.binary("sub", value, _constant(1, value))
    number = _population(builder, builder.binary("xor", value, below))
    present = builder.resize(builder.compare("ne", value, _constant(0, value)), value.width, True)
    return builder.binary("and", number, present)


def _constant(number: int, like: Value) -> Constant:
    return Constant(number, like.width)


def _repeated(pattern: int, period: int, like: Value) -> Constant:
    number = sum(pattern << at for at in range(0, like.width, period))
    return Constant(number, like.width)


# --------------------------------------------------------------------------- floating-point numbers
# Builtins on floating-point numbers.
#
# __builtin_isnan(x)     %3 = fne.64 %2, %2
# __builtin_inff()       0x7f800000


_ORDERED = {"isgreater": "lt", "isgreaterequal": "le", "isless": "lt", "islessequal": "le"}
_SIGN_BITS = {32: 31, 64: 0, 80: 9}  # of what gcc's __builtin_signbit gives for a variable


def _floating_builtin(lowering: Lowering, expression: Builtin) -> Value | None:
    """The value of a builtin of this theme, None for any other."""
    builder = lowering.builder
    name, arguments = expression.name, expression.arguments
    if name.startswith(("inf", "huge_val")):
        width = value_bits(expression.type)
        return Constant(floats.infinity(width), width)
    if name.startswith("nan"):
        width = value_bits(expression.type)
        text = arguments[0].value if isinstance(arguments[0], StringLiteral) else b""
        return Constant(floats.nan_of(text, width, name.startswith("nans")), width)
    if name[:7] == "signbit":
        value = lowering.value(arguments[0])
        holds = builder.resize(_classified(lowering, name, value), 32, False)
        if isinstance(value, Constant):
            return holds
        return builder.binary("shl", holds, Constant(_SIGN_BITS[value.width], 32))
    if name in ("isnan", "isinf", "isinf_sign", "isfinite", "isnormal"):
        value = lowering.value(arguments[0])
        return builder.resize(_classified(lowering, name, value), 32, name == "isinf_sign")
    if name == "fpclassify":
        return _class(lowering, arguments)
    if name in _ORDERED or name in ("isunordered", "islessgreater"):
        return builder.resize(_ordered(lowering, name, arguments), 32, False)
    return None


def _class(lowering: Lowering, arguments: tuple[Expression, ...]) -> Value:
    """``fpclassify(NAN, INFINITE, NORMAL, SUBNORMAL, ZERO, x)``: the number of what x is, without a
    branch: that of the subnormal ones, corrected where x is something else."""
    builder = lowering.builder
    *numbers, number = arguments
    value = lowering.value(number)
    nan, infinite, normal, result, zero = (converted(lowering, each, INT) for each in numbers)
    least = result
    kinds = (("isnan", nan), ("isinf", infinite), ("isnormal", normal), ("iszero", zero))
    for name, chosen in kinds:
        holds = builder.resize(_classified(lowering, name, value), 32, False)
        correction = builder.binary("mul", holds, builder.binary("sub", chosen, least))
        result = builder.binary("add", result, correction)
    return result


def _classified(lowering: Lowering, name: str, value: Value) -> Value:
    builder = lowering.builder
    width = value.width
    sign = builder.binary("and", value, Constant(1 << (width - 1), width))
    size = builder.binary("and", value, Constant((1 << (width - 1)) - 1, width))
    infinity = Constant(floats.infinity(width), width)
    match name:
        case "iszero":
            return builder.compare("eq", size, Constant(0, width))
        case "isnan":
            return builder.float_compare("ne", value, value)
        case "isinf":
            return builder.float_compare("eq", size, infinity)
        case "isinf_sign":
            wide = builder.resize(builder.float_compare("eq", size, infinity), 32, False)
            negative = builder.resize(_is_set(lowering, sign), 32, False)
            twice = builder.binary("and", builder.scaled(negative, 2), builder.scaled(wide, 2))
            return builder.binary("sub", wide, twice)
        case "isfinite":
            return builder.float_compare("lt", size, infinity)
        case "isnormal":
            layout = floats.format_of(width)
            least = floats.pattern(Fraction(2) ** (1 - layout.bias), width)
            large = builder.float_compare("le", Constant(least, width), size)
            return builder.binary("and", large, builder.float_compare("lt", size, infinity))
        case _:
            return _is_set(lowering, sign)


def _is_set(lowering: Lowering, value: Value) -> Value:
    return lowering.builder.compare("ne", value, Constant(0, value.width))


def _ordered(lowering: Lowering, name: str, arguments: tuple[Expression, ...]) -> Value:
    builder = lowering.builder
    kind = arithmetic_type(*arguments)
    assert isinstance(kind, Floating)
    left, right = (converted(lowering, each, kind) for each in arguments)
    if name == "isunordered":
        odd = [builder.float_compare("ne", each, each) for each in (left, right)]
        return builder.binary("or", odd[0], odd[1])
    if name == "islessgreater":
        below = builder.float_compare("lt", left, right)
        return builder.binary("or", below, builder.float_compare("lt", right, left))
    if name.startswith("isgreater"):
        left, right = right, left
    return builder.float_compare(_ORDERED[name], left, right)


# ------------------------------------------------------------------ builtins and variable arguments


_OVERFLOW = re.compile(r"[su]?(add|sub|mul)(?:l|ll)?_overflow(_p)?$")
_BITS = re.compile(r"(clz|ctz|ffs|popcount|parity|clrsb)(?:l|ll)?$")
_OVERFLOW_OPERATORS = {"add": "+", "sub": "-", "mul": "*"}
_VOID = Constant(0, 32)


def builtin(lowering: Lowering, expression: Builtin) -> Value:
    builder = lowering.builder
    arguments = expression.arguments
    match expression.name:
        case "va_start":
            builder.emit(
                VaStart(lowering.value(arguments[0]), node=builder.node, version=builder.version)
            )
            return _VOID
        case "va_end" | "prefetch":
            lowering.discard(arguments[0])
            return _VOID
        case "va_copy":
            source = lowering.value(arguments[1])
            target = lowering.value(arguments[0])
            builder.emit(VaCopy(target, source, node=builder.node, version=builder.version))
            return _VOID
        case "expect" | "expect_with_probability" | "assume_aligned":
            return converted(lowering, arguments[0], expression.type)
        case "unreachable" | "trap":
            lowering.nodes.note_call(builder.node, f"__builtin_{expression.name}")
            builder.trap(f"__builtin_{expression.name}")
            return _VOID
        case "alloca" | "alloca_with_align":
            return builder.allocate(converted(lowering, arguments[0], SIZE))
        case "object_size" | "dynamic_object_size":
            return Constant(object_size(arguments[0], arguments[1]), 64)
        case "label_address":
            assert isinstance(arguments[0], StringLiteral)
            return label_address(lowering, arguments[0].value.decode())
        case "bswap16" | "bswap32" | "bswap64" | "bswap128":
            return swap_bytes(builder, converted(lowering, arguments[0], expression.type))
        case name if _OVERFLOW.match(name):
            return _overflow(lowering, expression)
        case name if matched := _BITS.match(name):
            value = lowering.value(arguments[0])
            width = 32 if name == matched[1] else 64
            value = builder.resize(value, width, is_signed(arguments[0].type))
            if matched[1] in ("clz", "ctz"):
                if isinstance(value, Constant) and not value.value:
                    return Constant(width, 32)  # gcc's answer; a processor has none
                _require_bit(lowering, value)
            return builder.resize(count(builder, matched[1], value), 32, False)
        case _:
            known = _floating_builtin(lowering, expression)
            if known is None:
                known = _atomic_builtin(lowering, expression)
            return _refuse(lowering, expression) if known is None else known


def _require_bit(lowering: Lowering, value: Value) -> None:
    """Admit at run time that the result is not known where the value is 0."""
    if not isinstance(value, Constant):
        wide = lowering.builder.resize(value, 64, False)
        lowering.builder.call(lowering.objects.model("__csgtest_has_bit"), (wide,), 0)


def _refuse(lowering: Lowering, expression: Builtin) -> Value:
    builder = lowering.builder
    reason = f"'{expression.name}' cannot be executed"
    builder.emit(Refuse(reason, node=builder.node, version=builder.version))
    kind = expression.type
    if isinstance(kind, Void):
        return _VOID
    return Constant(0, 64 if by_address(kind) else value_bits(kind))


def _overflow(lowering: Lowering, expression: Builtin) -> Value:
    """The value of ``__builtin_add_overflow`` and the like: does the exact result not fit? The
    operation is done in a width that makes it exact."""
    builder = lowering.builder
    matched = _OVERFLOW.match(expression.name)
    assert matched is not None
    a, b, place = expression.arguments
    kind = _result_type(place, expression.name)
    kinds = operand_type(a), operand_type(b)
    width = _exact_width(matched[1], max(value_bits(each) for each in (*kinds, kind)))
    operands = [
        builder.resize(converted(lowering, each, its), width, is_signed(its))
        for each, its in zip((a, b), kinds, strict=True)
    ]
    exact = operate(lowering, _OVERFLOW_OPERATORS[matched[1]], SIZE, operands[0], operands[1])
    stored = builder.resize(exact, value_bits(kind), False)
    if not matched[2]:
        write(builder, InMemory(lowering.value(place), kind), stored)
    again = builder.resize(stored, width, is_signed(kind))
    return builder.compare("ne", again, exact)


def _result_type(place: Expression, name: str) -> Type:
    if name.endswith("_p"):
        return place.type
    assert isinstance(place.type, Pointer)
    return place.type.target


def _exact_width(operation: str, widest: int) -> int:
    needed = 2 * widest if operation == "mul" else widest + 2
    return next(width for width in (32, 64, 128) if width >= min(needed, 128))


def va_argument(lowering: Lowering, expression: VaArg) -> Value:
    """``va_arg(list, type)``; a record comes as the address of the caller's copy."""
    builder = lowering.builder
    address = lowering.value(expression.list)
    kind = expression.type
    if isinstance(kind, Record):
        width = 64
    else:
        width = value_bits(kind)
    target = builder.register(width)
    is_float = isinstance(kind, Floating)
    builder.emit(
        VaArgument(
            target,
            address,
            is_float,
            type_size(kind),
            passed_as(kind),
            node=builder.node,
            version=builder.version,
        )
    )
    return target


# ------------------------------------------------------------------------------------- object sizes
# How many bytes there are behind a pointer, as far as gcc without optimisation knows it.
#
#     char l[7]; struct { char a[8]; int b; } g;
#
#     __builtin_object_size(l + 2, 0)     5
#     __builtin_object_size(g.a, 0)       12, the rest of the whole object
#     __builtin_object_size(g.a, 1)       8, the rest of the innermost part
#     __builtin_object_size(malloc(5), 0) (size_t) -1: not known; with 2 or 3 as second argument 0
#
# The argument is never evaluated.


_ALL = (1 << 64) - 1


@record
class _Place:
    """The place ``offset`` bytes into an object of ``whole`` bytes, with ``part`` bytes left of the
    innermost part; None once pointer arithmetic has left that part."""

    whole: int
    offset: int
    part: int | None


def object_size(pointer: Expression, kind: Expression) -> int:
    """The value of ``__builtin_object_size(pointer, kind)``."""
    mode = fold(kind) or 0
    unknown = 0 if mode & 2 else _ALL
    found = _pointed(pointer)
    if found is None or found.offset < 0:
        return unknown
    if mode & 1:
        return unknown if found.part is None else max(0, found.part)
    return max(0, found.whole - found.offset)


def _pointed(pointer: Expression) -> _Place | None:
    """The place that a pointer points to; None where it is not known."""
    if _array(pointer) is not None:
        return _designated(pointer)
    match pointer:
        case AddressOf(operand=operand):
            return _designated(operand)
        case Cast(operand=operand) if isinstance(pointer.type, Pointer):
            return _pointed(operand)
        case Comma(right=right):
            return _pointed(right)
        case Binary(operator="+" | "-", left=left, right=right):
            if isinstance(right.type, Pointer):
                left, right = right, left
            return _stepped(_pointed(left), left.type, right, pointer.operator)
        case _:
            return None


def _stepped(
    place: _Place | None, kind: Type, distance: Expression, operator: str
) -> _Place | None:
    count = fold(distance)
    if place is None or count is None or not isinstance(kind, Pointer):
        return None
    step = 1 if isinstance(kind.target, Void | Function) else _size(kind.target)
    if step is None:
        return None
    return _Place(place.whole, place.offset + (count if operator == "+" else -count) * step, None)


def _designated(place: Expression) -> _Place | None:
    """The place that an lvalue designates; None where it is not known."""
    match place:
        case Name(symbol=symbol):
            size = _size(symbol.type)
            return None if size is None else _Place(size, 0, size)
        case StringLiteral(value=value, unit=unit):
            size = len(value) + unit
            return _Place(size, 0, size)
        case Dereference(operand=operand):
            return _pointed(operand)
        case Member(record=record_, field=field, arrow=False):
            base = _designated(record_)
            if base is None:
                return None
            offset = base.offset + field.offset
            size = _size(field.type)
            return _Place(base.whole, offset, base.whole - offset if size is None else size)
        case Index(base=base_, index=index):
            return _element(base_, index)
        case _:
            return None


def _element(array: Expression, index: Expression) -> _Place | None:
    """The place of an element; its innermost part is the rest of its array."""
    kind, number = _array(array), fold(index)
    base = None if kind is None else _designated(array)
    if base is None or kind is None or number is None:
        return None
    step = _size(kind.element)
    if step is None or base.part is None:
        return None
    length = _size(kind)
    rest = (base.part if length is None else length) - number * step
    return _Place(base.whole, base.offset + number * step, rest if number >= 0 else 0)


def _array(expression: Expression) -> Array | None:
    """The array type of an expression that is used as a pointer; None where it is no array."""
    kind: Type | None = None
    match expression:
        case Name(symbol=symbol):
            kind = symbol.type
        case Member(field=field):
            kind = field.type
        case Index(base=base) | Dereference(operand=base) if isinstance(base.type, Pointer):
            kind = base.type.target
        case StringLiteral(value=value, unit=unit) if isinstance(expression.type, Pointer):
            kind = Array(expression.type.target, len(value) // unit + 1)
        case _:
            kind = expression.type
    return kind if isinstance(kind, Array) else None


def _size(kind: Type) -> int | None:
    """The size of a type in bytes; None where it has none, or none before run time."""
    element = kind
    while isinstance(element, Array):
        if not isinstance(element.length, int):
            return None
        element = element.element
    incomplete = isinstance(element, Record) and element.fields is None
    return None if incomplete or isinstance(element, Function | Void) else type_size(kind)
