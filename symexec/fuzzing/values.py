"""Values worth trying, the likeliest to matter first: of C types, and texts as users write them.

    pool of int x with --range x=-2..300, constants 7       0 1 -1 2 -2 ... 6 7 8 ... 299 300
    pool of char *s, alphabet "0-"                          "" "0" "-" "00" "0-" "-0" ...

    integer      3   10   0   -1            near 10: 9, 11, 100, -10, +10
    fraction     1   .5   1.25   -.1        near .5: 1.5, .50, .51, 5e-1
    ranges       2   1-3   2-,4             near 1-3: 1-2, 1-, 1-3,5
    format       %g  %5.1f  x%gy

What is common comes often: half of the numbers are small, one in ten has an odd spelling.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, product
from random import Random
from typing import TypeVar, assert_never

from symexec.fuzzing.option_table import Vocabulary
from symexec.fuzzing.usage import Kind, Slot
from symexec.options import Range
from symexec.testcases import Scalar, Value
from symexec.testcases.inputs import Elements
from symexec.testcases.signature import Parameter, ParameterKind

Item = TypeVar("Item")

SMALL = 16  # integers around zero
ALL_OF = 4096  # a range of so many values is tried in full
STRINGS = 20_000
LARGEST_FLOAT = 3.4028234663852886e38
_FLOATS = (0.0, 1.0, -1.0, 0.5, 2.0, -0.0, 1e9, -1e9, 1e-9, 1e300, float("inf"), float("-inf"))


class Values:
    """The values of one parameter. ``pool`` is enumerated, ``drawn`` draws from all values.
    ``counts``: how many structures there are behind a pointer that leads to several. ``grows``:
    nobody has bounded texts, so that numbers out of range are tried that are longer."""

    def __init__(
        self,
        parameter: Parameter,
        words: Vocabulary,
        length: int,
        bounds: Range | None,
        counts: Sequence[int] = (),
        grows: bool = False,
    ) -> None:
        self.parameter = parameter
        self._there: list[Value] = [Elements(each) for each in counts] or [()]
        self._words = words
        self._length = _length(parameter, length)
        self._bounds = bounds
        self._own = [
            word
            for word in words.words
            if len(word) <= self._length and all(map(self._allows, word))
        ]
        if grows and parameter.kind is ParameterKind.STRING and not parameter.room:
            self._own += [word for word in words.out_of_range if all(map(self._allows, word))]
        self._numbers = [] if parameter.floating else self._numbers_of_source()
        self._scalars = self._scalar_pool()
        self.pool: list[Value] = self._pool()
        # Is the pool all values?
        self.complete = (
            parameter.kind is ParameterKind.SCALAR and not parameter.floating and self._few()
        )

    @property
    def there(self) -> Value:
        """A structure; or as many as there can be."""
        return self._there[0]

    @property
    def characteristic(self) -> list[Value]:
        """The values from the program's text: its words, or its numbers and the smallest ones."""
        match self.parameter.kind:
            case ParameterKind.SCALAR:
                return list(dict.fromkeys([*self._scalars[:4], *self._numbers]))
            case ParameterKind.STRING | ParameterKind.POINTER:
                return list(self._own)
            case ParameterKind.ARRAY | ParameterKind.STRUCTURE | ParameterKind.OPAQUE:
                return []
            case _:
                assert_never(self.parameter.kind)

    # ------------------------------------------------------------------ enumeration

    def _few(self) -> bool:
        low, high = self._limits()
        return high - low < ALL_OF

    def _limits(self) -> tuple[int, int]:
        return limits_of(self.parameter, self._bounds)

    def _numbers_of_source(self) -> list[int]:
        low, high = self._limits()
        return [number for number in self._words.numbers if low <= number <= high]

    def _scalar_pool(self) -> list[Scalar]:
        if self.parameter.floating:
            constants = [float(number) for number in self._words.numbers[:40]]
            found = [self._rounded(number) for number in (*_FLOATS, *constants)]
            return list(dict.fromkeys(found))
        low, high = self._limits()
        found = [sign * number for number in range(SMALL + 1) for sign in (1, -1)]
        found += [*self._numbers, *self._words.separators, *self._words.letters]
        found += [low, high, low + 1, high - 1]
        found += [number + step for number in _powers() for step in (0, -1, 1)]
        if self._few():
            found += range(low, high + 1)
        return list(dict.fromkeys(number for number in found if low <= number <= high))

    def _pool(self) -> list[Value]:
        if (
            self.parameter.kind is ParameterKind.STRUCTURE
        ):  # null, or there; its parts have values of their own
            there = self._there
            if self.parameter.owner and there == [()]:
                return [None, ()]
            return [*there, None] if self.parameter.nullable else there
        found = self._plain_pool()
        return [*found[:1], None, *found[1:]] if self.parameter.nullable else found

    def _plain_pool(self) -> list[Value]:
        match self.parameter.kind:
            case ParameterKind.SCALAR:
                return list(self._scalars)
            case ParameterKind.STRING | ParameterKind.POINTER:
                return list(self._strings())
            case ParameterKind.ARRAY | ParameterKind.STRUCTURE | ParameterKind.OPAQUE:
                return list(islice(growing([self._scalars] * self._length), STRINGS))
            case _:
                assert_never(self.parameter.kind)

    def _rounded(self, number: float) -> float:
        """The number in the parameter's own type; what a float cannot hold becomes infinite."""
        if self.parameter.size != 4 or math.isinf(number):
            return number
        if abs(number) > LARGEST_FLOAT:
            return math.copysign(math.inf, number)
        return float(struct.unpack("<f", struct.pack("<f", number))[0])

    def _strings(self) -> Iterator[bytes]:
        """The program's own words, then all strings over its alphabet, short ones first."""
        alphabet = [byte for byte in self._words.alphabet if self._allows(byte)]
        yield b""
        yield from self._own
        left = STRINGS
        for length in range(1, self._length + 1):
            for word in islice(product(alphabet, repeat=length), left):
                left -= 1
                yield bytes(word)

    def _allows(self, byte: int) -> bool:
        return self._bounds is None or self._bounds.low <= byte <= self._bounds.high

    # ------------------------------------------------------------------ chance

    def drawn(self, chance: Random) -> Value:
        if self.parameter.kind is ParameterKind.STRUCTURE:
            return chance.choice(self.pool)
        if self.parameter.nullable and chance.random() < 0.125:
            return None
        match self.parameter.kind:
            case ParameterKind.SCALAR:
                return self._random_scalar(chance)
            case ParameterKind.STRING | ParameterKind.POINTER:
                alphabet = self._words.alphabet
                length = chance.randint(0, self._length)
                return bytes(
                    chance.choice(alphabet) if chance.random() < 0.9 else chance.randint(1, 255)
                    for _ in range(length)
                )
            case ParameterKind.ARRAY | ParameterKind.STRUCTURE | ParameterKind.OPAQUE:
                return tuple(self._random_scalar(chance) for _ in range(self._length))
            case _:
                assert_never(self.parameter.kind)

    def _random_scalar(self, chance: Random) -> Scalar:
        if self.parameter.floating:
            known = chance.random() < 0.5
            return chance.choice(self._scalars) if known else self._rounded(chance.gauss(0, 1e3))
        low, high = self._limits()
        match chance.randrange(4):
            case 0:
                return chance.choice(self._scalars)
            case 1 if self._numbers:
                return chance.choice(self._numbers)
            case 1 | 2:
                near = chance.choice(self._scalars)
                assert isinstance(near, int)
                return min(high, max(low, near + chance.randint(-64, 64)))
            case _:
                return chance.randint(low, high)

    def mutated(self, value: Value, chance: Random) -> Value:
        """The value with one part changed."""
        match value:
            case bytes() if self._own and chance.random() < 0.125:
                return chance.choice(self._own)
            case bytes():
                return mutated_bytes(value, self._words.alphabet, self._length, chance)
            case tuple() if value and self.parameter.kind is not ParameterKind.STRUCTURE:
                place = chance.randrange(len(value))
                return (*value[:place], self._random_scalar(chance), *value[place + 1 :])
            case _:
                return self.drawn(chance)


