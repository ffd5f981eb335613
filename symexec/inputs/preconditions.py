"""Inferred preconditions, as conditions on the terms of a start, and as ranges to draw from.

n <= elements of a, a of 4 elements     n <= 4         where a is not null
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from csg.analysis.preconditions import Length, Precondition
from csg.language.types import Type, is_integer, is_signed, value_bits
from symexec.expr import Operand
from symexec.inputs.assumptions import Named
from symexec.options import InputOptions, Range
from symexec.runtime.operands import holds


def conditions(
    given: Sequence[Precondition], named: Mapping[str, Named], sizes: Mapping[str, int]
) -> Iterator[Operand]:
    """``sizes``: the bytes of the objects that there are, by what leads to them."""
    for each in given:
        match each.claim:
            case Length(pointer=pointer, number=number, unit=unit):
                known = named.get(number)
                if pointer in sizes and known is not None and known.scalar and known.terms:
                    yield _at_most(known.terms[0], known.element, sizes[pointer] // unit)


def _at_most(term: Operand, kind: Type, bound: int) -> Operand:
    if not is_integer(kind):
        return 1
    width, signed = value_bits(kind), is_signed(kind)
    if bound >= (1 << (width - signed)) - 1:
        return 1
    return holds("sle" if signed else "ule", width, term, bound)


def range_of(name: str, options: InputOptions, sizes: Mapping[str, int]) -> Range | None:
    """Outside of it no input keeps to what is given and inferred of ``name``."""
    found = options.range_of(name)
    for each in options.preconditions:
        match each.claim:
            case Length(pointer=pointer, number=number, unit=unit) if number == name:
                if pointer in sizes:
                    bound = sizes[pointer] // unit
                    low, high = (found.low, found.high) if found else (-(1 << 127), bound)
                    found = Range(name, low, min(high, bound))
            case _:
                pass
    return found
