"""Small and borderline values of C types, the likeliest to matter first.

pool of int x with --range x=-2..300, constants 7       0 1 -1 2 -2 ... 6 7 8 ... 299 300
pool of char *s, alphabet "0-"                          "" "0" "-" "00" "0-" "-0" ...
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Sequence
from itertools import islice, product
from random import Random
from typing import TypeVar

from symexec.fuzzing.vocabulary import Vocabulary
from symexec.options import Range
from symexec.testcases import Scalar, Value
from symexec.testcases.signature import Parameter

Item = TypeVar("Item")

SMALL = 16  # integers around zero
ALL_OF = 4096  # a range of so many values is tried in full
STRINGS = 20_000
LARGEST_FLOAT = 3.4028234663852886e38
_FLOATS = (0.0, 1.0, -1.0, 0.5, 2.0, -0.0, 1e9, -1e9, 1e-9, 1e300, float("inf"), float("-inf"))


class Values:
    """What one parameter can be. ``pool`` is enumerated, ``drawn`` draws from everything."""

    def __init__(
        self, parameter: Parameter, words: Vocabulary, length: int, bounds: Range | None
    ) -> None:
        self.parameter = parameter
        self._words = words
        self._length = _length(parameter, length)
        self._bounds = bounds
        self._own = [
            word
            for word in words.words
            if len(word) <= self._length and all(map(self._allows, word))
        ]
        self._numbers = [] if parameter.floating else self._numbers_of_source()
        self._scalars = self._scalar_pool()
        self.pool: list[Value] = self._pool()
        # The pool is all there is.
        self.complete = parameter.kind == "scalar" and not parameter.floating and self._few()

    @property
    def telling(self) -> list[Value]:
        """What the program's text speaks of: its words, or its numbers and the smallest."""
        match self.parameter.kind:
            case "scalar":
                return list(dict.fromkeys([*self._scalars[:4], *self._numbers]))
            case "string" | "pointer":
                return list(self._own)
            case _:
                return []

    # ------------------------------------------------------------------ enumeration

    def _few(self) -> bool:
        low, high = self._limits()
        return high - low < ALL_OF

    def _limits(self) -> tuple[int, int]:
        width, signed = self.parameter.width, self.parameter.signed
        low = -(1 << (width - 1)) if signed else 0
        high = (1 << (width - signed)) - 1
        if self._bounds is not None:
            low, high = max(low, self._bounds.low), min(high, self._bounds.high)
        return low, high

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
        if self.parameter.kind == "structure":  # null, or there; its parts have values of their own
            further = bool(self.parameter.owner)
            return [None, ()] if further else [(), None] if self.parameter.nullable else [()]
        found = self._plain_pool()
        return [*found[:1], None, *found[1:]] if self.parameter.nullable else found

    def _plain_pool(self) -> list[Value]:
        match self.parameter.kind:
            case "scalar":
                return list(self._scalars)
            case "string" | "pointer":
                return list(self._strings())
            case _:
                return list(islice(growing([self._scalars] * self._length), STRINGS))

    def _rounded(self, number: float) -> float:
        """As the parameter's own type has it; what a float cannot hold is infinite."""
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
        if self.parameter.kind == "structure":
            return chance.choice(self.pool)
        if self.parameter.nullable and chance.random() < 0.125:
            return None
        match self.parameter.kind:
            case "scalar":
                return self._random_scalar(chance)
            case "string" | "pointer":
                alphabet = self._words.alphabet
                length = chance.randint(0, self._length)
                return bytes(
                    chance.choice(alphabet) if chance.random() < 0.9 else chance.randint(1, 255)
                    for _ in range(length)
                )
            case _:
                return tuple(self._random_scalar(chance) for _ in range(self._length))

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
        """One part of it changed."""
        match value:
            case bytes() if self._own and chance.random() < 0.125:
                return chance.choice(self._own)
            case bytes():
                return mutated_bytes(value, self._words.alphabet, self._length, chance)
            case tuple() if value and self.parameter.kind != "structure":
                place = chance.randrange(len(value))
                return (*value[:place], self._random_scalar(chance), *value[place + 1 :])
            case _:
                return self.drawn(chance)


def _length(parameter: Parameter, length: int) -> int:
    """How many elements an array has at most; one in a structure has its place there."""
    if not parameter.room:
        return length
    return min(length, parameter.room // parameter.size - (parameter.kind == "string"))


def mutated_bytes(data: bytes, alphabet: bytes, most: int, chance: Random) -> bytes:
    """A byte put in, taken out or replaced."""
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
    """Rows of the first 1, 2, 4, ... values of each pool, every row once: small before large."""
    size, before = 1, 0
    longest = max(map(len, pools), default=1)
    while before < longest:
        yield from grown(pools, before, size)
        size, before = 2 * size, size


def grown(pools: Sequence[Sequence[Item]], before: int, size: int) -> Iterator[tuple[Item, ...]]:
    """Rows of the first ``size`` values of each pool that are not rows of the first ``before``."""
    for places in product(*(range(min(size, len(pool))) for pool in pools)):
        if before == 0 or max(places, default=0) >= before:
            yield tuple(pool[place] for pool, place in zip(pools, places, strict=True))
