"""Two texts, made of bytes and of numbers that printf prints, become the condition under which they
differ.

    "n=" %d of x  |  "n=" %d of y      ->  x != y
    "n=" %d of x  |  "n=" %u of x      ->  x < 0
    "n=" %x of x  |  "n=" %X of x      ->  a digit of x is a letter
    "n=" %d of x  |  "n=7"             ->  x != 7
    "n=" %d of x  |  "n=-"             ->  always
    %.1f of x     |  %.2f of x         ->  perhaps: try inputs

The texts are cut where both must have the same byte (``Cuts``): no number prints the newline behind
it. What is between two cuts is compared exactly:

- two integers: their values are equal, and both formats lay out this sign and these digits alike
  (a text has one value). Digits of another base are read in the base of the other number.
- an integer and other bytes: for each sign and number of digits, what stands there is its value.
- whatever depends on few bits of the input (``TABLE_BITS``), floating numbers too: all values are
  tried, and those that differ are the condition.

Everything else may differ: ``Difference.perhaps``. The words of floating numbers depend on all bits
of a number; equal bits print equal words, and different ones often do. The sign of a NaN is not
known (docs/shadow.md), so that its text is never sure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from itertools import product
from typing import Final, cast

from csg.records import record
from symexec.expr import (
    Data,
    Model,
    Operand,
    Term,
    binary,
    compare,
    conjunction,
    disjunction,
    evaluate,
    extend,
    extract,
    interval,
    ite,
    negate,
    symbols,
    unary,
)
from symexec.runtime.formats.directives import (
    BASES,
    FLOATS,
    SIGNED,
    Conversion,
    float_text,
    integer_text,
    laid_out,
    padded,
    parse,
)
from symexec.shadow.outcomes import Unit
from symexec.state.state import Formatted

TABLE_BITS: Final = 8  # of the symbols whose values are all tried
TABLE_WORK: Final = 20_000  # nodes of terms that are evaluated for that, with all values
MOST_PAIRS: Final = 128  # pairs of cases (sign, number of digits) that one condition may list
MOST_UNITS: Final = 64  # between two cuts of which the first one may be found behind others
ANY: Final = (1 << 256) - 1  # a set of bytes: bit c stands for the byte c
DIGITS: Final = b"0123456789abcdef"
_LENGTHS: Final = {8: "hh", 16: "h", 32: "", 64: "l", 80: "L"}

Text = Sequence[Unit]


@record
class Difference:
    """``sure``: the condition under which two texts differ. ``perhaps``: that under which they may
    differ besides. ``doubted``: the numbers that are to blame."""

    sure: Operand
    perhaps: Operand = 0
    doubted: tuple[Formatted, ...] = ()


NONE: Final = Difference(0)
ALWAYS: Final = Difference(1)


def difference(left: Text, right: Text) -> Difference:
    """When do two texts differ?"""
    parts: list[Difference] = []
    here = there = 0
    while here < len(left) and there < len(right):
        one, two = left[here], right[there]
        if one is two or one == two:
            here, there = here + 1, there + 1
            continue
        if not isinstance(one, Formatted) and not isinstance(two, Formatted):
            parts.append(Difference(_bytes_differ(one, two)))
            ends = here + 1, there + 1
        else:
            cut = _cut(left, here, right, there)
            if cut is None:
                return ALWAYS
            parts.append(_between(left[here : cut[0]], right[there : cut[1]]))
            ends = cut
        if parts[-1].sure == 1:
            return ALWAYS
        here, there = ends
    if here < len(left) or there < len(right):
        parts.append(_between(left[here:], right[there:]))
    return _any(parts)


def _any(parts: Sequence[Difference]) -> Difference:
    if not parts:
        return NONE
    return Difference(
        _plain(disjunction(each.sure for each in parts)),
        _plain(disjunction(each.perhaps for each in parts)),
        tuple(number for each in parts for number in each.doubted),
    )


def _plain(value: Data) -> Operand:
    return cast(Operand, value)


def _bytes_differ(one: Operand, two: Operand) -> Operand:
    return _plain(compare("ne", 8, one, two))


# ------------------------------------------------------------------------------------------- cuts
# Where both texts must have the same byte, if they are equal:
#
#     %d of x "\n" ...  |  "1" b "2\n" ...        behind the first newline, if b is none


def _cut(left: Text, here: int, right: Text, there: int) -> tuple[int, int] | None:
    """The places behind which the texts are compared on their own, by the first byte that stands
    for sure in one of them, and in the other; their ends where there is none. None: one has a byte
    that the other one cannot have."""
    for first, second, turned in (
        ((left, here), (right, there), False),
        ((right, there), (left, here), True),
    ):
        for byte, at in _first_bytes(*first):
            other = _first(byte, *second)
            if other == len(second[0]):
                return None
            if other is not None:
                return (other, at) if turned else (at, other)
    return len(left), len(right)


def _first_bytes(text: Text, start: int) -> Iterator[tuple[int, int]]:
    """Known bytes, with their places, that no unit before them can print."""
    before = 0
    for at in range(start, min(start + MOST_UNITS, len(text))):
        unit = text[at]
        if isinstance(unit, int) and not before >> unit & 1:
            yield unit, at
        before |= _alphabet(unit)


def _first(byte: int, text: Text, start: int) -> int | None:
    """The first place where a byte stands for sure; the end if none can print it; None if one
    before may print it."""
    for at in range(start, len(text)):
        unit = text[at]
        if unit == byte:
            return at
        if _alphabet(unit) >> byte & 1:
            return None
    return len(text)


def _alphabet(unit: Unit) -> int:
    """The bytes that a unit can print, as a set."""
    if isinstance(unit, int):
        return 1 << unit
    if isinstance(unit, Term):
        low, high = interval(unit)
        return (1 << (high + 1)) - (1 << low)
    letter = unit.spec[-1]
    blanks = b" " if unit.spec != f"%{letter}" else b""
    if letter in FLOATS:
        return _set(b"0123456789abcdefABCDEF+-.xXpPnNiIt" + blanks)
    if letter == "p":
        return _set(b"0123456789abcdefx()nil+- ")
    digits = DIGITS[: BASES[letter]]
    signs = b"-" if letter in SIGNED else b""
    extras = b"+" * ("+" in unit.spec) + b"xX" * ("#" in unit.spec)
    return _set((digits.upper() if letter == "X" else digits) + signs + extras + blanks + b"0")


def _set(text: bytes) -> int:
    return reduce(lambda found, byte: found | 1 << byte, text, 0)


# --------------------------------------------------------------------------------- between cuts


def _between(left: Text, right: Text) -> Difference:
    """When do two pieces differ that have no cut inside?"""
    one, two = list(left), list(right)
    same: list[Data] = []
    while one and two:
        first, second = one[-1], two[-1]
        if first is not second and first != second:
            if isinstance(first, Formatted) or isinstance(second, Formatted):
                break
            same.append(compare("eq", 8, first, second))
        one.pop()
        two.pop()
    rest = _pieces_differ(one, two)
    behind = _plain(negate(conjunction(same))) if same else 0
    return _any([Difference(behind), rest])


def _pieces_differ(left: Text, right: Text) -> Difference:
    if (left or right) and not (left and right) and not all(map(_may_be_empty, (*left, *right))):
        return ALWAYS
    numbers = [unit for unit in (*left, *right) if isinstance(unit, Formatted)]
    if not numbers:
        if len(left) != len(right):
            return ALWAYS
        return _any([Difference(_bytes_differ(*pair)) for pair in zip(left, right, strict=True)])  # type: ignore[arg-type]
    known = _tabled(left, right)
    if known is not None:
        return known
    if all(number.spec[-1] in BASES for number in numbers):
        same = _same_number(left, right)
        if same is None:
            same = _same_digits(left, right)
        if same is not None:
            return Difference(_plain(negate(same)))
    return _perhaps(left, right, numbers)


def _may_be_empty(unit: Unit) -> bool:
    """Can it print nothing? A 0 of precision 0 does."""
    return isinstance(unit, Formatted) and ".0" in unit.spec and unit.spec[-1] in BASES


def _perhaps(left: Text, right: Text, numbers: Sequence[Formatted]) -> Difference:
    """Of numbers of one format, those with other bits may differ."""
    perhaps: Operand = 1
    if _forms(left) == _forms(right):
        pairs = [pair for pair in zip(left, right, strict=True) if pair[0] != pair[1]]
        perhaps = _plain(disjunction(_other_bits(*pair) for pair in pairs))
    return Difference(0, perhaps, tuple(numbers))


def _forms(text: Text) -> list[tuple[str, int]]:
    return [
        (unit.spec, unit.term.width) if isinstance(unit, Formatted) else ("", 8) for unit in text
    ]


def _other_bits(one: Unit, two: Unit) -> Operand:
    if isinstance(one, Formatted) and isinstance(two, Formatted):
        return _plain(compare("ne", one.term.width, one.term, two.term))
    assert not isinstance(one, Formatted) and not isinstance(two, Formatted)
    return _bytes_differ(one, two)


# ------------------------------------------------------------------------------------ conversions


def conversion_of(number: Formatted) -> Conversion:
    """What prints a number, with the length of its term."""
    (conversion,) = parse(number.spec.encode())
    assert isinstance(conversion, Conversion)
    plain_double = conversion.floating and number.term.width == 64
    return replace(conversion, length="" if plain_double else _LENGTHS[number.term.width])


def number_text(number: Formatted, value: int) -> bytes:
    """The text of a number whose term has this value."""
    conversion = conversion_of(number)
    show = float_text if conversion.floating else integer_text
    return bytes(unit for unit in show(conversion, value) if isinstance(unit, int))


def text_under(text: Text, model: Model) -> tuple[bytes, bool]:
    """The text for one input; and is it sure? That of a NaN is not: nobody knows its sign."""
    found, sure = bytearray(), True
    cache: dict[Term, object] = {}
    for unit in text:
        match unit:
            case int():
                found.append(unit)
            case Term():
                found.append(evaluate(unit, model, cache))  # type: ignore[arg-type]
            case Formatted(term=term):
                shown = number_text(unit, evaluate(term, model, cache))  # type: ignore[arg-type]
                sure = sure and not (unit.spec[-1] in FLOATS and b"nan" in shown.lower())
                found += shown
    return bytes(found), sure


# ------------------------------------------------------------------------------------------ table


def _tabled(left: Text, right: Text) -> Difference | None:
    """The difference of texts that depend on few bits, by trying all of them; None where there are
    too many. Integers that other ways compare are left to them."""
    numbers = tuple(unit for unit in (*left, *right) if isinstance(unit, Formatted))
    if len(left) == len(right) == 1 and all(each.spec[-1] in BASES for each in numbers):
        return None
    operands = [unit.term if isinstance(unit, Formatted) else unit for unit in (*left, *right)]
    terms = [term for term in operands if isinstance(term, Term)]
    names = sorted(frozenset[Term]().union(*map(symbols, terms)), key=lambda term: term.id)
    bits = sum(name.width for name in names)
    if bits > TABLE_BITS or _nodes(terms, TABLE_WORK >> bits) is None:
        return None
    differ: list[Data] = []
    unsure: list[Data] = []
    for values in product(*(range(1 << name.width) for name in names)):
        model = dict(zip(names, values, strict=True))
        (one, one_sure), (two, two_sure) = text_under(left, model), text_under(right, model)
        if one == two and one_sure and two_sure:
            continue
        here = conjunction(compare("eq", name.width, name, model[name]) for name in names)
        (differ if one_sure and two_sure else unsure).append(here if names else 1)
    return Difference(
        _plain(disjunction(differ)) if differ else 0,
        _plain(disjunction(unsure)) if unsure else 0,
        numbers if unsure else (),
    )


def _nodes(terms: Iterable[Term], most: int) -> int | None:
    """How many nodes the terms have; None for more than ``most``."""
    found, waiting = set[Term](), list(terms)
    while waiting:
        term = waiting.pop()
        if term not in found:
            found.add(term)
            waiting += term.args
            if len(found) > most:
                return None
    return len(found)


# ------------------------------------------------------------------------------------------ cases
# An integer is printed in one of few ways:
#
#     "%+4d"    0          "  +0"            Case(0, 0, "  +0")
#               1..9       "  +" digit       Case(1, 9, ..)
#               -99..-10   " -" two digits   Case(-99, -10, ..)


@record
class Digit:
    """A digit of a number; the most significant one is 0. ``size``: how many are behind it."""

    number: int
    place: int
    size: int


@record
class Case:
    """Values with one sign and one number of digits, and how they are laid out."""

    low: int
    high: int
    digits: int  # 0: the number is 0
    text: tuple[int | Digit, ...]


def _cases(number: Formatted, index: int = 0) -> list[Case]:
    conversion, base = conversion_of(number), BASES[number.spec[-1]]
    low, high = _range(number)
    found = []
    if low <= 0 <= high:
        found.append(Case(0, 0, 0, _zero(conversion)))
    count, least = 1, 1
    while least <= max(high, -low):
        most = least * base - 1
        for negative in (False, True):
            first, last = (-most, -least) if negative else (least, most)
            first, last = max(first, low), min(last, high)
            if first <= last:
                text = _laid_out(conversion, negative, count, index)
                found.append(Case(first, last, count, text))
        count, least = count + 1, least * base
    return found


def _zero(conversion: Conversion) -> tuple[int, ...]:
    text = (
        padded(conversion, list(b"(nil)"))
        if conversion.letter == "p"
        else laid_out(conversion, False, [ord("0")], True)
    )
    return tuple(unit for unit in text if isinstance(unit, int))


def _laid_out(
    conversion: Conversion, negative: bool, count: int, index: int
) -> tuple[int | Digit, ...]:
    marks = [256 + place for place in range(count)]  # no bytes
    text = laid_out(conversion, negative, list(marks), False)
    return tuple(
        unit if unit < 256 else Digit(index, unit - 256, count - 1 - (unit - 256))
        for unit in text
        if isinstance(unit, int)
    )


def _is_signed(number: Formatted) -> bool:
    return number.spec[-1] in SIGNED


def _range(number: Formatted) -> tuple[int, int]:
    """The least and the greatest value that a number can have."""
    term, half = number.term, 1 << (number.term.width - 1)
    low, high = interval(term)
    if not _is_signed(number) or high < half:
        return low, high
    if low >= half:
        return low - 2 * half, high - 2 * half
    if term.op == "sext":
        narrow = 1 << (term.args[0].width - 1)
        return -narrow, narrow - 1
    return -half, half - 1


def _within(number: Formatted, low: int, high: int) -> Operand:
    """Is the value of a number in this range?"""
    least, greatest = _range(number)
    term, width = number.term, number.term.width
    order = "sle" if _is_signed(number) else "ule"
    mask = (1 << width) - 1
    parts: list[Data] = []
    if low > least:
        parts.append(compare(order, width, low & mask, term))
    if high < greatest:
        parts.append(compare(order, width, term, high & mask))
    return _plain(conjunction(parts)) if parts else 1


# ------------------------------------------------------------------------------------ two numbers


_READ: Final = (8, 16, 10)  # digits of an earlier base are read in a later one


def _same_number(left: Text, right: Text) -> Operand | None:
    """The condition that two integers are printed alike; None for other pieces."""
    if len(left) != 1 or len(right) != 1:
        return None
    one, two = left[0], right[0]
    if not isinstance(one, Formatted) or not isinstance(two, Formatted):
        return None
    if "p" in (one.spec[-1], two.spec[-1]) and one.spec[-1] != two.spec[-1]:
        return None
    if _READ.index(BASES[one.spec[-1]]) > _READ.index(BASES[two.spec[-1]]):
        one, two = two, one
    laid = {_sign_and_digits(case): case.text for case in _cases(two)}
    alike = [case for case in _cases(one) if laid.get(_sign_and_digits(case)) == case.text]
    fits = _plain(disjunction(_within(one, *ends) for ends in _joined(alike))) if alike else 0
    if isinstance(fits, int) and not fits:
        return 0
    letters = {one.spec[-1], two.spec[-1]}
    parts: list[Data] = [fits, _same_value(one, two)]
    if letters == {"x", "X"}:
        parts.append(_digits_below_ten(one.term))
    return _plain(conjunction(parts))


def _sign_and_digits(case: Case) -> tuple[bool, int]:
    return case.high < 0, case.digits


def _joined(cases: Sequence[Case]) -> list[tuple[int, int]]:
    """The ranges of cases; neighbours are joined."""
    found: list[tuple[int, int]] = []
    for low, high in sorted((case.low, case.high) for case in cases):
        if found and found[-1][1] + 1 == low:
            found[-1] = found[-1][0], high
        else:
            found.append((low, high))
    return found


def _same_value(one: Formatted, two: Formatted) -> Operand:
    """The condition that the digits of both, read in the base of the second, are one value."""
    source, base = BASES[one.spec[-1]], BASES[two.spec[-1]]
    if source == base:
        same_sign = _is_signed(one) == _is_signed(two)
        width = max(one.term.width, two.term.width) + (not same_sign)
        return _plain(compare("eq", width, _wide(one, width), _wide(two, width)))
    count = -(-one.term.width // (source.bit_length() - 1))
    width = max(4 * count, two.term.width) + 1  # a digit takes 4 bits at most
    value, fits = _read_in(one.term, source, base, width)
    return _plain(conjunction([fits, compare("eq", width, value, _wide(two, width))]))


def _wide(number: Formatted, width: int) -> Data:
    return extend(number.term, number.term.width, width, _is_signed(number))


def _read_in(term: Term, source: int, base: int, width: int) -> tuple[Data, Data]:
    """The digits of a number of base 8 or 16, read in another base; and can they be?"""
    bits = source.bit_length() - 1
    value: Data = 0
    for at in range(0, term.width, bits):
        size = min(bits, term.width - at)
        digit = extend(extract(term, at, size), size, width, False)
        scaled = binary("mul", width, digit, base ** (at // bits))
        value = binary("add", width, value, scaled)
    return value, _digits_below_ten(term) if source == 16 and base == 10 else 1


def _digits_below_ten(term: Term) -> Operand:
    """The condition that no hexadecimal digit is a letter: 1010 and above have the highest bit, and
    one of the next two."""
    width = term.width
    next_two = binary("or", width, *(binary("shl", width, term, count) for count in (1, 2)))
    highest = binary("and", width, term, int("8" * (width // 4), 16))
    return _plain(compare("eq", width, binary("and", width, highest, next_two), 0))


# -------------------------------------------------------------------------------- other characters
# A number beside other bytes, for each length that it can have:
#
#     %d of x  |  c "5"        10 <= x <= 99, c is a digit, x == 10 * c + 5
#                              -9 <= x <= -1, c is '-', -x == 5


Char = int | Term | Digit


@record
class Spelling:
    """One way to spell a piece: under a condition, these characters."""

    condition: Operand
    chars: tuple[Char, ...]
    cases: tuple[Case, ...]


def _same_digits(left: Text, right: Text) -> Operand | None:
    """The condition that two pieces without floating numbers are spelt alike; None where there are
    too many ways to spell them."""
    numbers = [unit for unit in (*left, *right) if isinstance(unit, Formatted)]
    ways = _spellings(left, 0), _spellings(right, sum(isinstance(u, Formatted) for u in left))
    if ways[0] is None or ways[1] is None:
        return None
    lengths: dict[int, list[Spelling]] = {}
    for way in ways[1]:
        lengths.setdefault(len(way.chars), []).append(way)
    pairs = [(one, two) for one in ways[0] for two in lengths.get(len(one.chars), ())]
    if len(pairs) > MOST_PAIRS:
        return None
    found = [_spelt_alike(one, two, numbers) for one, two in pairs]
    return _plain(disjunction(found)) if found else 0


def _spellings(text: Text, index: int) -> list[Spelling] | None:
    ways = [Spelling(1, (), ())]
    for unit in text:
        if not isinstance(unit, Formatted):
            ways = [replace(way, chars=(*way.chars, unit)) for way in ways]
            continue
        cases = _cases(unit, index)
        if len(ways) * len(cases) > MOST_PAIRS * 4:
            return None
        ways = [
            Spelling(
                _plain(conjunction([way.condition, _within(unit, case.low, case.high)])),
                (*way.chars, *case.text),
                (*way.cases, case),
            )
            for way in ways
            for case in cases
        ]
        index += 1
    return ways


def _spelt_alike(one: Spelling, two: Spelling, numbers: Sequence[Formatted]) -> Operand:
    parts: list[Data] = [one.condition, two.condition]
    cases = (*one.cases, *two.cases)
    settled: set[int] = set()  # places that the value of a number has settled
    for chars, others in ((one.chars, two.chars), (two.chars, one.chars)):
        for number, places in _spans(chars).items():
            read = [others[place] for place in places]
            if settled.issuperset(places):
                continue
            if any(isinstance(char, Digit) for char in read) and not _one_span(read, numbers):
                continue
            parts.append(_is_value(numbers, number, cases[number], read, cases))
            settled.update(places)
    for place, pair in enumerate(zip(one.chars, two.chars, strict=True)):
        if place not in settled:
            left, right = (_char(char, numbers, cases) for char in pair)
            parts.append(compare("eq", 8, left, right))
        if isinstance(parts[-1], int) and not parts[-1]:
            return 0
    return _plain(conjunction(parts))


def _spans(chars: Sequence[Char]) -> dict[int, list[int]]:
    """The places of the digits of each number."""
    found: dict[int, list[int]] = {}
    for place, char in enumerate(chars):
        if isinstance(char, Digit):
            found.setdefault(char.number, []).append(place)
    return found


def _one_span(chars: Sequence[Char], numbers: Sequence[Formatted]) -> bool:
    """Are these all digits of one number?"""
    first = chars[0]
    if not isinstance(first, Digit) or first.place or len(chars) != first.size + 1:
        return False
    return all(
        isinstance(char, Digit) and (char.number, char.place) == (first.number, place)
        for place, char in enumerate(chars)
    )


def _is_value(
    numbers: Sequence[Formatted],
    number: int,
    case: Case,
    read: Sequence[Char],
    cases: Sequence[Case],
) -> Operand:
    """The condition that the digits of a number are these characters."""
    mine, base = numbers[number], BASES[numbers[number].spec[-1]]
    width = mine.term.width + 5
    size = extend(_size(mine, case), mine.term.width, width, False)
    first = read[0]
    if isinstance(first, Digit):  # of one number
        other = numbers[first.number]
        if {mine.spec[-1], other.spec[-1]} <= {"d", "u"} or mine.spec[-1] == other.spec[-1]:
            width = max(width, other.term.width + 5)
            pair = [
                extend(_size(each, cases[at]), each.term.width, width, False)
                for each, at in ((mine, number), (other, first.number))
            ]
            return _plain(compare("eq", width, *pair))
        read = [_char(char, numbers, cases) for char in read]
    value: Data = 0
    parts: list[Data] = []
    for char in read:
        assert not isinstance(char, Digit)
        digit, fits = _digit_of(char, mine.spec[-1])
        parts.append(fits)
        value = binary("mul", width, value, base)
        value = binary("add", width, value, extend(digit, 8, width, False))
    if isinstance(value, int):
        known = -value if case.high < 0 else value
        if not case.low <= known <= case.high:
            return 0
        mask = (1 << mine.term.width) - 1
        parts.append(compare("eq", mine.term.width, mine.term, known & mask))
        return _plain(conjunction(parts))
    return _plain(conjunction([*parts, compare("eq", width, value, size)]))


def _size(number: Formatted, case: Case) -> Data:
    return unary("neg", number.term.width, number.term) if case.high < 0 else number.term


def _digit_of(char: Operand, letter: str) -> tuple[Data, Data]:
    """The value of a byte as a digit; and is it one?"""
    base = BASES[letter]
    value = binary("sub", 8, char, ord("0"))
    fits = compare("ult", 8, value, min(base, 10))
    if base <= 10:
        return value, fits
    high = binary("sub", 8, char, (ord("A") if letter == "X" else ord("a")) - 10)
    above = conjunction([compare("ule", 8, 10, high), compare("ult", 8, high, 16)])
    return ite(fits, value, high, 8), disjunction([fits, above])


def _char(char: Char, numbers: Sequence[Formatted], cases: Sequence[Case]) -> Operand:
    if not isinstance(char, Digit):
        return char
    number = numbers[char.number]
    width, base = number.term.width, BASES[number.spec[-1]]
    shifted = binary("udiv", width, _size(number, cases[char.number]), base**char.size)
    digit = _byte(binary("urem", width, shifted, base), width)
    letter = (ord("A") if number.spec[-1] == "X" else ord("a")) - 10
    low, high = binary("add", 8, digit, ord("0")), binary("add", 8, digit, letter)
    return _plain(low if base <= 10 else ite(compare("ult", 8, digit, 10), low, high, 8))


def _byte(value: Data, width: int) -> Data:
    return value if width == 8 else extract(value, 0, 8)
