"""Which of two NaNs a sum or a product keeps is the compiler's choice: operands can be exchanged.

    x + y    x = nan(0x1), y = nan(0x2)    ->   nan(0x1) by `addsd y, x`, nan(0x2) by `addsd x, y`

The terms keep the first one. Where that matters for an input, a native run may keep the other.
"""

from __future__ import annotations

from symexec.expr.softfloat import FORMATS
from symexec.expr.terms import Term
from symexec.expr.walk import Model, Value, evaluate

OF_TWO_NANS = "which of two NaNs a sum or a product keeps is not known"
_COMMUTES = ("fadd", "fmul")  # of 80 bits the processor keeps the larger one, in either order


def keeps_one_of_two(model: Model) -> bool:
    """Has a sum or product of any path two different NaNs as operands, with these values?"""
    table = next((symbol.table for symbol in model), None)
    if table is None:
        return False
    values: dict[Term, Value] = {}
    return any(
        _of_two(term, model, values)
        for term in list(table.nodes.values())
        if term.op in _COMMUTES and term.width != 80
    )


def _of_two(term: Term, model: Model, values: dict[Term, Value]) -> bool:
    form = FORMATS[term.width]
    one, other = (evaluate(each, model, values) for each in term.args)
    infinite = form.top_exponent << form.stored_bits
    both = all(each & ((1 << (form.bits - 1)) - 1) > infinite for each in (one, other))
    return both and one | form.quiet_bit != other | form.quiet_bit
