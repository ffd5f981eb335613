"""Inferred preconditions, as conditions on the terms of a start, and as ranges to draw from.

n <= elements of a, a of 4 elements     n <= 4         where a is not null
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import assert_never

from csg.analysis.preconditions import Asserted, Length, NonNull, OneOf, Precondition
from csg.language.syntax import Symbol
from csg.language.types import (
    Pointer,
    Record,
    Type,
    is_integer,
    is_signed,
    size_of,
    value_bits,
)
from symexec.expr import Operand, disjunction
from symexec.inputs.assumptions import Named, condition
from symexec.options import ARRAYS, InputOptions, Range
from symexec.runtime.operands import holds, plain


def conditions(
    given: Sequence[Precondition], named: Mapping[str, Named], sizes: Mapping[str, int]
) -> Iterator[Operand]:
    """``sizes``: the bytes of the objects that there are, by what leads to them. Pointers that are
    never null are null in no start."""
    for each in given:
        match each.claim:
            case Length(pointer=pointer, number=number, unit=unit):
                known = named.get(number)
                if pointer in sizes and known is not None and known.scalar and known.terms:
                    yield _at_most(known.terms[0], known.element, sizes[pointer] // unit)
            case OneOf(name=name, values=values):
                known = named[name]
                width = value_bits(known.element)
                term = known.terms[0]
                yield plain(disjunction(holds("eq", width, term, v % (1 << width)) for v in values))
            case Asserted(expression=expression):
                yield condition(expression, named, each.text)
            case NonNull():
                pass
            case _:
                assert_never(each.claim)


def within_bounds(
    given: Sequence[Precondition], parameters: Sequence[Symbol], options: InputOptions
) -> InputOptions:
    """With those preconditions that hide nothing: a search begins with arrays that are as long as
    what the code tells apart, and where they cannot be nothing is said of their length."""
    types = {each.name: each.type for each in parameters}
    longest = ARRAYS[-1] if options.array_length is None else options.array_length
    kept, least = [], 0
    for each in given:
        claim = each.claim
        if isinstance(claim, Length):
            kind, needed = types.get(claim.pointer), claim.least * claim.unit
            target = kind.target if isinstance(kind, Pointer) else None
            if isinstance(target, Record):
                if needed > size_of(target):
                    continue
            else:
                needed = -(-needed // (claim.unit if target is None else size_of(target)))
                if needed > longest:
                    continue
                least = max(least, needed)
        kept.append(each)
    level = options.level
    if options.array_length is None:
        level = next(at for at, length in enumerate(ARRAYS) if at >= level and length >= least)
    return replace(options, preconditions=tuple(kept), level=level)


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
            case OneOf(name=own, values=values) if own == name:
                low, high = (found.low, found.high) if found else (values[0], values[-1])
                found = Range(name, max(low, values[0]), min(high, values[-1]))
            case _:
                pass
    return found
