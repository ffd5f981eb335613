r"""A printf format and its arguments as pieces of output.

    "n=%d\n", x      ->  b"n=", Formatted("%d", x), b"\n"        to a stream: the number stays whole
                     ->  b"n=", x / 10 + '0', ..., b"\n"         into a buffer, digit by digit

All requests are asked here, before the caller writes anything: into a buffer, how many digits a
number has (``x < 0``, ``|x| < 10``, ``|x| < 100``, ...), each of which is a term then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from csg.ir import Passed
from symexec.expr import Operand, Term, interval
from symexec.ledger import Reason
from symexec.runtime.contract import Context, End
from symexec.runtime.formats.directives import (
    BASES,
    MOST_PRINTED,
    SIGNED,
    BadFormat,
    Conversion,
    Part,
    Star,
    Text,
    float_text,
    integer_text,
    laid_out,
    padded,
    parse,
    with_amounts,
)
from symexec.runtime.operands import (
    MOST_SIZES,
    Asking,
    calculated,
    choice,
    decide,
    each_value,
    fitted,
    holds,
    known_bytes,
    negated,
    pin,
    place,
    plain,
    read_string,
    signed,
)
from symexec.state.endings import Unsupported
from symexec.state.state import Formatted

Piece = Operand | Formatted  # a byte or an abstract number


@dataclass(slots=True)
class Pieces:
    """The pieces of a text. ``count`` is the number of bytes (32 bits); ``counts`` are what ``%n``
    has to store: address, bytes, value; ``read``: the texts that it is made of: address, bytes."""

    pieces: list[Piece] = field(default_factory=list)
    count: Operand = 0
    counts: list[tuple[int, int, Operand]] = field(default_factory=list)
    read: list[tuple[int, int]] = field(default_factory=list)

    def add(self, pieces: Sequence[Piece], length: Operand) -> None:
        self.pieces += pieces
        self.count = calculated("add", 32, self.count, length)

    @property
    def bytes(self) -> list[Operand]:
        """The pieces of a text without abstract numbers."""
        return [piece for piece in self.pieces if not isinstance(piece, Formatted)]


def read_format(context: Context, pointer: Operand) -> Asking[list[Part]]:
    address = yield from place(pointer)
    text = yield from read_string(context, address)
    known = known_bytes(text)
    if known is None:
        pinned: list[int] = []
        for byte in text:
            pinned.append((yield from pin(byte, "a symbolic printf format")))
        known = bytes(pinned)
    try:
        return parse(known)
    except BadFormat as bad:
        yield End(Unsupported(f"the printf directive in '{bad}'"))
        raise AssertionError("a path does not go on after its end") from None


def given(context: Context, parts: Sequence[Part], passed: Sequence[Operand]) -> list[Operand]:
    """The arguments behind the ellipsis; a missing one is 0, and an event."""
    kinds = _kinds(parts)
    if len(passed) < len(kinds):
        context.event(Reason.UNDEFINED, "fewer arguments than the printf format asks for")
    return [
        fitted(passed[index], bits) if index < len(passed) else 0
        for index, (bits, _) in enumerate(kinds)
    ]


def taken(context: Context, parts: Sequence[Part], list_address: int) -> list[Operand]:
    """The arguments of a va_list. The list is reset afterwards, since the model may run again; its
    value after the call is indeterminate anyway (C17 7.16p3)."""
    kinds = _kinds(parts)
    before = [context.load(list_address + offset, 8) for offset in (0, 8, 16)]
    found = [
        fitted(plain(context.next_argument(list_address, max(bits, 32) // 8, passed)), bits)
        for bits, passed in kinds
    ]
    for offset, word in zip((0, 8, 16), before, strict=True):
        context.store(list_address + offset, 8, word)
    return found


def _kinds(parts: Sequence[Part]) -> list[tuple[int, Passed]]:
    """The width in bits and the class of each argument, in order."""
    kinds: dict[int, tuple[int, Passed]] = {}

    def note(position: int | None, kind: tuple[int, Passed]) -> None:
        kinds[len(kinds) if position is None else position - 1] = kind

    for part in parts:
        if isinstance(part, Conversion):
            for amount in (part.width, part.precision):
                if isinstance(amount, Star):
                    note(amount.position, (32, Passed.NUMBER))
            if part.letter != "m":
                note(part.position, (part.bits, _passed(part)))
    return [kinds.get(index, (64, Passed.NUMBER)) for index in range(max(kinds, default=-1) + 1)]


def _passed(part: Conversion) -> Passed:
    if part.floating:
        return Passed.FRACTION
    return Passed.ADDRESS if part.letter in "sSpn" else Passed.NUMBER


def text_of(
    context: Context, parts: Sequence[Part], arguments: Sequence[Operand], whole: bool
) -> Asking[Pieces]:
    """The text; with ``whole``, symbolic numbers in it stay abstract. So do floating ones where
    nobody asks how long the text is."""
    text = Pieces()
    turn = 0
    counts = context.is_used or any(
        isinstance(each, Conversion) and each.letter == "n" for each in parts
    )

    def argument(position: int | None) -> Operand:
        nonlocal turn
        if position is not None:
            return arguments[position - 1]
        turn += 1
        return arguments[turn - 1]

    for part in parts:
        if isinstance(part, bytes):
            text.add(list(part), len(part))
            continue
        amounts: list[int | None] = []
        for amount in (part.width, part.precision):
            if isinstance(amount, Star):
                value = yield from _amount(argument(amount.position))
                amounts.append(signed(value, 32))
            else:
                amounts.append(None)
        conversion = with_amounts(part, amounts[0], amounts[1])
        if conversion.least > MOST_PRINTED:
            yield End(Unsupported(f"a text of {conversion.least} bytes in print"))
        value_given = 0 if part.letter == "m" else argument(part.position)
        abstract = whole and not (conversion.floating and counts)
        yield from _convert(context, text, conversion, value_given, abstract)
    return text


def _amount(value: Operand) -> Asking[int]:
    """A width or a precision: a path for each value where these are few."""
    if isinstance(value, Term):
        low, high = interval(value)
        if high - low < MOST_SIZES:
            return (yield from each_value(value, value.width))
    return (yield from pin(value, "a symbolic width of printf"))


def _convert(
    context: Context, text: Pieces, conversion: Conversion, value: Operand, whole: bool
) -> Asking[None]:
    letter = conversion.letter
    if letter == "p" and value != 0:
        context.event(Reason.ADDRESSES, "%p writes the number of an address")
    if letter in BASES:
        yield from _integer(text, conversion, value, whole)
    elif conversion.floating:
        yield from _float(text, conversion, value, whole)
    elif letter == "s":
        found = yield from _string(context, conversion, value)
        text.read.append(((yield from place(value)), len(found)))
        text.add(found, len(found))
    elif letter == "c":
        byte = (yield from _narrow(value)) if conversion.length == "l" else fitted(value, 8)
        found = padded(conversion, [byte])
        text.add(found, len(found))
    elif letter == "n":
        address = yield from place(value)
        size = {"hh": 1, "h": 2, "": 4}.get(conversion.length, 8)
        text.counts.append((address, size, fitted(text.count, 8 * size)))
    else:
        yield End(Unsupported(f"the printf directive {conversion.text.decode('latin-1')}"))


def _integer(text: Pieces, conversion: Conversion, value: Operand, whole: bool) -> Asking[None]:
    if isinstance(value, int):
        found = integer_text(conversion, value)
        text.add(found, len(found))
    elif whole:
        number = Formatted(conversion.spec, value)
        text.add([number], printed_length(conversion, number))
    else:
        found = yield from digits_text(conversion, value)
        text.add(found, len(found))


def _float(text: Pieces, conversion: Conversion, value: Operand, whole: bool) -> Asking[None]:
    if isinstance(value, Term) and whole:
        text.add([Formatted(conversion.spec, value)], len(float_text(conversion, 0)))
        return
    value = yield from pin(value, "a symbolic floating number in print whose digits are asked for")
    found = float_text(conversion, value)
    text.add(found, len(found))


def _string(context: Context, conversion: Conversion, value: Operand) -> Asking[list[Operand]]:
    address = yield from place(value)
    most = conversion.precision
    assert not isinstance(most, Star)
    if address == 0:  # as glibc has it, where gcc makes no strcpy or puts of the call
        context.event(
            Reason.UNDEFINED, "a null pointer for %s: some builds print (null), others crash"
        )
        shown = b"(null)" if most is None or most >= 6 else b""
        return padded(conversion, list(shown))
    found: list[Operand] = []
    if conversion.length == "l":
        found = yield from _wide_string(context, address, most)
    elif most != 0:
        found = yield from read_string(context, address, most)
    return padded(conversion, found)


def _wide_string(context: Context, address: int, most: int | None) -> Asking[list[Operand]]:
    found: list[Operand] = []
    while most is None or len(found) < most:
        character = context.load(address + 4 * len(found), 4)
        if (yield from decide(holds("eq", 32, character, 0))):
            break
        found.append((yield from _narrow(character)))
    return found


def _narrow(character: Operand) -> Asking[Operand]:
    """The byte for a wide character in the C locale."""
    if not (yield from decide(holds("ult", 32, fitted(character, 32), 128))):
        yield End(Unsupported("a wide character beyond ASCII in print"))
    return fitted(character, 8)


def digits_text(conversion: Conversion, value: Term) -> Asking[Text]:
    """The digits of a symbolic integer, laid out; decides its sign and the number of its digits."""
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
    """How many bytes an abstract integer has when it is printed (32 bits)."""
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
