"""Calls: functions of the program, models, and pointers to either."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from csg.ir import Call
from symexec.executor.helpers import DEEPEST
from symexec.executor.modelling import run_model
from symexec.expr import Shadowed, Term, compare
from symexec.memory import address_of
from symexec.shadow.directions import ways
from symexec.state.endings import MemoryFault
from symexec.state.state import State

if TYPE_CHECKING:
    from symexec.executor.engine import Engine


def call(engine: Engine, state: State, step: Call) -> Iterator[State]:
    if isinstance(step.callee, str):
        yield from _call_named(engine, state, step, step.callee)
        return
    address = engine.value(state, step.callee)
    if isinstance(address, Shadowed):
        yield from engine.split(state)
        return
    if isinstance(address, Term):
        yield from _call_symbolic(engine, state, step, address)
        return
    name = engine.machine.function_at.get(address >> 32)
    if name is None or address & 0xFFFFFFFF:
        ending = MemoryFault("null" if address >> 32 == 0 else "wild", hex(address), "call", 0)
        yield from engine.end(state, ending)
        return
    yield from _call_named(engine, state, step, name)


def _call_symbolic(engine: Engine, state: State, step: Call, address: Term) -> Iterator[State]:
    """One way for each function that the pointer may name, and one for none of them."""
    rest: State | None = state
    for number, name in sorted(engine.machine.function_at.items()):
        assert rest is not None
        same = compare("eq", 64, address, address_of(number))
        found = ways(same, rest.path, engine.solver, rest.leading)  # type: ignore[arg-type]
        base, rest = rest, None
        for taken, path in found:
            successor = base.fork() if taken and len(found) > 1 else base
            successor.path = path
            if taken:
                yield from _call_named(engine, successor, step, name)
            else:
                rest = successor
        if rest is None:
            return
    assert rest is not None
    yield from engine.end(rest, MemoryFault("wild", "no function", "call", 0))


def _call_named(engine: Engine, state: State, step: Call, name: str) -> Iterator[State]:
    arguments = tuple(engine.value(state, argument) for argument in step.arguments)
    result = None if step.target is None else step.target.number
    function = engine.machine.functions.get(name)
    if function is None and name in engine.program.absent:
        yield from engine.end(state, MemoryFault("null", f"weak {name}", "call", 0))
        return
    if function is None:
        yield from run_model(engine, state, step, name, arguments)
        return
    if state.top.depth >= DEEPEST:
        ending = MemoryFault("stack-overflow", f"{DEEPEST} calls in each other", "call", 0)
        yield from engine.end(state, ending)
        return
    engine.next(state)
    frame = engine.machine.enter(state, name, arguments, result)
    if function.code.variadic:
        first = len(function.parameters)
        frame.variadic = tuple(
            (value, argument.width)
            for value, argument in zip(arguments[first:], step.arguments[first:], strict=True)
        )
    yield state
