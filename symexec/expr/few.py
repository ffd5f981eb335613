"""List the values that a term can have, when they are few.

    n * 4096             while n is 1..4    ->  (4096, 8192, 12288, 16384)
    zext(x < 3) * 292 + 8                   ->  (8, 300)
    n / 8 + 1            while n is 0..23   ->  (1, 2, 3)

The list may hold more than there are: operands are taken to vary by themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from math import prod
from typing import TYPE_CHECKING

from symexec.expr.ranges import bounds
from symexec.expr.walk import evaluate, symbols

if TYPE_CHECKING:
    from symexec.expr.terms import Term

Intervals = tuple[tuple[int, int], ...]
Values = frozenset[int]

_ARRAYS = ("array", "store")  # no numbers


def few_values(term: Term, domains: Mapping[Term, Intervals], most: int) -> tuple[int, ...] | None:
    """All values, smallest first; None when there may be more than ``most``. ``domains``: what is
    known of symbols."""
    ends = {symbol: (domain[0][0], domain[-1][1]) for symbol, domain in domains.items()}
    ranges: dict[Term, tuple[int, int]] = {}
    ranges[term] = bounds(term, ends, ranges)
    found: dict[Term, Values | None] = {}
    for node, (low, high) in ranges.items():  # operands stand in front of their results
        if node.op not in _ARRAYS:
            parts = domains.get(node, ((low, high),))
            found[node] = _results(node, found, most) or _listed(parts, most)
    values = found[term]
    return None if values is None else tuple(sorted(values))


def _listed(parts: Intervals, most: int) -> Values | None:
    if sum(high - low + 1 for low, high in parts) > most:
        return None
    return frozenset(value for low, high in parts for value in range(low, high + 1))


def _results(node: Term, found: Mapping[Term, Values | None], most: int) -> Values | None:
    """What an operation makes of the values of its operands."""
    if not node.args:
        return None
    varied = node.args[1:] if node.op == "ite" else node.args
    varied = tuple(dict.fromkeys(child for child in varied if symbols(child)))
    choices = [values for child in varied if (values := found.get(child)) is not None]
    if len(choices) < len(varied):
        return None
    if node.op == "ite":
        constants = {child.value for child in node.args[1:] if child.value is not None}
        results = constants.union(*choices)
    elif prod(map(len, choices)) > most * most:
        return None
    else:
        results = {
            evaluate(node, {}, dict(zip(varied, combination, strict=True)))
            for combination in product(*choices)
        }
    return frozenset(results) if len(results) <= most else None
