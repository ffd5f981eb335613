"""SMT-LIB's functions, however a solver spells them.

builder.apply("bvadd", a, b)            builder.float_apply("fp.add", x, y)
"""

from __future__ import annotations

from typing import Any, Protocol

Handle = Any  # a term of the solver; each backend knows its type

ROUNDED = frozenset(("fp.add", "fp.sub", "fp.mul", "fp.div", "fp.sqrt"))


class Builder(Protocol):
    def boolean(self, value: bool) -> Handle: ...

    def number(self, width: int, value: int) -> Handle: ...

    def symbol(self, name: str, width: int) -> Handle: ...

    def zero_array(self) -> Handle: ...

    def apply(self, function: str, *args: Handle) -> Handle:
        """An SMT-LIB function without indices."""

    def extract(self, a: Handle, high: int, low: int) -> Handle: ...

    def extend(self, a: Handle, more: int, signed: bool) -> Handle: ...

    # Floats: ``exponent`` and ``significand`` are the indices of SMT-LIB's sort. Operations round
    # to nearest, ties to even; conversions to integers towards zero.

    def float_of_bits(self, exponent: int, significand: int, bits: Handle) -> Handle: ...

    def bits_of_float(
        self, name: str, exponent: int, significand: int, number: Handle
    ) -> tuple[Handle, Handle | None]:
        """A bit-vector that is the number's pattern, if the number is no NaN and the second part
        (if any) is asserted."""

    def float_apply(self, function: str, *args: Handle) -> Handle: ...

    def float_of_float(self, exponent: int, significand: int, number: Handle) -> Handle: ...

    def float_of_integer(
        self, exponent: int, significand: int, bits: Handle, signed: bool
    ) -> Handle: ...

    def integer_of_float(self, width: int, number: Handle) -> Handle:
        """A signed integer; any value if it does not fit."""
