"""Floating numbers as printf writes them, against this machine's C library."""

from __future__ import annotations

import ctypes
import random
import struct
from collections.abc import Callable

import pytest

from symexec.runtime.formats.directives import Conversion, float_text, parse

ROUNDS = 12_000
ROOM = 30_000  # bytes of a text
NEAR_A_POWER = (0.5, 1.5, 2.5, 9.5, 99.5, 0.05, 9.9995, 99995.0, 0.1, 1e22, 999999.5, 9.9999995e-5)


class _LongDouble(ctypes.c_longdouble):
    """A subclass is handed over as its bytes, not as a number of Python's."""


class _Double(ctypes.c_double):
    pass


def host_text(text: str, bits: int, pattern: int) -> bytes:
    kind = _LongDouble if bits == 80 else _Double
    value = kind.from_buffer_copy(pattern.to_bytes(ctypes.sizeof(kind), "little"))
    room = ctypes.create_string_buffer(ROOM)
    ctypes.CDLL(None).snprintf(room, ctypes.c_size_t(ROOM), text.encode(), value)
    return room.value


def test_every_conversion_writes_what_the_host_writes(
    interesting: Callable[[random.Random, int], int],
) -> None:
    rng = random.Random(7)
    for turn in range(ROUNDS):
        bits = rng.choice([64, 80])
        pattern = interesting(rng, bits)
        if turn % 4 == 0:
            number = rng.choice(NEAR_A_POWER) * rng.choice([1, 10, -1])
            bits, pattern = 64, struct.unpack("<Q", struct.pack("<d", number))[0]
        if bits == 80 and bool(pattern >> 64 & 0x7FFF) != bool(pattern >> 63 & 1):
            continue  # no number that the processor makes
        letter = rng.choice("efgaEFGA")
        flags = "".join(rng.sample("0-+ #", rng.randrange(3)))
        if "#" in flags and letter in "gG":
            continue  # glibc itself loses zeros where it rounds up to the next power of ten
        width, precision = rng.choice(["", "5", "20"]), rng.choice(["", ".0", ".1", ".3", ".17"])
        text = f"%{flags}{width}{precision}{'L' if bits == 80 else ''}{letter}"
        (conversion,) = parse(text.encode())
        assert isinstance(conversion, Conversion)
        found = float_text(conversion, pattern)
        assert bytes(map(int, found)) == host_text(text, bits, pattern), (text, hex(pattern))  # type: ignore[arg-type]


@pytest.mark.parametrize("precision", [0, 3999, 4000, 4300, 9000, 20_000])
@pytest.mark.parametrize("letter", "feg")
@pytest.mark.parametrize("exponent", [0, 0x3FFF, 0x7FFE])
def test_thousands_of_digits_are_those_of_the_host(
    letter: str, precision: int, exponent: int
) -> None:
    """Of the largest long double, of one and of a small one: more than Python converts at once."""
    mantissa = (1 << 64) - 1 if exponent else (1 << 63) - 1
    text = f"%.{precision}L{letter}"
    (conversion,) = parse(text.encode())
    assert isinstance(conversion, Conversion)
    found = float_text(conversion, exponent << 64 | mantissa)
    assert bytes(map(int, found)) == host_text(text, 80, exponent << 64 | mantissa)  # type: ignore[arg-type]
