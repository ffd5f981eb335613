"""Random expressions, built twice: with the rules of simplification, and as they stand; and
random patterns of floats.

Recipe("add", 32, (x, 5))  ->  folded: table.binary(...)      raw: table.node("add", ...)
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from oracles.models.drawing import interesting_float
from symexec.expr import Operand, Term, TermTable

BINARY = ("add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "and", "or", "xor")
SHIFTS = ("shl", "lshr", "ashr")
COMPARE = ("eq", "ne", "ult", "ule", "slt", "sle")
WIDTHS = (1, 3, 8, 16)


@dataclass(frozen=True)
class Both:
    """The same expression simplified and as it stands."""

    folded: Operand
    raw: Term


class RandomTerms:
    """``one_bit_arithmetic`` off: what is meaningful to a solver too, where width 1 is Bool."""

    def __init__(
        self, seed: int, widths: tuple[int, ...] = WIDTHS, one_bit_arithmetic: bool = True
    ) -> None:
        self.one_bit_arithmetic = one_bit_arithmetic
        self.random = random.Random(seed)
        self.table = TermTable()
        self.widths = widths

    def symbols(self) -> list[Term]:
        return [self.table.symbol(f"{name}{w}", w) for w in self.widths for name in "xy"]

    def leaf(self, width: int) -> Both:
        if width in self.widths and self.random.random() < 0.6:
            symbol = self.table.symbol(f"{self.random.choice('xy')}{width}", width)
            return Both(symbol, symbol)
        top = (1 << width) - 1
        value = self.random.choice(
            [0, 1, top, top >> 1, (top >> 1) + 1, 2, 1 << self.random.randrange(width)]
            + [self.random.randint(0, top)] * 3
        )
        value &= top
        return Both(value, self.table.constant(width, value))

    def build(self, width: int, depth: int) -> Both:
        if depth == 0 or self.random.random() < 0.1:
            return self.leaf(width)
        kinds = ["binary", "binary", "shift", "unary", "ite"]
        if width == 1 and not self.one_bit_arithmetic:
            kinds = ["logic", "negation", "ite"]
        if width == 1:
            kinds += ["compare"] * 4
        if width > 1:
            kinds += ["concat", "extend", "extend"]
        if max(self.widths) > width:
            kinds += ["extract", "extract"]
        return getattr(self, "_" + self.random.choice(kinds))(width, depth - 1)

    def _binary(self, width: int, depth: int) -> Both:
        return self._two(self.random.choice(BINARY), width, depth)

    def _logic(self, width: int, depth: int) -> Both:
        return self._two(self.random.choice(("and", "or", "xor")), width, depth)

    def _negation(self, width: int, depth: int) -> Both:
        a = self.build(width, depth)
        return Both(self.table.negate(a.folded), self.table.node("not", 1, (a.raw,)))

    def _two(self, op: str, width: int, depth: int) -> Both:
        a, b = self.build(width, depth), self.build(width, depth)
        if self.random.random() < 0.1:
            b = a
        return self.binary(op, width, a, b)

    def binary(self, op: str, width: int, a: Both, b: Both) -> Both:
        folded = self.table.binary(op, width, a.folded, b.folded)
        return Both(folded, self.table.node(op, width, (a.raw, b.raw)))

    def _shift(self, width: int, depth: int) -> Both:
        return self._two(self.random.choice(SHIFTS), width, depth)

    def _compare(self, width: int, depth: int) -> Both:
        least = 1 if self.one_bit_arithmetic else 2
        width = self.random.choice([w for w in self.widths if w >= least])
        a, b = self.build(width, depth), self.build(width, depth)
        op = self.random.choice(COMPARE)
        folded = self.table.compare(op, width, a.folded, b.folded)
        if op == "ne":
            equal = self.table.node("eq", 1, (a.raw, b.raw))
            return Both(folded, self.table.node("not", 1, (equal,)))
        return Both(folded, self.table.node(op, 1, (a.raw, b.raw)))

    def _unary(self, width: int, depth: int) -> Both:
        op = self.random.choice(("neg", "not"))
        a = self.build(width, depth)
        return Both(self.table.unary(op, width, a.folded), self.table.node(op, width, (a.raw,)))

    def _extend(self, width: int, depth: int) -> Both:
        source = self.random.choice([w for w in self.widths if w < width] or [width - 1])
        a = self.build(source, depth)
        if self.random.random() < 0.5:
            return Both(
                self.table.zext(a.folded, source, width), self.table.node("zext", width, (a.raw,))
            )
        return Both(
            self.table.sext(a.folded, source, width), self.table.node("sext", width, (a.raw,))
        )

    def _extract(self, width: int, depth: int) -> Both:
        source = self.random.choice([w for w in self.widths if w > width])
        low = self.random.choice((0, 0, self.random.randrange(source - width + 1), source - width))
        a = self.build(source, depth)
        return Both(
            self.table.extract(a.folded, low, width),
            self.table.node("extract", width, (a.raw,), low),
        )

    def _concat(self, width: int, depth: int) -> Both:
        low_width = self.random.randrange(1, width)
        high, low = self.build(width - low_width, depth), self.build(low_width, depth)
        return Both(
            self.table.concat(high.folded, width - low_width, low.folded, low_width),
            self.table.node("concat", width, (high.raw, low.raw)),
        )

    def _ite(self, width: int, depth: int) -> Both:
        condition = self.build(1, depth)
        a, b = self.build(width, depth), self.build(width, depth)
        return Both(
            self.table.ite(condition.folded, a.folded, b.folded, width),
            self.table.node("ite", width, (condition.raw, a.raw, b.raw)),
        )


@pytest.fixture(name="random_terms")
def random_terms_class() -> type[RandomTerms]:
    return RandomTerms


@pytest.fixture(name="interesting")
def interesting_float_function() -> Callable[[random.Random, int], int]:
    return interesting_float
