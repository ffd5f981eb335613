"""Floating-point operations on bit patterns: folded when the bits are known, else terms.

    add(32, bits of 1.0f, bits of 2.0f)   ->  bits of 3.0f

Known bits are computed by the host's own doubles where they suffice: Python computes in IEEE
double, and rounding such a result once more to single gives the single result, since a double has
more than twice a single's precision and two bits. NaN, infinite and 80-bit operands go to
softfloat.py.
"""

from __future__ import annotations

import operator
import struct
from collections.abc import Callable

from symexec.expr import softfloat
from symexec.expr.concrete import signed
from symexec.expr.operations import (
    Data,
    Shadowed,
    binary,
    concat,
    extend,
    extract,
    ite,
    negate,
    new_half,
    old_half,
    shadowed,
)
from symexec.expr.softfloat import FORMATS, Format
from symexec.expr.terms import Operand, Term, Terms, operand

_SINGLE = struct.Struct("<f")
_SINGLE_BITS = struct.Struct("<I")
_DOUBLE = struct.Struct("<d")
_DOUBLE_BITS = struct.Struct("<Q")

_EXPONENT_32 = 0x7F800000
_EXPONENT_64 = 0x7FF0000000000000


def _computed(
    host: Callable[[float, float], float],
    exact: Callable[[Format, int, int], int],
    bits: int,
    a: int,
    b: int,
) -> int:
    if bits == 64 and a & _EXPONENT_64 != _EXPONENT_64 and b & _EXPONENT_64 != _EXPONENT_64:
        (x,) = _DOUBLE.unpack(_DOUBLE_BITS.pack(a))
        (y,) = _DOUBLE.unpack(_DOUBLE_BITS.pack(b))
        (result,) = _DOUBLE_BITS.unpack(_DOUBLE.pack(host(x, y)))
        return int(result)
    if bits == 32 and a & _EXPONENT_32 != _EXPONENT_32 and b & _EXPONENT_32 != _EXPONENT_32:
        (x,) = _SINGLE.unpack(_SINGLE_BITS.pack(a))
        (y,) = _SINGLE.unpack(_SINGLE_BITS.pack(b))
        try:
            packed = _SINGLE.pack(host(x, y))
        except OverflowError:
            return exact(FORMATS[32], a, b)
        (result,) = _SINGLE_BITS.unpack(packed)
        return int(result)
    return exact(FORMATS[bits], a, b)


def add(bits: int, a: int, b: int) -> int:
    return _computed(operator.add, softfloat.add, bits, a, b)


def subtract(bits: int, a: int, b: int) -> int:
    return _computed(operator.sub, softfloat.subtract, bits, a, b)


def multiply(bits: int, a: int, b: int) -> int:
    return _computed(operator.mul, softfloat.multiply, bits, a, b)


def divide(bits: int, a: int, b: int) -> int:
    if b & ((1 << (bits - 1)) - 1) == 0:  # Python refuses to divide by zero
        return softfloat.divide(FORMATS[bits], a, b)
    return _computed(operator.truediv, softfloat.divide, bits, a, b)


# --------------------------------------------------------------------------------- float patterns
# What a solver's floating-point theory does not know about the x86: as ordinary terms.
#
#     nan_result(fadd x y)   ->  ite(x is NaN, x | quiet bit, ite(y is NaN, y | quiet bit, default))
#     in_integer_range(f_to_int x)       ->  -2**31 <= x and x < 2**31
#     interchange(80, x)     ->  the 79 bits of the IEEE pattern, without the x87's explicit bit
#
# SMT-LIB has one NaN without sign and payload, and leaves conversions that do not fit open.


def _is_nan(table: Terms, bits: int, a: Operand) -> Operand:
    """The condition that a pattern is NaN, including the x87's invalid patterns, as in a
    comparison."""
    return table.negate(build(table, "feq", bits, 1, a, a))


def _quiet(table: Terms, form: Format, a: Operand) -> Operand:
    return table.binary("or", form.bits, a, form.quiet_bit)


def is_invalid(table: Terms, a: Operand) -> Operand:
    """The condition that an 80-bit pattern has no explicit bit."""
    has_exponent = table.compare("ne", 15, table.extract(a, 64, 15), 0)
    return table.binary("and", 1, has_exponent, table.negate(table.extract(a, 63, 1)))


