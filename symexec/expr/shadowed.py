"""A value as both versions see it.

shadowed(x, x + 1)   ->  Shadowed(old=x, new=x + 1)
shadowed(x, x)       ->  x                            equal halves collapse
Shadowed(1, 2) + 5   ->  Shadowed(6, 7)
Shadowed(x, 3) * 0   ->  0
"""

from __future__ import annotations

from typing import Any, Union

from symexec.expr.terms import Operand, Term

Data = Union[int, Term, "Shadowed"]


def shadowed(old: Operand, new: Operand) -> Data:
    """The pair, or the plain value when both versions see the same one."""
    if old is new or (isinstance(old, int) and old == new):
        return old
    return Shadowed(old, new)


def old_half(value: Data) -> Operand:
    return value.old if isinstance(value, Shadowed) else value


def new_half(value: Data) -> Operand:
    return value.new if isinstance(value, Shadowed) else value


def halves(value: Data) -> tuple[Operand, ...]:
    """What the versions see; one value when it is the same for both."""
    return (value.old, value.new) if isinstance(value, Shadowed) else (value,)


class Shadowed:
    """``old`` and ``new`` differ. The operators serve generated code. An int half does not know its
    width: its result is unwrapped until the ``& mask`` that follows in generated code."""

    __slots__ = ("new", "old")

    old: Operand
    new: Operand

    def __init__(self, old: Operand, new: Operand) -> None:
        self.old = old
        self.new = new

    def __repr__(self) -> str:
        return f"Shadowed({self.old!r}, {self.new!r})"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Shadowed)
            and _same(self.old, other.old)
            and _same(self.new, other.new)
        )

    def __hash__(self) -> int:
        return hash((self.old, self.new))

    def __add__(self, other: Any) -> Data:
        return shadowed(self.old + old_half(other), self.new + new_half(other))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Data:
        return shadowed(self.old - old_half(other), self.new - new_half(other))

    def __rsub__(self, other: Any) -> Data:
        return shadowed(old_half(other) - self.old, new_half(other) - self.new)

    def __mul__(self, other: Any) -> Data:
        return shadowed(self.old * old_half(other), self.new * new_half(other))

    __rmul__ = __mul__

    def __and__(self, other: Any) -> Data:
        return shadowed(self.old & old_half(other), self.new & new_half(other))

    __rand__ = __and__

    def __or__(self, other: Any) -> Data:
        return shadowed(self.old | old_half(other), self.new | new_half(other))

    __ror__ = __or__

    def __xor__(self, other: Any) -> Data:
        return shadowed(self.old ^ old_half(other), self.new ^ new_half(other))

    __rxor__ = __xor__

    def __lshift__(self, count: int) -> Data:
        return shadowed(self.old << count, self.new << count)

    def __rshift__(self, count: int) -> Data:
        return shadowed(self.old >> count, self.new >> count)

    def __neg__(self) -> Data:
        return shadowed(-self.old, -self.new)


def _same(a: Operand, b: Operand) -> bool:
    return a is b or (isinstance(a, int) and a == b)
