"""Values for the inputs of a case: forced ones, boundaries among them, and ranges to leave free.

Cell(0, 4, -2**31, 2**31 - 1, (-1, 0, 255)).draw(chance)     255, 2147483647, -1, 77 ...
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

FLOAT_FIELDS = {32: (8, 23), 64: (11, 52), 80: (15, 64)}


@dataclass(frozen=True, slots=True)
class Cell:
    """A scalar in an input: ``size`` bytes at ``offset``. It holds a number from ``low`` to
    ``high``, often one of ``favourites``; with ``floating`` any pattern of bits."""

    offset: int
    size: int
    low: int
    high: int
    favourites: tuple[int, ...] = ()
    floating: bool = False

    @property
    def bits(self) -> int:
        return 8 * self.size

    def draw(self, chance: random.Random) -> int:
        """A value as unsigned bits."""
        if self.floating:
            return usual_float(interesting_float(chance, self.bits), self.bits)
        kind = chance.random()
        usual = [each for each in self.favourites if self.low <= each <= self.high]
        if usual and kind < 0.6:
            value = chance.choice(usual)
        elif kind < 0.75:
            value = chance.choice((self.low, self.high, self.high - 1, self.low + 1))
        elif kind < 0.85:  # near a power of two
            power = 1 << chance.randrange(self.bits)
            value = chance.choice((power, power - 1, -power, power + 1, 1 - power, -1 - power))
        else:
            value = chance.randint(self.low, self.high)
        return min(max(value, self.low), self.high) & ((1 << self.bits) - 1)

    def range(self, chance: random.Random) -> tuple[int, int]:
        """What may be left free: everything, or what lies around a value."""
        if self.floating or chance.random() < 0.3:
            return self.low, self.high
        value = self.signed(self.draw(chance))
        reach = chance.choice((1, 3, 40))
        return max(self.low, value - reach), min(self.high, value + reach)

    def signed(self, value: int) -> int:
        """The number that bits mean."""
        return value - (1 << self.bits) if self.low < 0 and value >> (self.bits - 1) else value


@dataclass(frozen=True, slots=True)
class Input:
    """An object of a case: ``cells`` of it are drawn, ``rest`` holds its other bytes."""

    name: str
    declaration: str
    size: int
    cells: tuple[Cell, ...]
    rest: bytes

    def values(self, chance: random.Random) -> tuple[int, ...]:
        return tuple(cell.draw(chance) for cell in self.cells)

    def data(self, values: Sequence[int]) -> bytes:
        """The object's bytes when its cells hold these values."""
        found = bytearray(self.rest)
        for cell, value in zip(self.cells, values, strict=True):
            found[cell.offset : cell.offset + cell.size] = value.to_bytes(cell.size, "little")
        return bytes(found)


def interesting_float(rng: random.Random, bits: int) -> int:
    """Patterns near the borders as often as ordinary ones."""
    exponent_bits, stored = FLOAT_FIELDS[bits]
    top = (1 << exponent_bits) - 1
    bias = top >> 1
    exponent = rng.choice(
        [0, 1, top, top - 1, bias, bias + rng.randint(-70, 70), rng.randint(0, top)]
    )
    fraction = rng.choice(
        [0, 1, (1 << stored) - 1, 1 << (stored - 1), 1 << (stored - 2), 3 << (stored - 3)]
        + [rng.getrandbits(stored)] * 4
        + [rng.getrandbits(12) << (stored - 12)]
    )
    if bits == 80 and rng.random() < 0.9:  # mostly the leading bit that belongs to the exponent
        fraction = fraction & ~(1 << 63) | (1 << 63 if exponent else 0)
    return (rng.getrandbits(1) << exponent_bits | exponent) << stored | fraction


def usual_float(value: int, bits: int) -> int:
    """The same number; quiet when it is none, and in 80 bits as the processor would write it."""
    exponent_bits, stored = FLOAT_FIELDS[bits]
    top = (1 << exponent_bits) - 1
    exponent = value >> stored & top
    if bits == 80:
        value = value | 1 << 63 if exponent else value & ~(1 << 63)
    fraction = value & ((1 << (63 if bits == 80 else stored)) - 1)
    if exponent == top and fraction:
        value |= 1 << (62 if bits == 80 else stored - 1)
    return value