def nan_result(term: Term) -> Operand:
    """The pattern of a float term's result in case it is NaN."""
    table = term.table
    form = FORMATS[term.width]
    if term.op in ("s_to_f", "u_to_f"):
        return form.default_nan  # never happens
    parts = [operand(child) for child in term.args]
    if term.op == "f_to_f":
        return _converted_nan(table, FORMATS[term.index], form, parts[0])
    a, b = (parts[0], parts[-1])
    result: Operand = form.default_nan
    for side in (b, a):
        nan = _is_nan(table, form.bits, side)
        result = table.ite(nan, _quiet(table, form, side), result, form.bits)
    if not form.explicit:
        return result
    if a is not b:
        both = table.binary("and", 1, _is_nan(table, 80, a), _is_nan(table, 80, b))
        result = table.ite(both, _larger_nan(table, form, a, b), result, 80)
    invalid = table.binary("or", 1, is_invalid(table, a), is_invalid(table, b))
    return table.ite(invalid, form.default_nan, result, 80)


def _larger_nan(table: Terms, form: Format, a: Operand, b: Operand) -> Operand:
    """As softfloat._larger_nan."""
    place = form.fraction_bits - 1
    quiet_a, quiet_b = table.extract(a, place, 1), table.extract(b, place, 1)
    size_a, size_b = (table.extract(x, 0, form.stored_bits) for x in (a, b))
    larger = table.ite(table.compare("ult", form.stored_bits, size_b, size_a), a, b, 80)
    positive = table.ite(table.compare("ule", 80, a, b), a, b, 80)
    same = table.compare("eq", form.stored_bits, size_a, size_b)
    chosen = _quiet(table, form, table.ite(same, positive, larger, 80))
    differ = table.binary("xor", 1, quiet_a, quiet_b)
    return table.ite(differ, table.ite(quiet_a, a, b, 80), chosen, 80)


def _converted_nan(table: Terms, source: Format, form: Format, a: Operand) -> Operand:
    """The NaN after a conversion: its sign and leading payload bits stay."""
    keep = min(source.fraction_bits, form.fraction_bits)
    payload = table.extract(a, source.fraction_bits - keep, keep)
    pad = form.fraction_bits - keep
    fraction = table.concat(payload, keep, 0, pad) if pad else payload
    sign = table.extract(a, source.bits - 1, 1)
    head_width = form.bits - form.fraction_bits - 1
    head = ((1 << head_width) - 1) if not form.explicit else (form.top_exponent << 1 | 1)
    below = table.concat(head, head_width, fraction, form.fraction_bits)
    quiet = _quiet(table, form, table.concat(sign, 1, below, form.bits - 1))
    if not source.explicit:
        return quiet
    return table.ite(is_invalid(table, a), form.default_nan, quiet, form.bits)


def interchange(table: Terms, bits: int, a: Operand) -> Operand:
    """The pattern as IEEE 754 stores it. A pseudo-denormal of the x87 (explicit bit set, exponent
    0) counts as exponent 1; an invalid pattern becomes NaN."""
    if bits != 80:
        return a
    exponent = table.extract(a, 64, 15)
    fraction = table.extract(a, 0, 63)
    zero = table.compare("eq", 15, exponent, 0)
    pseudo = table.binary("and", 1, zero, table.extract(a, 63, 1))
    exponent = table.ite(pseudo, 1, exponent, 15)
    number = table.concat(exponent, 15, fraction, 63)
    number = table.concat(table.extract(a, 79, 1), 1, number, 78)
    nan = 0x7FFF << 63 | 1 << 62
    return table.ite(is_invalid(table, a), nan, number, 79)


def in_integer_range(term: Term) -> Operand:
    """The condition that the operand of an f_to_int can be converted. (What truncates to the least
    value without being in these bounds gives the least value all the same: it is the "indefinite"
    one.)"""
    table, source = term.table, term.index
    limit = 1 << (term.width - 1)
    a = operand(term.args[0])
    least = softfloat.from_integer(FORMATS[source], -limit)
    beyond = softfloat.from_integer(FORMATS[source], limit)
    enough = build(table, "fle", source, 1, least, a)
    below = build(table, "flt", source, 1, a, beyond)
    return table.binary("and", 1, enough, below)


# ------------------------------------------------------------------------------- float operations
# Floating-point operations on bit patterns: folded when the bits are known, else terms.
#
#     float_binary("add", 64, 0x3FF0000000000000, 0x3FF0000000000000)  ->  0x4000000000000000
#     float_binary("add", 64, x, y)      ->  (fadd 64 x y)
#     float_compare("le", 32, x, y)      ->  (fle 32 x y)
#     float_unary("neg", 64, x)          ->  x ^ 0x8000000000000000     the sign is a bit
#
# A float term's ``index`` is the width of its operands. Conversions to unsigned and narrow integers
# are composed of signed ones just as gcc composes them for x86-64, so that also what C leaves
# undefined comes out as the machine has it.


_BINARY: dict[str, Callable[[int, int, int], int]] = {
    "fadd": add,
    "fsub": subtract,
    "fmul": multiply,
    "fdiv": divide,
}


