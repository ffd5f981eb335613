"""For an input at a divergence, inputs on the other side of zero that part there in the same way.

    int y = change(x - 1, x + 1); if (y > 7)      found x = INT_MAX, asked for as well: x < 0

Where arithmetic wraps, one path often holds inputs from both ends of a type; a tester wants to see
one of each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from symexec.expr import Model, Operand, Term, compare, negate
from symexec.state.inputs import Input

MOST = 4  # inputs of one program that are turned round


def opposite_signs(inputs: Iterable[Input], model: Model) -> Iterator[Operand]:
    """Conditions, one for each signed number among the parameters and globals."""
    turned = 0
    for each in inputs:
        if each.kind not in ("parameter", "global") or not each.scalar or turned == MOST:
            continue
        term = each.terms[0]
        if not each.signed or each.floating or not isinstance(term, Term):
            continue
        turned += 1
        negative = compare("slt", each.width, term, 0)
        is_negative = model.get(term, 0) >> (each.width - 1)
        yield negate(negative) if is_negative else negative  # type: ignore[misc]