def limits_of(parameter: Parameter, asked: Range | None) -> tuple[int, int]:
    """The least and the largest value of one element, by its type and by what the user asked
    for."""
    width, signed = parameter.width, parameter.signed
    low = -(1 << (width - 1)) if signed else 0
    high = (1 << (width - signed)) - 1
    return (low, high) if asked is None else (max(low, asked.low), min(high, asked.high))


def _length(parameter: Parameter, length: int) -> int:
    """The most elements of an array; an array in a structure has a fixed size."""
    if not parameter.room:
        return length
    return min(length, parameter.room // parameter.size - (parameter.kind is ParameterKind.STRING))


def mutated_bytes(data: bytes, alphabet: bytes, most: int, chance: Random) -> bytes:
    """The bytes with one inserted, removed or replaced."""
    place = chance.randint(0, len(data))
    byte = bytes([chance.choice(alphabet) if chance.random() < 0.9 else chance.randint(1, 255)])
    match chance.randrange(3):
        case 0 if len(data) < most:
            return data[:place] + byte + data[place:]
        case 1 if data:
            return data[:place] + data[place + 1 :]
        case _:
            return (data[:place] + byte + data[place + 1 :])[:most]


def _powers() -> list[int]:
    return [sign * (1 << bits) for bits in range(3, 65) for sign in (1, -1)]


def growing(pools: Sequence[Sequence[Item]]) -> Iterator[tuple[Item, ...]]:
    """Rows of the first 1, 2, 4, ... values of each pool, every row once: small values before large
    ones."""
    size, before = 1, 0
    longest = max(map(len, pools), default=1)
    while before < longest:
        yield from grown(pools, before, size)
        size, before = 2 * size, size


def grown(pools: Sequence[Sequence[Item]], before: int, size: int) -> Iterator[tuple[Item, ...]]:
    """The rows of the first ``size`` values of each pool that are not rows of the first
    ``before``."""
    for places in product(*(range(min(size, len(pool))) for pool in pools)):
        if before == 0 or max(places, default=0) >= before:
            yield tuple(pool[place] for pool, place in zip(pools, places, strict=True))


STRAY = 0.04  # share of values that are of another kind than the one that is wanted
SEPARATORS = b",:;_ \t/=|.-"
CONVERSIONS = ("g", "f", "e", "d", "s", "x", "a", "u", "i", "c", "E", "G")
_NUMBER = re.compile(rb"([ +-]*)(\d*)(?:\.(\d*))?(.*)", re.DOTALL)
_HUGE = (1 << 31, 1 << 32, 1 << 63, 1 << 64, 10**9, 10**19, 10**30)


class Texts:
    """Draws texts. Numbers of the program's text are among them, those in changes (``changed``)
    more often."""

    def __init__(self, words: Vocabulary, changed: Sequence[int] = ()) -> None:
        self._changed = [*changed]
        self._numbers = [each for each in words.numbers if 0 <= each < 1 << 20] or [8]
        self._words = [each for each in words.words if len(each) <= 16]
        self._separators = bytes(dict.fromkeys(words.separators + SEPARATORS))

    def drawn(self, slot: Slot, chance: Random, stray: float = STRAY) -> bytes:
        """A value for a slot; with ``stray``, now and then one of another kind."""
        kinds: Sequence[Kind] = slot.kinds
        if chance.random() < stray:
            kinds = tuple(Kind)
        return self._of(self._likely(kinds, chance), slot, chance)

    @staticmethod
    def _likely(kinds: Sequence[Kind], chance: Random) -> Kind:
        """One of the kinds; the earlier ones are likelier, as they are named first in the text."""
        for kind in kinds:
            if kind is not Kind.MARKED and chance.random() < 0.85:
                return kind
        return chance.choice(kinds)

    def _of(self, kind: Kind, slot: Slot, chance: Random) -> bytes:
        draw: dict[Kind, Callable[[Slot, Random], bytes]] = {
            Kind.INTEGER: lambda _, chance: self.integer(chance),
            Kind.REAL: self._real,
            Kind.RANGES: self._ranges,
            Kind.CHARACTER: lambda _, chance: self._character(chance),
            Kind.FORMAT: self._format,
            Kind.KEYWORD: self._keyword,
            Kind.MARKED: self._marked,
            Kind.FILE: lambda _, chance: chance.choice((b"A", b"A", b"B", b"-", b"none")),
            Kind.TEXT: self._text,
        }
        return draw[kind](slot, chance)

    # ------------------------------------------------------------------ kinds

    def integer(self, chance: Random) -> bytes:
        match chance.randrange(20):
            case 0 | 1 | 2 | 3 | 4 | 5 | 6:
                number = chance.randint(1, 5)
            case 7 | 8 | 9:
                number = chance.randint(6, 20)
            case 10 | 11:
                number = 0
            case 15:
                number = 10 ** chance.randint(1, 4) - chance.randint(0, 1)
            case 12 | 13 if self._changed:
                number = chance.choice(self._changed)
            case 12 | 13 | 14:
                number = -chance.randint(1, 10)
            case 16 | 17:
                number = chance.choice(self._numbers) * chance.choice((1, 1, -1))
            case 18:
                number = chance.choice(_HUGE) - chance.randint(0, 1)
            case _:
                return self._odd(str(chance.randint(0, 12)).encode(), chance)
        return str(number).encode()

    def _real(self, slot: Slot, chance: Random) -> bytes:
        """A fraction of one to three digits, with or without digits before the point."""
        match chance.randrange(10):
            case 0 | 1 | 2 | 3:
                return self.integer(chance)
            case 4 | 5 | 6 | 7 | 8:
                whole = chance.choice((b"", b"", b"0", b"1", b"2", b"9", b"10"))
                digits = [
                    chance.choice((b"5", b"1", b"0", b"2"))
                    for _ in range(chance.choice((1, 1, 1, 2, 2, 3)))
                ]
                sign = chance.choice((b"", b"", b"", b"-"))
                return sign + whole + b"." + b"".join(digits)
            case _:
                number = chance.choice((b"1", b"2", b"1.5", b".1"))
                return chance.choice((self._odd(number, chance), self._scaled(number, chance)))

    @staticmethod
    def _odd(number: bytes, chance: Random) -> bytes:
        """The number in an unusual notation."""
        before = chance.choice((b"+", b" ", b"0", b"  ", b"00", b"-0", b"0x", b"--"))
        behind = chance.choice((b"k", b" ", b".", b"a", b"e1", b"b", b",", b"K"))
        return before + number if chance.random() < 0.6 else number + behind

    @staticmethod
    def _scaled(number: bytes, chance: Random) -> bytes:
        return number + chance.choice((b"e0", b"e1", b"e2", b"e-1", b"E1", b"e-3", b"e003"))

    def _ranges(self, slot: Slot, chance: Random) -> bytes:
        """Numbers, N-M, N- and -M, between commas (or blanks, where the program looks for some)."""
        count = chance.choice((1, 1, 1, 2, 2, 2, 3, 4))
        between = b","
        if b" " in slot.marks and chance.random() < 0.1:
            between = b" "
        return between.join(self._range(slot, chance) for _ in range(count))

    def _range(self, slot: Slot, chance: Random) -> bytes:
        low = self._bound(chance)
        if b"-" not in slot.marks:
            return low
        match chance.randrange(8):
            case 0 | 1 | 2:
                return low
            case 3 | 4:
                high = self._bound(chance)
                if int(high) < int(low) and chance.random() < 0.7:
                    low, high = high, low
                return low + b"-" + high
            case 5 | 6:
                return low + b"-"
            case _:
                return b"-" + low

    def _bound(self, chance: Random) -> bytes:
        match chance.randrange(16):
            case 0:
                return b"0"
            case 1:
                return str(chance.choice(self._numbers)).encode()
            case 2:
                return str(chance.choice(_HUGE)).encode()
            case 3 | 4 | 5:
                return str(chance.randint(5, 20)).encode()
            case _:
                return str(chance.randint(1, 4)).encode()

    def _character(self, chance: Random) -> bytes:
        if chance.random() < 0.1:
            return chance.choice((b"", b"ab", b"::", b"\\t", b"\\"))
        if chance.random() < 0.15:
            return chance.choice((b"a", b"1", b"0", b"x"))
        return bytes([chance.choice(self._separators)])

    def _format(self, slot: Slot, chance: Random) -> bytes:
        """A format with one conversion, mostly one that the program knows."""
        known = [each for each in CONVERSIONS if each.encode() in slot.marks]
        conversion = chance.choice(known if known and chance.random() < 0.8 else CONVERSIONS)
        flags = "".join(chance.choice("-+0 #'") for _ in range(chance.choice((0, 0, 0, 1, 1, 2))))
        width = chance.choice(("", "", "", "", "5", "10", "3", "*"))
        precision = chance.choice(("", "", ".0", ".1", ".2", ".3", "."))
        if chance.random() < 0.6:
            return f"%{flags}{width}{precision}{conversion}".encode()
        before = chance.choice(("", "x", "%%", "%", "a b"))
        behind = chance.choice(("", "y", "%%", "%", "%g"))
        return f"{before}%{flags}{width}{precision}{conversion}{behind}".encode()

    def _keyword(self, slot: Slot, chance: Random) -> bytes:
        return chance.choice(slot.keywords or self._words or (b"a",))

    def _marked(self, slot: Slot, chance: Random) -> bytes:
        """Letters and digits among the characters that the program looks for."""
        marks = slot.marks or self._separators
        return b"".join(
            bytes([chance.choice(marks)])
            if chance.random() < 0.5
            else chance.choice((b"1", b"2", b"a", b"b", b"c", b"0", b"z"))
            for _ in range(chance.randint(1, 6))
        )

    def _text(self, slot: Slot, chance: Random) -> bytes:
        match chance.randrange(12):
            case 0 | 1 | 2 | 3 | 4:
                return bytes([chance.choice(self._separators)])
            case 5 | 6 | 7:
                return chance.choice((b"a", b"ab", b"abc", b"x", b"xy", b"--", b"a-c"))
            case 8:
                return chance.choice((b"", b"\n", b"\\n", b"\\", b"%", b"%s", b"%%"))
            case 9 if self._words:
                return chance.choice(self._words)
            case 10:
                return self.integer(chance)
            case _:
                return self._marked(slot, chance)

    # ------------------------------------------------------------------ neighbours

    def near(self, value: bytes, slot: Slot, chance: Random) -> bytes:
        """The value with a small change that keeps its kind; a new value where it has no part of
        that kind."""
        pieces = value.split(b",")
        if len(pieces) > 1 or (Kind.RANGES in slot.kinds and chance.random() < 0.4):
            return self._near_list(pieces, slot, chance)
        if Kind.RANGES in slot.kinds and b"-" in value[1:]:
            low, _, high = value.partition(b"-")
            low, high = chance.choice(
                ((self._near_number(low, chance), high), (low, b""), (low, self._bound(chance)))
            )
            return low + b"-" + high
        if re.search(rb"\d", value) and chance.random() < 0.9:
            return self._near_number(value, chance)
        if value and Kind.FORMAT in slot.kinds:
            place = chance.randrange(len(value) + 1)
            return (
                value[:place]
                + chance.choice((b"%", b"0", b"5", b".", b"-", b"g", b"f", b"x"))
                + value[place:]
            )
        return self.drawn(slot, chance)

    def _near_list(self, pieces: list[bytes], slot: Slot, chance: Random) -> bytes:
        place = chance.randrange(len(pieces))
        match chance.randrange(6):
            case 0 | 1:
                pieces = [*pieces[:place], self._range(slot, chance), *pieces[place:]]
            case 2 if len(pieces) > 1:
                pieces = [*pieces[:place], *pieces[place + 1 :]]
            case 3 if len(pieces) > 1:
                pieces = chance.sample(pieces, len(pieces))
            case 4:
                pieces = [*pieces, pieces[place]]
            case _:
                pieces = [*pieces[:place], self._range(slot, chance), *pieces[place + 1 :]]
        return b",".join(pieces)

    def _near_number(self, text: bytes, chance: Random) -> bytes:
        found = _NUMBER.fullmatch(text)
        if found is None or not found[2] + (found[3] or b""):
            return self.integer(chance)
        sign, whole, fraction, rest = found[1], found[2], found[3], found[4]
        match chance.randrange(8):
            case 0 | 1:
                whole = str(max(0, int(whole[:18] or b"0") + chance.choice((-1, 1)))).encode()
            case 2:
                whole += b"0"
            case 3:
                sign = b"" if sign else chance.choice((b"-", b"-", b"+", b" "))
            case 4:
                fraction = (fraction or b"") + chance.choice((b"0", b"1", b"5"))
            case 5 if fraction:
                fraction = fraction[:-1] or None
            case 6 if whole:
                whole = whole[:-1] if fraction else chance.choice((b"1", b"9", b"10", b"99", b"8"))
            case _:
                rest = b"" if rest else chance.choice((b"", b"e1", b"e-1", b".", b" "))
        return sign + whole + (b"" if fraction is None else b"." + fraction) + rest
