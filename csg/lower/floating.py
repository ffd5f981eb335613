"""Builtins on floating-point numbers.

__builtin_isnan(x)     %3 = fne.64 %2, %2
__builtin_inff()       0x7f800000
"""

from __future__ import annotations

from fractions import Fraction

from csg.ir import Constant, Value
from csg.language.syntax import Builtin, Expression
from csg.language.types import INT, Floating, usual_conversion, value_bits
from csg.lower import floats
from csg.lower.context import Lowering
from csg.lower.conversions import operand_type
from csg.lower.expressions import converted

_ORDERED = {"isgreater": "lt", "isgreaterequal": "le", "isless": "lt", "islessequal": "le"}
_SIGN_BITS = {32: 31, 64: 0, 80: 9}  # of what gcc's __builtin_signbit gives for a variable


def builtin(lowering: Lowering, expression: Builtin) -> Value | None:
    """The value of a builtin of this theme, None for any other."""
    builder = lowering.builder
    name, arguments = expression.name, expression.arguments
    if name.startswith(("inf", "huge_val", "nan")):
        width = value_bits(expression.type)
        special = floats.quiet_nan if name.startswith("nan") else floats.infinity
        return Constant(special(width), width)
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
    kind = usual_conversion(*(operand_type(each) for each in arguments))
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
