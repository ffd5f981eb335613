"""Floating constants as bit patterns."""

from __future__ import annotations

import struct
import subprocess
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csg.lower.floats import number, parse, pattern, resize


@pytest.mark.parametrize(
    ("text", "width", "bits"),
    [
        ("0.1", 32, 0x3DCCCCCD),
        ("0x1.8p1", 64, 0x4008000000000000),
        ("1.0", 80, 0x3FFF8000000000000000),
        ("0.1", 80, 0x3FFBCCCCCCCCCCCCCCCD),
        ("1e400", 64, 0x7FF0000000000000),
        ("1e-400", 64, 0),
        ("4.9e-324", 64, 1),
        ("3e-4951", 80, 1),  # rounds up to the least denormal
        ("1e5000", 80, 0x7FFF8000000000000000),
        ("16777217", 32, 0x4B800000),
        (".5f", 32, 0x3F000000),
        ("0x.8p0", 32, 0x3F000000),
        ("1.F", 32, 0x3F800000),
    ],
)
def test_a_constant_is_rounded_to_nearest(text: str, width: int, bits: int) -> None:
    assert pattern(parse(text), width) == bits


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_doubles_survive(value: float) -> None:
    bits = int.from_bytes(struct.pack("<d", value), "little")
    assert pattern(number(bits, 64), 64, negative=bool(bits >> 63)) == bits
    assert resize(resize(bits, 64, 80), 80, 64) == bits


@pytest.mark.parametrize(
    ("narrow", "wide"),
    [
        (0x7F800000, 0x7FF0000000000000),
        (0xFF800000, 0xFFF0000000000000),
        (0x7FC00000, 0x7FF8000000000000),
        (0xFFC00001, 0xFFF8000020000000),
    ],
)
def test_what_is_no_number_stays_what_it_is(narrow: int, wide: int) -> None:
    assert resize(narrow, 32, 64) == wide
    assert resize(wide, 64, 32) == narrow
    assert resize(resize(wide, 64, 80), 80, 64) == wide


@given(st.floats(allow_nan=False, allow_infinity=False, width=64))
def test_narrowing_rounds_as_the_host_does(value: float) -> None:
    bits = int.from_bytes(struct.pack("<d", value), "little")
    try:
        expected = int.from_bytes(struct.pack("<f", value), "little")
    except OverflowError:
        expected = 0x7F800000 | (bits >> 63) << 31
    assert resize(bits, 64, 32) == expected


def test_long_double_constants_are_those_of_gcc(tmp_path: Path) -> None:
    texts = ["0.1", "3.14159265358979323846264338", "1e-4940", "2.5e4000", "0x1.123456789abcdefp-7"]
    values = ", ".join(f"{text}L" for text in texts)
    source = tmp_path / "constants.c"
    source.write_text(
        f"#include <stdio.h>\nlong double v[] = {{{values}}};\nint main(void) {{"
        f" for (int i = 0; i < {len(texts)}; i++) {{ unsigned char *p = (void *)&v[i];"
        ' for (int k = 9; k >= 0; k--) printf("%02x", p[k]); puts(""); } return 0; }'
    )
    subprocess.run(["gcc", "-w", str(source), "-o", str(tmp_path / "constants")], check=True)
    done = subprocess.run([str(tmp_path / "constants")], capture_output=True, text=True, check=True)
    assert [f"{pattern(parse(text), 80):020x}" for text in texts] == done.stdout.split()


def test_the_value_of_a_pattern_is_exact() -> None:
    assert number(0x3FF8000000000000, 64) == Fraction(3, 2)
    assert number(1, 80) == Fraction(2) ** -16445
