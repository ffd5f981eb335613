"""Arguments behind an ellipsis: va_start, va_arg, va_copy.

A va_list in memory holds two words: which of the argument tuples in the state's environment it
walks, and the index of the next argument. A copy is a plain copy of both. Arguments may be pairs;
once the words themselves differ, the versions walk in turn.
"""

from __future__ import annotations

from collections.abc import Iterator

from csg.ir import DRIVEN, Passed, VaArgument, VaCopy, VaStart
from symexec.executor.execution import Execution
from symexec.executor.undefined_uses import note
from symexec.expr import Data, Shadowed, extend, new_half, old_half, truncate
from symexec.ledger import Reason
from symexec.memory import BOTH, OLD, FaultKind
from symexec.state.endings import Access, AssumptionFailed, MemoryFault
from symexec.state.state import Frame, State, Variadic


def variadic(
    engine: Execution, state: State, step: VaStart | VaArgument | VaCopy
) -> Iterator[State]:
    place = engine.value(state, step.list)
    source = engine.value(state, step.source) if isinstance(step, VaCopy) else 0
    apart = engine.paired(place, source) or (
        isinstance(step, VaArgument) and lists_diverge(state, place)
    )
    if apart and state.mode == BOTH:
        yield from engine.split(state)
        return
    if not isinstance(place, int):
        yield from engine.refuse(state, "a va_list at a symbolic address")
        return
    memory, mode = state.memory, state.write_mode
    match step:
        case VaStart():
            arguments = _projected(state, state.top)
            lists = state.environment.get("va", ())
            assert isinstance(lists, tuple)
            state.environment["va"] = (*lists, arguments)
            memory.store(place, 8, len(lists), mode)
            memory.store(place + 8, 8, 0, mode)
            yield engine.next(state)
        case VaCopy():
            assert isinstance(source, int)
            for offset in (0, 8):
                word = memory.load(source + offset, 8, state.mode)
                if word is None or not memory.store(place + offset, 8, word, mode):
                    yield from engine.end(
                        state, MemoryFault(FaultKind.NULL, "va_list", Access.WRITE, 8)
                    )
                    return
            yield engine.next(state)
        case VaArgument():
            found = next_argument(state, place)
            if is_not_meant(engine, found, step.passed):
                engine.counters.assumptions_failed += 1
                yield from engine.end(state, AssumptionFailed())
                return
            if found is None:
                yield from engine.end(
                    state, MemoryFault(FaultKind.WILD, "no more arguments", Access.READ, 8)
                )
                return
            value, width, kind = found
            if lies_elsewhere(kind, step.passed):
                note(engine, state, Reason.APPROXIMATED, OF_ANOTHER_KIND)
            wanted = step.target.width
            state.set_register(step.target.number, fitted(value, width, wanted))
            yield engine.next(state)


def is_not_meant(engine: Execution, found: Variadic | None, wanted: Passed) -> bool:
    """Is the argument one that no correct caller passes (C17 7.16.1.1p2)? A driver passes arguments
    of all kinds."""
    driven = engine.program.entry.startswith(DRIVEN)
    return driven and (found is None or found[2] is not wanted)


OF_ANOTHER_KIND = "an argument is taken as another kind of value than it was passed as"


def lies_elsewhere(given: Passed, wanted: Passed) -> bool:
    """Does the processor take the argument from another place than where it was passed? The
    behaviour is undefined (C17 7.16.1.1p2), and which value it takes nobody knows."""
    apart = (Passed.FRACTION, Passed.RECORD)
    return given is not wanted and (given in apart or wanted in apart)


def _projected(state: State, frame: Frame) -> tuple[Variadic, ...]:
    if state.mode == BOTH:
        return frame.variadic
    half = old_half if state.mode == OLD else new_half
    return tuple((half(value), width, kind) for value, width, kind in frame.variadic)


def lists_diverge(state: State, place: Data) -> bool:
    """Do the versions stand at different arguments, or walk different lists?"""
    return isinstance(place, int) and any(
        isinstance(state.memory.load(place + offset, 8, state.mode), Shadowed) for offset in (0, 8)
    )


def next_argument(state: State, place: int) -> Variadic | None:
    """Take the next argument of the va_list at an address: its value for the running version(s),
    its width in bits, and as what it was passed. While both versions run, ``lists_diverge`` must be
    false."""
    number = state.memory.load(place, 8, state.mode)
    index = state.memory.load(place + 8, 8, state.mode)
    lists = state.environment.get("va", ())
    assert isinstance(lists, tuple)
    if not isinstance(number, int) or not isinstance(index, int) or number >= len(lists):
        return None
    arguments = lists[number]
    if index >= len(arguments):
        return None
    state.memory.store(place + 8, 8, index + 1, state.write_mode)
    value, width, kind = arguments[index]
    if state.mode != BOTH:
        value = old_half(value) if state.mode == OLD else new_half(value)
    return value, width, kind


def fitted(value: Data, width: int, wanted: int) -> Data:
    """An argument that is read with another width than it was passed with: its low bits, zeros
    above."""
    if width == wanted:
        return value
    return truncate(value, wanted) if wanted < width else extend(value, width, wanted, False)
