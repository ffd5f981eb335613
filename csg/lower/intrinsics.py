"""gcc's builtins and variable arguments.

    va_arg(ap, int)                        %4 = va_arg integer 4, [%2]
    __builtin_add_overflow(a, b, &r)       in twice the width, stored, compared with what was stored
    __builtin_popcount(x)                  lower to shifts and masks (csg.lower.bits)

Names come without the prefix ``__builtin_``.
"""

from __future__ import annotations

import re

from csg.ir import Constant, Refuse, VaArgument, VaCopy, Value, VaStart
from csg.language.syntax import Builtin, Expression, StringLiteral, VaArg
from csg.language.types import SIZE, Floating, Pointer, Record, Type, Void, is_signed, value_bits
from csg.language.types import size_of as type_size
from csg.lower import atomics, bits, floating
from csg.lower.arithmetic import operate
from csg.lower.context import Lowering
from csg.lower.conversions import operand_type
from csg.lower.expressions import converted
from csg.lower.jumps import label_address
from csg.lower.object_sizes import object_size
from csg.lower.places import InMemory, by_address, write

_OVERFLOW = re.compile(r"[su]?(add|sub|mul)(?:l|ll)?_overflow(_p)?$")
_BITS = re.compile(r"(clz|ctz|ffs|popcount|parity|clrsb)(?:l|ll)?$")
_OPERATORS = {"add": "+", "sub": "-", "mul": "*"}
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
            return bits.swap_bytes(builder, converted(lowering, arguments[0], expression.type))
        case name if _OVERFLOW.match(name):
            return _overflow(lowering, expression)
        case name if matched := _BITS.match(name):
            value = lowering.value(arguments[0])
            width = 32 if name == matched[1] else 64
            value = builder.resize(value, width, is_signed(arguments[0].type))
            return builder.resize(bits.count(builder, matched[1], value), 32, False)
        case _:
            known = floating.builtin(lowering, expression)
            if known is None:
                known = atomics.builtin(lowering, expression)
            return _refuse(lowering, expression) if known is None else known


def _refuse(lowering: Lowering, expression: Builtin) -> Value:
    builder = lowering.builder
    reason = f"'{expression.name}' cannot be executed"
    builder.emit(Refuse(reason, node=builder.node, version=builder.version))
    kind = expression.type
    if isinstance(kind, Void):
        return _VOID
    return Constant(0, 64 if by_address(kind) else value_bits(kind))


def _overflow(lowering: Lowering, expression: Builtin) -> Value:
    """Does the exact result fit? The operation is done wide enough to be exact."""
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
    exact = operate(lowering, _OPERATORS[matched[1]], SIZE, operands[0], operands[1])
    kept = builder.resize(exact, value_bits(kind), False)
    if not matched[2]:
        write(builder, InMemory(lowering.value(place), kind), kept)
    again = builder.resize(kept, width, is_signed(kind))
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
            node=builder.node,
            version=builder.version,
        )
    )
    return target
