"""Texts that a user would write where a value of some kind is wanted, and texts near to one.

    integer      3   10   0   -1            near 10: 9, 11, 100, -10, +10
    fraction     1   .5   1.25   -.1        near .5: 1.5, .50, .51, 5e-1
    ranges       2   1-3   2-,4             near 1-3: 1-2, 1-, 1-3,5
    format       %g  %5.1f  x%gy

What is common comes often: half of the numbers are small, one in ten has an odd spelling.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random

from symexec.fuzzing.usage import Kind, Slot
from symexec.fuzzing.vocabulary import Vocabulary

STRAY = 0.04  # share of values that are of another kind than the one that is wanted
SEPARATORS = b",:;_ \t/=|.-"
CONVERSIONS = ("g", "f", "e", "d", "s", "x", "a", "u", "i", "c", "E", "G")
_NUMBER = re.compile(rb"([ +-]*)(\d*)(?:\.(\d*))?(.*)", re.DOTALL)
_HUGE = (1 << 31, 1 << 32, 1 << 63, 1 << 64, 10**9, 10**19, 10**30)


class Texts:
    """Draws values. Numbers of the program's text are among them, those of the changes
    (``changed``) more often."""

    def __init__(self, words: Vocabulary, changed: Sequence[int] = ()) -> None:
        self._changed = [*changed]
        self._numbers = [each for each in words.numbers if 0 <= each < 1 << 20] or [8]
        self._words = [each for each in words.words if len(each) <= 16]
        self._separators = bytes(dict.fromkeys(words.separators + SEPARATORS))

    def drawn(self, slot: Slot, chance: Random, stray: float = STRAY) -> bytes:
        """A value for the place."""
        kinds: Sequence[Kind] = slot.kinds
        if chance.random() < stray:
            kinds = tuple(Kind)
        return self._of(self._likely(kinds, chance), slot, chance)

    @staticmethod
    def _likely(kinds: Sequence[Kind], chance: Random) -> Kind:
        """What the text of the program says first is likelier than what comes later."""
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
        """Fractions of one to three digits, with and without what stands before the point."""
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
        """The same number as few write it."""
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
        """One conversion, mostly one that the program knows."""
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
        """A small change that keeps the kind; a new value where nothing of the kind is there."""
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
