"""Floating point on bit patterns (being written)."""

from __future__ import annotations

from symexec.expr.terms import Operand, Terms


def apply(op: str, source: int, width: int, *values: int) -> int:
    raise NotImplementedError(op)


def build(table: Terms, op: str, source: int, width: int, *parts: Operand) -> Operand:
    raise NotImplementedError(op)
