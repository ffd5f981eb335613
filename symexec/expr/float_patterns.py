"""What a solver's floating-point theory does not know about the x86: as ordinary terms.

    nan_result(fadd x y)   ->  ite(x is NaN, x | quiet bit, ite(y is NaN, y | quiet bit, default))
    in_integer_range(f_to_int x)       ->  -2**31 <= x and x < 2**31
    interchange(80, x)     ->  the 79 bits of the IEEE pattern, without the x87's explicit bit

SMT-LIB has one NaN without sign and payload, and leaves conversions that do not fit open.
"""

from __future__ import annotations

from symexec.expr import float_operations, softfloat
from symexec.expr.softfloat import FORMATS, Format
from symexec.expr.terms import Operand, Term, Terms, operand


def _is_nan(table: Terms, bits: int, a: Operand) -> Operand:
    """Includes the x87's invalid patterns, as a comparison does."""
    return table.negate(float_operations.build(table, "feq", bits, 1, a, a))


def _quiet(table: Terms, form: Format, a: Operand) -> Operand:
    return table.binary("or", form.bits, a, form.quiet_bit)


def is_invalid(table: Terms, a: Operand) -> Operand:
    """An 80-bit pattern whose explicit bit is missing."""
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
    """Sign and leading payload bits stay."""
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
    """A pattern as IEEE 754 stores it. A pseudo-denormal of the x87 (explicit bit set, exponent 0)
    counts like exponent 1; an invalid pattern becomes NaN."""
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
    """Can the operand of an f_to_int be converted? (What truncates to the least value without
    being in these bounds gives the least value all the same: it is the "indefinite" one.)"""
    table, source = term.table, term.index
    limit = 1 << (term.width - 1)
    a = operand(term.args[0])
    least = softfloat.from_integer(FORMATS[source], -limit)
    beyond = softfloat.from_integer(FORMATS[source], limit)
    enough = float_operations.build(table, "fle", source, 1, least, a)
    below = float_operations.build(table, "flt", source, 1, a, beyond)
    return table.binary("and", 1, enough, below)
