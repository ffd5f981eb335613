"""Convert values from one C type to another, C17 6.3.

char c; (long) c        %4 = sext %2 to 64
unsigned u; (_Bool) u   %4 = ne.32 %2, 0
double d; (int) d       %4 = float64 %2 to signed32
"""

from __future__ import annotations

from fractions import Fraction

from csg.ir import Constant, Value
from csg.language.syntax import Expression, Member
from csg.language.types import BOOL, Enumeration, Floating, Type, is_signed, promoted, value_bits
from csg.lower import floats
from csg.lower.builder import FunctionBuilder
from csg.lower.folding import signed


def convert(builder: FunctionBuilder, value: Value, source: Type, result: Type) -> Value:
    """``value`` of scalar type ``source`` as a value of scalar type ``result``."""
    if source == result:
        return value
    if isinstance(result, Floating):
        if isinstance(source, Floating):
            return _float_to_float(builder, value, result.bits)
        return _integer_to_float(builder, value, is_signed(source), result.bits)
    if value_bits(result) == 1:
        return truth(builder, value, source)
    if isinstance(source, Floating):
        return _float_to_integer(builder, value, value_bits(result), is_signed(result))
    return builder.resize(value, value_bits(result), is_signed(source))


def truth(builder: FunctionBuilder, value: Value, kind: Type) -> Value:
    """``value != 0`` as a value of width 1."""
    if value.width == 1:
        return value
    if isinstance(kind, Floating):
        if isinstance(value, Constant):
            return Constant(int(value.value & ~(1 << (value.width - 1)) != 0), 1)
        return builder.float_compare("ne", value, Constant(0, value.width))
    return builder.compare("ne", value, Constant(0, value.width))


def from_truth(builder: FunctionBuilder, value: Value, result: Type) -> Value:
    """A 0 or 1 of width 1 as a value of ``result``."""
    return convert(builder, value, BOOL, result)


def operand_type(expression: Expression) -> Type:
    """The type of an operand after integer promotion; a bit-field promotes by its width."""
    if isinstance(expression, Member) and expression.field.bit_width is not None:
        return promoted(expression.field.type, expression.field.bit_width)
    return promoted(expression.type)


def _float_to_float(builder: FunctionBuilder, value: Value, width: int) -> Value:
    if isinstance(value, Constant):
        return Constant(floats.resize(value.value, value.width, width), width)
    return builder.convert_float(value, width, "float", "float")


def _integer_to_float(builder: FunctionBuilder, value: Value, negative: bool, width: int) -> Value:
    if isinstance(value, Constant):
        number = signed(value.value, value.width) if negative else value.value
        return Constant(floats.pattern(Fraction(number), width), width)
    if value.width < 32:
        value, negative = builder.resize(value, 32, negative), True
    return builder.convert_float(value, width, "signed" if negative else "unsigned", "float")


def _float_to_integer(builder: FunctionBuilder, value: Value, width: int, negative: bool) -> Value:
    # x86-64 converts to signed 32 or 64 bits and keeps the low part: what gcc does with values
    # that the target type cannot hold (undefined, C17 6.3.1.4) comes out the same.
    if isinstance(value, Constant) and floats.is_finite(value.value, value.width):
        number = int(floats.number(value.value, value.width))
        if -(1 << 31) <= number < 1 << 31 or 0 <= number < 1 << width:
            return Constant(number & ((1 << width) - 1), width)
    if width < 32:
        return builder.resize(builder.convert_float(value, 32, "float", "signed"), width, True)
    if width == 32 and not negative:
        return builder.resize(builder.convert_float(value, 64, "float", "signed"), width, True)
    return builder.convert_float(value, width, "float", "signed" if negative else "unsigned")


def is_floating(kind: Type) -> bool:
    return isinstance(kind, Floating)


def integer_of(kind: Type) -> Type:
    """An enumerated type as the integer type it behaves as."""
    return kind.underlying if isinstance(kind, Enumeration) else kind
