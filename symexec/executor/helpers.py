"""What generated chunks call: control transfer, bulk memory operations, traps and shifts.

A helper that returns None (or False) leaves the instruction to the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from csg.ir import Call, Passed
from symexec.executor.address_uses import address_helpers
from symexec.executor.conventions import converted_result, difference
from symexec.executor.execution import Execution
from symexec.executor.modelling import run_model
from symexec.expr import (
    Data,
    Shadowed,
    Term,
    binary,
    compare,
    convert_float,
    extend,
    float_binary,
    float_compare,
    float_unary,
    new_half,
    old_half,
    shadowed,
    truncate,
)
from symexec.ledger import Reason
from symexec.memory import BOTH, FaultKind, address_of
from symexec.shadow.directions import taking, ways
from symexec.state.endings import Access, MemoryFault
from symexec.state.state import Chunk, Frame, State

MOST_CALLS = 20_000  # nested calls; a native stack of 8 MB overflows near that depth


def chunk_helpers(engine: Execution, visit: Callable[[State, int], None]) -> dict[str, object]:
    """The functions that generated source may call, by name."""

    def stop(state: State, block: int, index: int) -> None:
        frame = state.frame
        frame.block = block  # type: ignore[union-attr]
        frame.index = index  # type: ignore[union-attr]

    def call(
        state: State,
        name: str,
        arguments: tuple[Data, ...],
        result: int | None,
        block: int,
        index: int,
        after: Chunk | None,
    ) -> Chunk | None:
        """Push a frame for a function of the program; stop at any other function."""
        frame = state.frame
        assert frame is not None
        frame.block = block
        machine = engine.machine
        if name not in machine.functions or frame.depth >= MOST_CALLS:
            frame.index = index
            return None
        frame.index = index + 1
        frame.resume = after
        machine.enter(state, name, arguments, result)
        return machine.chunk(name, 0, 0, state.mode)

    def leave(state: State, value: Data | None) -> Chunk | None:
        """Pop the frame; stop at the return of the entry function."""
        frame = state.frame
        assert frame is not None
        caller = frame.caller
        if caller is None:
            frame.block, frame.index = frame.function.exit, _last(frame)
            return None
        memory = state.memory
        for number in frame.slots:
            memory.drop_stack(number)
        if caller.owner is not state.owner:
            caller = caller.copy(state.owner)
        state.frame = caller
        if frame.result is not None:
            result = 0 if value is None else value
            if frame.taken is not None:
                result = converted_result(result, *frame.taken)
            if state.mode == BOTH or state.region is None:
                caller.registers[frame.result] = result
            else:
                state.set_register(frame.result, result)
        after = caller.resume
        if after is not None:
            caller.resume = None
            return after
        return engine.returned(state)

    def begin(state: State, slots: tuple[int, ...], only: int) -> None:
        frame, memory = state.top, state.memory
        marks = engine.machine.functions[frame.function.name].slots
        for slot in slots:
            memory.begin_life(frame.slots[slot], only or state.mode, marks[slot][3])

    return {
        **address_helpers(engine),
        "begin": begin,
        "resume": _resume,
        "end": _end,
        "stop": stop,
        "call": call,
        "leave": leave,
        "transit": engine.transit,
        "visit": visit,
        "decided": engine.decided,
        "copy": _copy,
        "fill": _fill,
        "old_half": old_half,
        "new_half": new_half,
        "shadowed": shadowed,
        "binary": binary,
        "compare": compare,
        "extend": extend,
        "truncate": truncate,
        "float_unary": float_unary,
        "float_binary": float_binary,
        "float_compare": float_compare,
        "convert_float": convert_float,
        "udiv": _udiv,
        "urem": _urem,
        "sdiv": _sdiv,
        "srem": _srem,
        "shift_shl": _shl,
        "shift_lshr": _lshr,
        "shift_ashr": _ashr,
    }


def _resume(state: State, slots: tuple[int, ...], only: int) -> None:
    for slot in slots:
        state.memory.begin_life(state.top.slots[slot], only or state.mode, None)


def _end(state: State, slots: tuple[int, ...], only: int) -> None:
    for slot in slots:
        state.memory.end_life(state.top.slots[slot], only or state.mode)


def _last(frame: Frame) -> int:
    function = frame.function
    return len(function.blocks[function.exit].instructions)


def _copy(state: State, address: Data, source: Data, size: int) -> bool:
    if address.__class__ is not int or source.__class__ is not int or state.mode != BOTH:
        return False
    memory = state.memory
    if memory.fault(source, size, False) or memory.fault(address, size, True):
        return False
    here = memory.find(source >> 32)
    there = memory.find(address >> 32)
    assert here is not None and there is not None
    memory.move(there, address & 0xFFFFFFFF, here, source & 0xFFFFFFFF, size)
    return True


def _fill(state: State, address: Data, byte: int, size: int) -> bool:
    if address.__class__ is not int or state.mode != BOTH:
        return False
    memory = state.memory
    if memory.fault(address, size, True):
        return False
    there = memory.find(address >> 32)
    assert there is not None
    memory.fill(there, address & 0xFFFFFFFF, size, byte)
    return True


def signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) else value


def _udiv(left: Data, right: Data, width: int) -> Data | None:
    if right.__class__ is not int or not right:
        return None
    if left.__class__ is int:
        return left // right
    return binary("udiv", width, left, right)


def _urem(left: Data, right: Data, width: int) -> Data | None:
    if right.__class__ is not int or not right:
        return None
    if left.__class__ is int:
        return left % right
    return binary("urem", width, left, right)


def _sdiv(left: Data, right: Data, width: int) -> Data | None:
    if right.__class__ is not int or not right or right == (1 << width) - 1:
        return None
    if left.__class__ is int:
        a, b = signed(left, width), signed(right, width)
        quotient = abs(a) // abs(b)
        return (quotient if (a < 0) == (b < 0) else -quotient) & ((1 << width) - 1)
    return binary("sdiv", width, left, right)


def _srem(left: Data, right: Data, width: int) -> Data | None:
    if right.__class__ is not int or not right or right == (1 << width) - 1:
        return None
    if left.__class__ is int:
        a, b = signed(left, width), signed(right, width)
        rest = abs(a) % abs(b)
        return (rest if a >= 0 else -rest) & ((1 << width) - 1)
    return binary("srem", width, left, right)


def _count(right: Data, width: int) -> Data:
    """The shift count modulo 32, 64 or 128, the width of the registers that hold the operand, as
    x86-64 takes it."""
    most = (1 << (width - 1).bit_length()) - 1
    return right & most if isinstance(right, int) else binary("and", width, right, most)


def _shl(left: Data, right: Data, width: int) -> Data:
    count = _count(right, width)
    if isinstance(left, int) and isinstance(count, int):
        return (left << count) & ((1 << width) - 1)
    return binary("shl", width, left, count)


def _lshr(left: Data, right: Data, width: int) -> Data:
    count = _count(right, width)
    if isinstance(left, int) and isinstance(count, int):
        return left >> count
    return binary("lshr", width, left, count)


def _ashr(left: Data, right: Data, width: int) -> Data:
    count = _count(right, width)
    if isinstance(left, int) and isinstance(count, int):
        return (signed(left, width) >> count) & ((1 << width) - 1)
    return binary("ashr", width, left, count)


# ------------------------------------------------------------------------------------------ calls
# Calls: functions of the program, models, and pointers to either.


def call(engine: Execution, state: State, step: Call) -> Iterator[State]:
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
        ending = MemoryFault(
            FaultKind.NULL if address >> 32 == 0 else FaultKind.WILD, hex(address), Access.CALL, 0
        )
        yield from engine.end(state, ending)
        return
    yield from _call_named(engine, state, step, name)


def _takes(engine: Execution, name: str, count: int) -> bool:
    """Can a function be called with ``count`` arguments? One without a prototype can."""
    function = engine.machine.functions.get(name)
    if function is None:
        known = engine.machine.convention(name)
        return known is None or count >= len(known.parameters)
    named = len(function.parameters)
    return count >= named if function.code.variadic else count == named


def _call_symbolic(engine: Execution, state: State, step: Call, address: Term) -> Iterator[State]:
    """One way for each function that the pointer may name and that takes so many arguments, and one
    for none of them."""
    rest: State | None = state
    for number, name in sorted(engine.machine.function_at.items()):
        if not _takes(engine, name, len(step.arguments)):
            continue
        assert rest is not None
        same = compare("eq", 64, address, address_of(number))
        found = ways(same, rest.path, engine.solver, rest.leading)  # type: ignore[arg-type]
        base, rest = rest, None
        for way in found:
            successor = taking(base.fork() if way.taken and len(found) > 1 else base, way)
            if way.taken:
                yield from _call_named(engine, successor, step, name)
            else:
                rest = successor
        if rest is None:
            return
    assert rest is not None
    yield from engine.end(rest, MemoryFault(FaultKind.WILD, "no function", Access.CALL, 0))


def _call_named(engine: Execution, state: State, step: Call, name: str) -> Iterator[State]:
    arguments = tuple(engine.value(state, argument) for argument in step.arguments)
    result = None if step.target is None else step.target.number
    function = engine.machine.functions.get(name)
    if function is None and name in engine.program.absent:
        yield from engine.end(state, MemoryFault(FaultKind.NULL, f"weak {name}", Access.CALL, 0))
        return
    different = difference(step.convention, engine.machine.convention(name))
    doubt = ""
    if different is not None:
        if refusal := different.refusal(_is_read(engine, state, step)):
            yield from engine.refuse(state, f"'{name}' {refusal}")
            return
        doubt = different.doubt(step, _is_read(engine, state, step))
    if function is None and name not in engine.models:
        yield from _call_unmodelled(engine, state, step, name)
        return
    if function is None:
        yield from run_model(engine, state, step, name, arguments, different, doubt)
        return
    if state.top.depth >= MOST_CALLS:
        ending = MemoryFault(
            FaultKind.STACK_OVERFLOW, f"{MOST_CALLS} calls in each other", Access.CALL, 0
        )
        yield from engine.end(state, ending)
        return
    if doubt:
        state.note(Reason.UNDEFINED, f"'{name}' {doubt}", engine.location(state))
    if different is not None:
        arguments = different.convert_arguments(arguments)
    engine.next(state)
    frame = engine.machine.enter(state, name, arguments, result)
    if different is not None:
        frame.taken = different.result
    if function.code.variadic:
        first = len(function.parameters)
        frame.variadic = tuple(
            (value, argument.width, kind)
            for value, argument, kind in zip(
                arguments[first:], step.arguments[first:], _behind(step, first), strict=True
            )
        )
    yield state


def _behind(step: Call, first: int) -> tuple[Passed, ...]:
    """As what the arguments from ``first`` on are passed."""
    if step.convention is None:
        return step.passed
    return tuple(each.passed for each in step.convention.parameters[first:])


def _call_unmodelled(engine: Execution, state: State, step: Call, name: str) -> Iterator[State]:
    """Go on behind a call of a function that has neither code nor a model, as if it had done
    nothing: native runs say what it does. The path ends where the caller reads the result, where
    the function does not return, and where one version alone calls it: then an input of the path
    runs natively."""
    engine.counters.gap(name)
    text = f"function '{name}' is not modelled"
    matters = step.noreturn or _is_read(engine, state, step) or _gives_record(step)
    if matters or state.mode != BOTH:
        yield from engine.refuse(state, text)
        return
    state.note(Reason.APPROXIMATED, f"{text}, and taken to do nothing", engine.location(state))
    yield engine.next(state)


def _gives_record(step: Call) -> bool:
    return step.convention is None or step.convention.returns_record


def _is_read(engine: Execution, state: State, step: Call) -> bool:
    """Does the caller read the result anywhere?"""
    caller = engine.machine.functions[state.top.function.name]
    return step.target is not None and step.target in caller.registers_read()
