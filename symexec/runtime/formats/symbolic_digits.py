"""The digits of a number that is a term.

Into a buffer its digits must be written one by one: how many there are is asked, each is a term.

    sprintf(b, "%d", x)    x < 0 ?  |x| < 10 ?  |x| < 100 ?   ->  '-', x / 10 % 10 + '0', ...

On an output stream the number stays whole (``Formatted``); only its length becomes a term.
"""

from __future__ import annotations

from symexec.expr import Operand, Term
from symexec.runtime.contract import Formatted
from symexec.runtime.formats.directives import BASES, SIGNED, Conversion, Text, laid_out, padded
from symexec.runtime.operands import Asking, calculated, choice, decide, fitted, holds, negated


def digits_text(conversion: Conversion, value: Term) -> Asking[Text]:
    """A symbolic integer of the conversion's width, laid out; asks for sign and digit count."""
    bits = value.width
    if (yield from decide(holds("eq", bits, value, 0))):
        if conversion.letter == "p":
            return padded(conversion, list(b"(nil)"))
        return laid_out(conversion, False, [ord("0")], True)
    negative, size = False, value
    if conversion.letter in SIGNED:
        negative = yield from decide(holds("slt", bits, value, 0))
        if negative:
            turned = negated(bits, value)
            assert isinstance(turned, Term)
            size = turned
    base = BASES[conversion.letter]
    count, limit = 1, base
    while limit < 1 << bits and not (yield from decide(holds("ult", bits, size, limit))):
        count, limit = count + 1, limit * base
    digits = [_digit(conversion, size, base**power) for power in reversed(range(count))]
    return laid_out(conversion, negative, digits, False)


def _digit(conversion: Conversion, size: Term, power: int) -> Operand:
    base = BASES[conversion.letter]
    bits = size.width
    value = calculated("udiv", bits, size, power) if power > 1 else size
    digit = fitted(calculated("urem", bits, value, base % (1 << bits) or base), 8)
    if base == 16:
        letter = (ord("A") if conversion.letter == "X" else ord("a")) - 10
        offset = choice(holds("ult", 8, digit, 10), ord("0"), letter, 8)
        return calculated("add", 8, digit, offset)
    return calculated("add", 8, digit, ord("0"))


def printed_length(conversion: Conversion, number: Formatted) -> Operand:
    """How many bytes an abstract integer is when it is printed (32 bits)."""
    term, bits = number.term, number.term.width
    base = BASES[conversion.letter]
    is_signed = conversion.letter in SIGNED
    negative = holds("slt", bits, term, 0) if is_signed else 0
    size = choice(negative, negated(bits, term), term, bits)
    is_zero = holds("eq", bits, term, 0)
    powers: list[int] = []
    while base ** (len(powers) + 1) < 1 << bits:
        powers.append(base ** (len(powers) + 1))
    length: Operand = _laid_out_length(conversion, len(powers) + 1, False)
    for count in range(len(powers), 0, -1):
        short = holds("ult", bits, size, powers[count - 1])
        length = choice(short, _laid_out_length(conversion, count, False), length, 32)
    if is_signed:
        with_sign: Operand = _laid_out_length(conversion, len(powers) + 1, True)
        for count in range(len(powers), 0, -1):
            short = holds("ult", bits, size, powers[count - 1])
            with_sign = choice(short, _laid_out_length(conversion, count, True), with_sign, 32)
        length = choice(negative, with_sign, length, 32)
    zero = (
        len(padded(conversion, list(b"(nil)")))
        if conversion.letter == "p"
        else len(laid_out(conversion, False, [ord("0")], True))
    )
    return choice(is_zero, zero, length, 32)


def _laid_out_length(conversion: Conversion, digits: int, negative: bool) -> int:
    return len(laid_out(conversion, negative, [ord("1")] * digits, False))
