"""Divisions whose divisor may be zero.

x / y, y symbolic     y == 0: the path ends as an error;  y != 0: goes on
x / -1                ends when x is the most negative value (the quotient overflows, SIGFPE)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from csg.ir import Binary
from symexec.expr import Data, binary, compare
from symexec.shadow.directions import ways
from symexec.state.endings import DivisionByZero
from symexec.state.state import State

if TYPE_CHECKING:
    from symexec.executor.engine import Engine


def divide(engine: Engine, state: State, step: Binary) -> Iterator[State]:
    left, right = engine.value(state, step.left), engine.value(state, step.right)
    if engine.paired(left, right):
        yield from engine.split(state)
        return
    trapping = _traps(step, left, right)
    for traps, path in ways(trapping, state.path, engine.solver, state.leading):  # type: ignore[arg-type]
        successor = state.fork() if path is not state.path else state
        successor.path = path
        if traps:
            yield from engine.end(successor, DivisionByZero())
        else:
            result = binary(step.operator, step.target.width, left, right)
            successor.set_register(step.target.number, result)
            yield engine.next(successor)


def _traps(step: Binary, left: Data, right: Data) -> Data:
    width = step.target.width
    zero = compare("eq", width, right, 0)
    if step.operator[0] == "u":
        return zero
    overflow = binary(
        "and",
        1,
        compare("eq", width, right, (1 << width) - 1),
        compare("eq", width, left, 1 << (width - 1)),
    )
    return binary("or", 1, zero, overflow)
