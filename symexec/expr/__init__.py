"""Symbolic expressions: what a C value is once inputs are unknown.

    table = TermTable()
    x = table.symbol("x", 32)
    compare("slt", 32, binary("add", 32, x, 1), 10)   ->  a term of width 1

A value is an ``int`` (bits known), an interned ``Term``, or ``Shadowed(old, new)``. This package
knows bit-vectors, bit patterns of floats, and arrays of bytes; it knows nothing of C.
"""

from __future__ import annotations

from symexec.expr import arithmetic, bitwise, comparisons, shape
from symexec.expr.float_operations import (
    convert_float,
    float_binary,
    float_compare,
    float_unary,
)
from symexec.expr.operations import (
    ArrayData,
    Data,
    Shadowed,
    ShadowedArray,
    array_of,
    array_select,
    array_store,
    binary,
    compare,
    concat,
    conjunction,
    disjunction,
    extend,
    extract,
    halves,
    ite,
    negate,
    new_half,
    old_half,
    shadowed,
    truncate,
    unary,
)
from symexec.expr.polynomials import Comparer
from symexec.expr.ranges import bounds, interval
from symexec.expr.terms import Operand, Term, Terms
from symexec.expr.walk import Model, evaluate, few_values, substitute, symbols, to_text

__all__ = [
    "ArrayData",
    "Comparer",
    "Data",
    "Model",
    "Operand",
    "Shadowed",
    "ShadowedArray",
    "Term",
    "TermTable",
    "array_of",
    "array_select",
    "array_store",
    "binary",
    "bounds",
    "compare",
    "concat",
    "conjunction",
    "convert_float",
    "disjunction",
    "evaluate",
    "extend",
    "extract",
    "few_values",
    "float_binary",
    "float_compare",
    "float_unary",
    "halves",
    "interval",
    "ite",
    "negate",
    "new_half",
    "old_half",
    "shadowed",
    "substitute",
    "symbols",
    "to_text",
    "truncate",
    "unary",
]


class TermTable(Terms):
    """The table of terms of one analysis. Symbols are created here; other terms find the table
    through their operands."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(
            rules={**arithmetic.RULES, **bitwise.RULES},
            compare_rules=comparisons.RULES,
            unary_rules={"neg": arithmetic.neg, "not": bitwise.not_},
            shape_rules=shape.RULES,
        )
