"""The table of terms with all rules of simplification in it.

table = TermTable();  x = table.symbol("x", 32);  x + 0  ->  x
"""

from __future__ import annotations

from symexec.expr import arithmetic, bitwise, comparisons, shape
from symexec.expr.terms import Terms


class TermTable(Terms):
    """One per analysis. Symbols are created here; other terms find the table through their
    operands."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(
            rules={**arithmetic.RULES, **bitwise.RULES},
            compare_rules=comparisons.RULES,
            unary_rules={"neg": arithmetic.neg, "not": bitwise.not_},
            shape_rules=shape.RULES,
        )