def apply(op: str, source: int, width: int, *values: int) -> int:
    """The value of a float operation on operands of width ``source`` with these values."""
    if op in _BINARY:
        return _BINARY[op](source, *values)
    match op:
        case "fsqrt":
            return softfloat.square_root(FORMATS[source], values[0])
        case "feq":
            return int(softfloat.order(FORMATS[source], *values) == 0)
        case "flt":
            return int(softfloat.order(FORMATS[source], *values) == -1)
        case "fle":
            return int(softfloat.order(FORMATS[source], *values) in (-1, 0))
        case "f_to_f":
            return softfloat.convert(FORMATS[source], FORMATS[width], values[0])
        case "f_to_int":
            return softfloat.to_integer(FORMATS[source], values[0], width)
        case "s_to_f":
            return softfloat.from_integer(FORMATS[width], signed(source, values[0]))
        case _:
            assert op == "u_to_f", op
            return softfloat.from_integer(FORMATS[width], values[0])


def build(table: Terms, op: str, source: int, width: int, *parts: Operand) -> Operand:
    """The float term of these operands, folded when all bits are known."""
    numbers = [part for part in parts if isinstance(part, int)]
    if len(numbers) == len(parts):
        return apply(op, source, width, *numbers)
    if op == "f_to_f" and (simpler := _converted_twice(table, width, parts[0])) is not None:
        return simpler
    if (
        op in ("feq", "flt", "fle")
        and (simpler := _narrowed(table, op, source, *parts)) is not None
    ):
        return simpler
    if op in ("feq", "fadd", "fmul") and _should_swap(*parts):
        parts = (parts[1], parts[0])
    if op in ("fdiv", "fmul") and isinstance(parts[1], int):
        op, parts = _scaled(op, FORMATS[source], parts[0], parts[1])
    return table.node(op, width, tuple(table.term(source, part) for part in parts), source)


def _should_swap(a: Operand, b: Operand) -> bool:
    """Should the operands be exchanged, so that constants are on the right? (Never two terms: of
    two NaNs the processor keeps the first.)"""
    return isinstance(a, int) and isinstance(b, Term)


def _scaled(op: str, form: Format, a: Operand, k: int) -> tuple[str, tuple[Operand, Operand]]:
    """x / 4 as x * 0.25, and x * 2 as x + x: equal bit for bit, since the same number is
    rounded."""
    if op == "fdiv" and _is_power_of_two(form, k):
        one = softfloat.from_integer(form, 1)
        inverse = divide(form.bits, one, k)
        if _is_power_of_two(form, inverse):
            op, k = "fmul", inverse
    if op == "fmul" and k == softfloat.from_integer(form, 2):
        return "fadd", (a, a)
    return op, (a, k)


def _is_power_of_two(form: Format, pattern: int) -> bool:
    """Is the pattern a power of two, as a normal number of either sign?"""
    fraction = pattern & ((1 << form.stored_bits) - 1)
    exponent = pattern >> form.stored_bits & form.top_exponent
    leading = 1 << form.fraction_bits if form.explicit else 0
    return fraction == leading and 0 < exponent < form.top_exponent


def _converted_twice(table: Terms, width: int, a: Operand) -> Operand | None:
    """Two conversions in one step: float -> double -> long double, or int -> double -> long
    double."""
    if not isinstance(a, Term) or a.op not in ("f_to_f", "s_to_f", "u_to_f"):
        return None
    source = a.index
    exact = a.width < width and (a.op == "f_to_f" or source <= FORMATS[a.width].fraction_bits + 1)
    if exact and (a.op != "f_to_f" or source < a.width):
        return build(table, a.op, source, width, a.args[0])
    return None


def _narrowed(table: Terms, op: str, source: int, a: Operand, b: Operand) -> Operand | None:
    """Compare widened operands at their own width; constants that fit it are narrowed."""
    widths = [t.index for t in (a, b) if isinstance(t, Term) and _is_widened(t)]
    if not widths:
        return None
    narrow = max(widths)
    sides: list[Operand] = []
    for side in (a, b):
        if isinstance(side, int):
            shrunk = softfloat.convert(FORMATS[source], FORMATS[narrow], side)
            if softfloat.convert(FORMATS[narrow], FORMATS[source], shrunk) != side:
                return None
            sides.append(shrunk)
        elif _is_widened(side):
            sides.append(
                build(table, "f_to_f", side.index, narrow, side.args[0])
                if side.index != narrow
                else side.args[0]
            )
        else:
            return None
    return build(table, op, narrow, 1, *sides)


