"""Floating-point operations on bit patterns: folded when the bits are known, else terms.

    float_binary("add", 64, 0x3FF0000000000000, 0x3FF0000000000000)  ->  0x4000000000000000
    float_binary("add", 64, x, y)      ->  (fadd 64 x y)
    float_compare("le", 32, x, y)      ->  (fle 32 x y)
    float_unary("neg", 64, x)          ->  x ^ 0x8000000000000000     the sign is a bit

A float term's ``index`` is the width of its operands. Conversions to unsigned and narrow integers
are composed of signed ones just as gcc composes them for x86-64, so that also what C leaves
undefined comes out as the machine has it.
"""

from __future__ import annotations

from collections.abc import Callable

from symexec.expr import softfloat
from symexec.expr.concrete import signed
from symexec.expr.hardware_float import add, divide, multiply, subtract
from symexec.expr.operations import binary, extract, ite, negate
from symexec.expr.shadowed import Data, Shadowed, new_half, old_half, shadowed
from symexec.expr.softfloat import FORMATS, Format
from symexec.expr.terms import Operand, Term, Terms

_BINARY: dict[str, Callable[[int, int, int], int]] = {
    "fadd": add,
    "fsub": subtract,
    "fmul": multiply,
    "fdiv": divide,
}


def apply(op: str, source: int, width: int, *values: int) -> int:
    """The value of a float term whose operands, of width ``source``, have these values."""
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
    """Constants right. (Never two terms: of two NaNs the processor keeps the first.)"""
    return isinstance(a, int) and isinstance(b, Term)


def _scaled(op: str, form: Format, a: Operand, k: int) -> tuple[str, tuple[Operand, Operand]]:
    """x / 4 is x * 0.25, and x * 2 is x + x, bit for bit: what is rounded is the same number."""
    if op == "fdiv" and _is_power_of_two(form, k):
        one = softfloat.from_integer(form, 1)
        inverse = divide(form.bits, one, k)
        if _is_power_of_two(form, inverse):
            op, k = "fmul", inverse
    if op == "fmul" and k == softfloat.from_integer(form, 2):
        return "fadd", (a, a)
    return op, (a, k)


def _is_power_of_two(form: Format, pattern: int) -> bool:
    """A normal one, of either sign."""
    fraction = pattern & ((1 << form.stored_bits) - 1)
    exponent = pattern >> form.stored_bits & form.top_exponent
    leading = 1 << form.fraction_bits if form.explicit else 0
    return fraction == leading and 0 < exponent < form.top_exponent


def _converted_twice(table: Terms, width: int, a: Operand) -> Operand | None:
    """float -> double -> long double in one step; int -> double -> long double too."""
    if not isinstance(a, Term) or a.op not in ("f_to_f", "s_to_f", "u_to_f"):
        return None
    source = a.index
    exact = a.width < width and (a.op == "f_to_f" or source <= FORMATS[a.width].fraction_bits + 1)
    if exact and (a.op != "f_to_f" or source < a.width):
        return build(table, a.op, source, width, a.args[0])
    return None


def _narrowed(table: Terms, op: str, source: int, a: Operand, b: Operand) -> Operand | None:
    """Widened operands compare as they were before; constants that were narrow join them."""
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
    """Through the instruction for the next wider type: cvttsd2si has 32 and 64 bits, fistp 16."""
    least = 16 if bits == 80 else 32
    if width < least:
        return extract(_term("f_to_int", bits, least, a), 0, width)
    return _term("f_to_int", bits, width, a)


def _to_unsigned(a: Data, bits: int, width: int) -> Data:
    if width < 32:
        # For long double, gcc uses fistp of 16 bits for unsigned char and of 32 for unsigned short.
        wide = 16 if bits == 80 and width <= 8 else 32
        return extract(_term("f_to_int", bits, wide, a), 0, width)
    if width == 32:
        return extract(_term("f_to_int", bits, 64, a), 0, 32)
    # Half the range and more: subtract it, convert, put the top bit back.
    half = softfloat.from_integer(FORMATS[bits], 1 << (width - 1))
    large = float_compare("le", bits, half, a)
    below = _term("f_to_int", bits, width, a)
    above = _term("f_to_int", bits, width, _term("fsub", bits, bits, a, half))
    return ite(large, binary("xor", width, above, 1 << (width - 1)), below, width)
