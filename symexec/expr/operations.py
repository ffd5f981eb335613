"""The operations on values, one function each, for an int, a term, or a pair of versions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Union

from symexec.expr import arrays, concrete
from symexec.expr.terms import Operand, Term, Terms

# --------------------------------------------------------------------------------------- shadowed
# A value as both versions see it.
#
# shadowed(x, x + 1)   ->  Shadowed(old=x, new=x + 1)
# shadowed(x, x)       ->  x                            equal halves collapse
# Shadowed(1, 2) + 5   ->  Shadowed(6, 7)
# Shadowed(x, 3) * 0   ->  0


Data = Union[int, Term, "Shadowed"]


def shadowed(old: Operand, new: Operand) -> Data:
    """The pair; or the plain value when both versions see the same one."""
    if old is new or (isinstance(old, int) and old == new):
        return old
    return Shadowed(old, new)


def old_half(value: Data) -> Operand:
    return value.old if isinstance(value, Shadowed) else value


def new_half(value: Data) -> Operand:
    return value.new if isinstance(value, Shadowed) else value


def halves(value: Data) -> tuple[Operand, ...]:
    """The values that the versions see; one value when it is the same for both."""
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


# ------------------------------------------------------------------------------------- operations
# The operations on values, one function each, for an int, a term, or a pair of versions.
#
#     binary("add", 32, 2, 3)                ->  5
#     binary("add", 32, x, 3)                ->  a term
#     binary("add", 32, Shadowed(x, 1), 3)   ->  Shadowed(x + 3, 4)
#
# Ints are 0 <= v < 2**width, operands have the width named, and so has the result (comparisons: 1).


def _on_halves(function: Callable[[Operand, Operand], Operand], a: Data, b: Data) -> Data:
    return shadowed(function(old_half(a), old_half(b)), function(new_half(a), new_half(b)))


def binary(op: str, width: int, a: Data, b: Data) -> Data:
    """add sub mul udiv sdiv urem srem and or xor shl lshr ashr"""
    if isinstance(a, Term) and not isinstance(b, Shadowed):
        return a.table.binary(op, width, a, b)
    if isinstance(a, int):
        if isinstance(b, int):
            return concrete.BINARY[op](width, a, b)
        if isinstance(b, Term):
            return b.table.binary(op, width, a, b)
    return shadowed(
        _plain(binary(op, width, old_half(a), old_half(b))),
        _plain(binary(op, width, new_half(a), new_half(b))),
    )


def _plain(value: Data) -> Operand:
    assert not isinstance(value, Shadowed)
    return value


def unary(op: str, width: int, a: Data) -> Data:
    """neg not"""
    if isinstance(a, int):
        return concrete.UNARY[op](width, a)
    if isinstance(a, Term):
        return a.table.unary(op, width, a)
    return shadowed(_plain(unary(op, width, a.old)), _plain(unary(op, width, a.new)))


def negate(condition: Data) -> Data:
    return unary("not", 1, condition)


def compare(op: str, width: int, a: Data, b: Data) -> Data:
    """eq ne ult ule slt sle"""
    if isinstance(a, Term) and not isinstance(b, Shadowed):
        return a.table.compare(op, width, a, b)
    if isinstance(a, int):
        if isinstance(b, int):
            return concrete.COMPARE[op](width, a, b)
        if isinstance(b, Term):
            return b.table.compare(op, width, a, b)
    return shadowed(
        _plain(compare(op, width, old_half(a), old_half(b))),
        _plain(compare(op, width, new_half(a), new_half(b))),
    )


def extend(a: Data, source_width: int, width: int, signed: bool) -> Data:
    if isinstance(a, int):
        return concrete.sign_extend(source_width, width, a) if signed else a
    if isinstance(a, Term):
        widen = a.table.sext if signed else a.table.zext
        return widen(a, source_width, width)
    return shadowed(
        _plain(extend(a.old, source_width, width, signed)),
        _plain(extend(a.new, source_width, width, signed)),
    )


def extract(a: Data, low: int, width: int) -> Data:
    """``width`` bits from bit ``low`` upwards."""
    if isinstance(a, int):
        return (a >> low) & ((1 << width) - 1)
    if isinstance(a, Term):
        return a.table.extract(a, low, width)
    return shadowed(_plain(extract(a.old, low, width)), _plain(extract(a.new, low, width)))


def truncate(a: Data, width: int) -> Data:
    return extract(a, 0, width)


def concat(high: Data, high_width: int, low: Data, low_width: int) -> Data:
    if isinstance(high, Shadowed) or isinstance(low, Shadowed):
        return _on_halves(
            lambda x, y: _plain(concat(x, high_width, y, low_width)),
            high,
            low,
        )
    table = _table(high, low)
    if table is None:
        return _number(high) << low_width | _number(low)
    return table.concat(high, high_width, low, low_width)


def ite(condition: Data, a: Data, b: Data, width: int) -> Data:
    if isinstance(condition, int):
        return a if condition else b
    if isinstance(condition, Shadowed) or isinstance(a, Shadowed) or isinstance(b, Shadowed):
        return shadowed(
            _plain(ite(old_half(condition), old_half(a), old_half(b), width)),
            _plain(ite(new_half(condition), new_half(a), new_half(b), width)),
        )
    return condition.table.ite(condition, a, b, width)


def conjunction(terms: Iterable[Data]) -> Data:
    result: Data = 1
    for term in terms:
        result = binary("and", 1, result, term)
    return result


def disjunction(terms: Iterable[Data]) -> Data:
    result: Data = 0
    for term in terms:
        result = binary("or", 1, result, term)
    return result


def _table(*values: Operand) -> Terms | None:
    return next((value.table for value in values if isinstance(value, Term)), None)


def _number(value: Operand) -> int:
    assert isinstance(value, int)
    return value


# ---------------------------------------------------------------------- arrays


@dataclass(frozen=True, slots=True)
class ShadowedArray:
    """An array that the versions see differently."""

    old: arrays.Array
    new: arrays.Array


ArrayData = bytes | Term | ShadowedArray


def _shadowed_array(old: arrays.Array, new: arrays.Array) -> ArrayData:
    return old if old is new or old == new else ShadowedArray(old, new)


def _array_halves(array: ArrayData) -> tuple[arrays.Array, arrays.Array]:
    return (array.old, array.new) if isinstance(array, ShadowedArray) else (array, array)


def array_of(elements: Sequence[Data] | bytes) -> ArrayData:
    """An array of these bytes (see arrays.py)."""
    if isinstance(elements, bytes):
        return elements
    return _shadowed_array(
        arrays.of([old_half(element) for element in elements]),
        arrays.of([new_half(element) for element in elements]),
    )


def array_store(array: ArrayData, index: Data, byte: Data) -> ArrayData:
    old, new = _array_halves(array)
    return _shadowed_array(
        arrays.store(old, old_half(index), old_half(byte)),
        arrays.store(new, new_half(index), new_half(byte)),
    )


def array_select(array: ArrayData, index: Data) -> Data:
    if not isinstance(array, ShadowedArray) and not isinstance(index, Shadowed):
        return arrays.select(array, index)
    old, new = _array_halves(array)
    return shadowed(arrays.select(old, old_half(index)), arrays.select(new, new_half(index)))