def _is_widened(term: Term) -> bool:
    return term.op == "f_to_f" and term.index < term.width


# ---------------------------------------------------------------------- on values


def _term(op: str, source: int, width: int, *parts: Data) -> Data:
    if any(isinstance(part, Shadowed) for part in parts):
        old = _term(op, source, width, *(old_half(part) for part in parts))
        new = _term(op, source, width, *(new_half(part) for part in parts))
        assert not isinstance(old, Shadowed) and not isinstance(new, Shadowed)
        return shadowed(old, new)
    operands = [part for part in parts if not isinstance(part, Shadowed)]
    table = next((part.table for part in operands if isinstance(part, Term)), None)
    if table is None:
        return apply(op, source, width, *(part for part in operands if isinstance(part, int)))
    return build(table, op, source, width, *operands)


def float_binary(op: str, bits: int, a: Data, b: Data) -> Data:
    """add sub mul div"""
    return _term("f" + op, bits, bits, a, b)


def float_unary(op: str, bits: int, a: Data) -> Data:
    """neg abs sqrt; the first two touch the sign bit and nothing else, NaN or not."""
    sign = 1 << (bits - 1)
    match op:
        case "neg":
            return binary("xor", bits, a, sign)
        case "abs":
            return binary("and", bits, a, sign - 1)
        case _:
            assert op == "sqrt", op
            return _term("fsqrt", bits, bits, a)


def float_compare(op: str, bits: int, a: Data, b: Data) -> Data:
    """eq ne lt le; with a NaN only ``ne`` is true."""
    if op == "ne":
        return negate(_term("feq", bits, 1, a, b))
    return _term("f" + op, bits, 1, a, b)


def convert_float(a: Data, source_width: int, width: int, source: str, result: str) -> Data:
    """``source`` and ``result`` are "float", "signed", "unsigned"; one of them is "float"."""
    if source == "float" and result == "float":
        return a if source_width == width else _term("f_to_f", source_width, width, a)
    if result == "float":
        return _term("s_to_f" if source == "signed" else "u_to_f", source_width, width, a)
    if result == "signed":
        return _to_signed(a, source_width, width)
    return _to_unsigned(a, source_width, width)


def _to_signed(a: Data, bits: int, width: int) -> Data:
    """A conversion through the instruction for the next wider type: cvttsd2si has 32 and 64 bits,
    fistp 16."""
    least = 16 if bits == 80 else 32
    if width < least:
        return extract(_term("f_to_int", bits, least, a), 0, width)
    if width == 128:
        size = _to_unsigned(float_unary("abs", bits, a), bits, width)
        negative = float_compare("lt", bits, a, 0)
        return ite(negative, binary("sub", width, 0, size), size, width)
    return _term("f_to_int", bits, width, a)


def _to_unsigned(a: Data, bits: int, width: int) -> Data:
    if width < 32:
        # For long double, gcc uses fistp of 16 bits for unsigned char and of 32 for unsigned short.
        wide = 16 if bits == 80 and width <= 8 else 32
        return extract(_term("f_to_int", bits, wide, a), 0, width)
    if width == 32:
        return extract(_term("f_to_int", bits, 64, a), 0, 32)
    if width == 128:
        return _to_unsigned_128(a, bits)
    # Half the range and more: subtract it, convert, put the top bit back.
    half = softfloat.from_integer(FORMATS[bits], 1 << (width - 1))
    large = float_compare("le", bits, half, a)
    below = _term("f_to_int", bits, width, a)
    above = _term("f_to_int", bits, width, _term("fsub", bits, bits, a, half))
    return ite(large, binary("xor", width, above, 1 << (width - 1)), below, width)


def _to_unsigned_128(a: Data, bits: int) -> Data:
    """As libgcc's __fixunsdfti and __fixunsxfti (libgcc2.c), in two halves of 64 bits."""
    if bits == 32:
        a, bits = _term("f_to_f", 32, 64, a), 64
    beyond = softfloat.from_integer(FORMATS[bits], 1 << 64)
    high = _to_unsigned(float_binary("div", bits, a, beyond), bits, 64)
    top = float_binary("mul", bits, convert_float(high, 64, bits, "unsigned", "float"), beyond)
    rest = float_binary("sub", bits, a, top)
    if bits == 64:
        return concat(high, 64, _to_unsigned(rest, bits, 64), 64)
    below = float_compare("lt", bits, rest, 0)
    size = extend(_to_unsigned(float_unary("abs", bits, rest), bits, 64), 64, 128, signed=False)
    low = ite(below, binary("sub", 128, 0, size), size, 128)
    number = binary("add", 128, concat(high, 64, 0, 64), low)
    return ite(float_compare("lt", bits, a, 0), 0, number, 128)
