"""gcc's builtins and variable arguments.

    va_arg(ap, int)                        %4 = va_arg integer 4, [%2]
    __builtin_add_overflow(a, b, &r)       in twice the width, stored, compared with what was stored
    __builtin_popcount(x)                  lower to shifts and masks

Names come without the prefix ``__builtin_``. Before these come atomic builtins, bits, and builtins
on floating-point numbers.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from fractions import Fraction

from csg.frontend.builtins import PROTOTYPES
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
    bit_field_width,
    converted_type,
    operand_type,
)
from csg.language.traversal import has_effects
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
    limits,
    of_width,
    value_bits,
)
from csg.language.types import size_of as type_size
from csg.lower import floats
from csg.lower.arithmetic import operate
from csg.lower.builder import FunctionBuilder
from csg.lower.context import Lowering
from csg.lower.conventions import passed_as
from csg.lower.expressions import converted, passed_values, values_of
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
_STORES = frozenset({"__atomic_store_n", "__atomic_exchange_n"})
_FENCES = frozenset({"__sync_synchronize", "__atomic_thread_fence", "__atomic_signal_fence"})


def _atomic_builtin(lowering: Lowering, expression: Builtin) -> Value | None:
    """The value of an atomic builtin, None for any other."""
    name, arguments = expression.name, expression.arguments
    if name in _FENCES:
        for each in reversed(arguments):
            lowering.discard(each)
        return Constant(0, 32)
    kind = UCHAR if name in _BYTES else _target(expression)
    if kind is None or by_address(kind) or isinstance(kind, Void):
        return None
    address, *others = values_of(lowering, arguments, _operand_types(name, arguments, kind))
    place = InMemory(address, kind)
    if changing := _FETCH.match(name) or _RESULT.match(name):
        if isinstance(kind, Pointer):
            return None
        return _changed(lowering, expression, place, changing[1], others[0])
    if "compare" in name:
        return _compared(lowering, expression, place, others[0], others[1])
    return _moved(lowering, expression, place, others)


def _operand_types(name: str, arguments: tuple[Expression, ...], kind: Type) -> list[Type]:
    """The types that the arguments are converted to. A value that is stored or compared gets the
    type of the object."""
    types = [converted_type(each) for each in arguments]
    if name.startswith("__sync"):
        types[1:] = [kind] * len(types[1:])
    elif name == "__atomic_compare_exchange_n":
        types[2] = kind
    elif name in _STORES or _FETCH.match(name) or _RESULT.match(name):
        types[1] = kind
    return types


def _changed(
    lowering: Lowering, expression: Builtin, place: InMemory, operation: str, operand: Value
) -> Value:
    kind, builder = place.type, lowering.builder
    old = read(builder, place)
    new = operate(lowering, _OPERATORS[operation], kind, old, operand)
    if operation == "nand":
        new = builder.unary("not", new)
    write(builder, place, new)
    return old if _FETCH.match(expression.name) else new


def _moved(
    lowering: Lowering, expression: Builtin, place: InMemory, others: Sequence[Value]
) -> Value | None:
    """The value of an atomic load, store or exchange; generic forms take the addresses of their
    operands."""
    kind, builder = place.type, lowering.builder
    match expression.name:
        case "__atomic_load_n":
            return read(builder, place)
        case "__atomic_load":
            write(builder, InMemory(others[0], kind), read(builder, place))
        case "__atomic_store_n":
            write(builder, place, others[0])
        case "__atomic_store":
            write(builder, place, read(builder, InMemory(others[0], kind)))
        case "__sync_lock_release" | "__atomic_clear":
            write(builder, place, Constant(0, value_bits(kind)))
        case "__sync_lock_test_and_set" | "__atomic_exchange_n":
            old = read(builder, place)
            write(builder, place, others[0])
            return old
        case "__atomic_test_and_set":
            old = read(builder, place)
            write(builder, place, Constant(1, value_bits(kind)))
            return builder.compare("ne", old, Constant(0, value_bits(kind)))
        case "__atomic_exchange":
            operand = read(builder, InMemory(others[0], kind))
            write(builder, InMemory(others[1], kind), read(builder, place))
            write(builder, place, operand)
        case _:
            return None
    return Constant(0, 32)


def _compared(
    lowering: Lowering, expression: Builtin, place: InMemory, expected: Value, wanted: Value
) -> Value | None:
    """The value of a compare-and-exchange: it stores where the old value is the expected one."""
    kind, builder, name = place.type, lowering.builder, expression.name
    if isinstance(kind, Floating):
        return None
    remembered = None if name.startswith("__sync") else InMemory(expected, kind)
    known = expected if remembered is None else read(builder, remembered)
    generic = name == "__atomic_compare_exchange"
    desired = read(builder, InMemory(wanted, kind)) if generic else wanted
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
        declared = name in PROTOTYPES  # signbit itself takes any type
        value = _values(lowering, expression)[0] if declared else lowering.value(arguments[0])
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
_EXACT: dict[str, Callable[[int, int], int]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul,
}  # fmt: skip
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
        case "va_end":
            lowering.discard(arguments[0])
            return _VOID
        case "va_copy":
            source = lowering.value(arguments[1])
            target = lowering.value(arguments[0])
            builder.emit(VaCopy(target, source, node=builder.node, version=builder.version))
            return _VOID
        case "prefetch":
            _values(lowering, expression)
            return _VOID
        case "expect" | "expect_with_probability" | "assume_aligned":
            return _values(lowering, expression)[0]
        case "unreachable" | "trap":
            lowering.nodes.note_call(builder.node, f"__builtin_{expression.name}")
            builder.trap(f"__builtin_{expression.name}")
            return _VOID
        case "alloca" | "alloca_with_align":
            return builder.allocate(_values(lowering, expression)[0])
        case "object_size" | "dynamic_object_size":
            return Constant(object_size(arguments[0], arguments[1]), 64)
        case "label_address":
            assert isinstance(arguments[0], StringLiteral)
            return label_address(lowering, arguments[0].value.decode())
        case "bswap16" | "bswap32" | "bswap64" | "bswap128":
            return swap_bytes(builder, _values(lowering, expression)[0])
        case name if _OVERFLOW.match(name):
            return _overflow(lowering, expression)
        case name if matched := _BITS.match(name):
            value = _values(lowering, expression)[0]
            if matched[1] in ("clz", "ctz"):
                if isinstance(value, Constant) and not value.value:
                    return Constant(value.width, 32)  # gcc's answer; a processor has none
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


def _values(lowering: Lowering, expression: Builtin) -> Sequence[Value]:
    """The arguments of a builtin with a prototype, passed as those of a function."""
    return passed_values(lowering, expression.arguments, PROTOTYPES[expression.name])


def _overflow(lowering: Lowering, expression: Builtin) -> Value:
    """The value of ``__builtin_add_overflow`` and the like: does the exact result not fit? The
    operation is done in a width that makes it exact. gcc evaluates the operands from left to right.
    The third argument of ``_p`` gives only its type; its effects come first."""
    builder = lowering.builder
    matched = _OVERFLOW.match(expression.name)
    assert matched is not None
    *operands, place = expression.arguments
    if matched[2] and has_effects(place):
        lowering.discard(place)
    kinds, kind = _overflow_types(expression)
    width = _exact_width(matched[1], kinds, kind)
    a, b = (
        builder.resize(converted(lowering, each, its), width, is_signed(its))
        for each, its in zip(operands, kinds, strict=True)
    )
    exact = operate(lowering, _OVERFLOW_OPERATORS[matched[1]], SIZE, a, b)
    stored = builder.resize(exact, value_bits(kind), False)
    if not matched[2]:
        write(builder, InMemory(lowering.value(place), kind), stored)
    again = builder.resize(stored, width, is_signed(kind))
    return builder.compare("ne", again, exact)


def _overflow_types(expression: Builtin) -> tuple[Sequence[Type], Type]:
    """The types of the operands, and the type that the result has to fit."""
    *operands, place = expression.arguments
    declared = PROTOTYPES.get(expression.name)
    kinds = declared.parameters[:2] if declared else [operand_type(each) for each in operands]
    kind = declared.parameters[2] if declared else place.type
    bits = bit_field_width(place)
    if isinstance(kind, Pointer):
        return kinds, kind.target
    return kinds, kind if bits is None else of_width(kind, bits)


def _exact_width(operation: str, kinds: Sequence[Type], kind: Type) -> int:
    """A width that holds each result, and each value of the type that it has to fit: one that is
    common, or else the least."""
    first, second, fitting = (limits(value_bits(each), is_signed(each)) for each in (*kinds, kind))
    ends = [_EXACT[operation](a, b) for a in first for b in second] + [*fitting]
    least, most = min(ends), max(ends)
    needed = max(most.bit_length(), (~least).bit_length()) + (least < 0)
    return next((width for width in (32, 64, 128) if width >= needed), needed)


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
