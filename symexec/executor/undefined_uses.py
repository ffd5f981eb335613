"""Instructions and models that use uninitialised values (``memcheck.py``).

    if (b > 0) ..        b may be uninitialised: one path ends here by an error, with a test, the
                         other goes on knowing b

A use is a decision, an address, a size, a divisor, output, a status or the entry function's result.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from csg.errors import Location
from csg.ir import (
    Allocate,
    Binary,
    Branch,
    Call,
    CheckIndex,
    Computation,
    Copy,
    Enter,
    Fill,
    FunctionAddress,
    GlobalAddress,
    IndirectJump,
    Instruction,
    Jump,
    LabelAddress,
    Load,
    Move,
    Refuse,
    Register,
    Return,
    SlotAddress,
    Store,
    Switch,
    Terminator,
    Trap,
    VaArgument,
    VaCopy,
    Value,
    VaStart,
)
from symexec.executor.execution import Execution
from symexec.executor.memcheck import Verdict
from symexec.expr import Data, Operand, Shadowed, Term, new_half, old_half, shadowed
from symexec.ledger import Reason
from symexec.memory import NEW, OLD
from symexec.shadow.regions import begin
from symexec.state.endings import MemoryFault
from symexec.state.inputs import FIRST_VALUE
from symexec.state.state import Divergence, DivergenceKind, Region, State

ACCESSED = "is an address"  # what ``used`` says of the operand of an access


def used(step: Instruction | Terminator) -> tuple[tuple[Value, str], ...]:
    """The operands whose value matters at once, each with what it is used for."""
    match step:
        case Branch(condition=condition):
            return ((condition, "decides a branch"),)
        case Switch(value=value):
            return ((value, "decides a switch"),)
        case IndirectJump(address=address):
            return ((address, "is jumped to"),)
        case Load(address=address) | Store(address=address) | Fill(address=address):
            return ((address, ACCESSED),)
        case Copy(address=address, source=source):
            return ((address, ACCESSED), (source, ACCESSED))
        case Binary(right=right):  # only divisions come here
            return ((right, "is a divisor"),)
        case CheckIndex(index=index):
            return ((index, "is an index"),)
        case Allocate(size=size):
            return ((size, "is a size"),)
        case Call(callee=Register() as callee):
            return ((callee, "is called"),)
        case Return(value=value) if value is not None:
            return ((value, "is the result"),)
        case Call() | Return() | Jump() | Enter() | Trap() | Refuse():
            return ()
        case Move() | Computation():
            return ()  # the result depends on the operands, and nothing else does
        case SlotAddress() | GlobalAddress() | FunctionAddress() | LabelAddress():
            return ()
        case VaStart() | VaArgument() | VaCopy():
            return ()
        case _:
            assert_never(step)


def decided_operands(
    engine: Execution, state: State, step: Instruction | Terminator
) -> Iterator[tuple[State, bool]] | None:
    """The states after a decision about uninitialised operands: those in which no operand depends
    on them, at the same instruction (True), and those in which a version has ended there, while the
    other one, if it waits somewhere, goes on from where it stands. None: no operand depends on
    them."""
    for operand, what in used(step):
        if isinstance(operand, Register):
            value = engine.value(state, operand)
            if engine.undefined.within(value):
                return _decided_operand(engine, state, operand, value, what)
    return None


def _decided_operand(
    engine: Execution, state: State, operand: Register, value: Data, what: str
) -> Iterator[tuple[State, bool]]:
    if isinstance(value, Shadowed):
        yield from _each_half(engine, state, operand, value, what)
        return
    assert isinstance(value, Term)
    for successor, known in decided(engine, state, value, what):
        if known is not None:
            successor.set_register(operand.number, known)
        yield successor, known is not None


def decided(
    engine: Execution, state: State, term: Term, what: str
) -> Iterator[tuple[State, Operand | None]]:
    """The paths on which the value is known, with the value, and those that end here (None)."""
    verdict = engine.judged(state, term)
    if verdict.wrong is None:
        yield _going(state, verdict), verdict.value
        return
    if engine.undefined.is_padding(term):
        tell_padding(engine, state, term, what)
        yield _going(state, verdict), verdict.value
        return
    if engine.undefined.only_reported(state.mode):
        note(
            engine,
            state,
            Reason.UNINITIALISED,
            f"{engine.undefined.origin(term)} {what}; zero here",
        )
        yield _going(state, verdict), verdict.value
        return
    fails, goes = _outcomes(state, verdict)
    if fails:
        failing = _going(state.fork() if goes else state, verdict, FAILS)
        failing.path = verdict.wrong
        for ended in engine.end(failing, engine.undefined.fault(term, what)):
            yield ended, None
    if goes:
        assert verdict.right is not None
        state.path = verdict.right
        yield _going(state, verdict, GOES), verdict.value


FAILS, GOES = 0, 1  # the ways of a state whose use of a value may be wrong


def _going(state: State, verdict: Verdict, way: int | None = None) -> State:
    """Note how the verdict came about, and which of two ways the state goes."""
    for answer in verdict.answers:
        state.answered(answer)
    if way is not None:
        state.answered(FIRST_VALUE + way)
    return state


def _outcomes(state: State, verdict: Verdict) -> tuple[bool, bool]:
    """Does a state fail here, does one go on? Of a script only those that it has."""
    script = state.script
    if script is None:
        return True, verdict.right is not None
    for answer in verdict.answers:
        script = script.after(answer)
    fails, goes = (script.chosen(way) is not None for way in (FAILS, GOES))
    return fails, goes


def _each_half(
    engine: Execution, state: State, operand: Register, value: Shadowed, what: str
) -> Iterator[tuple[State, bool]]:
    """The versions use different values: the version whose value depends on uninitialised memory
    ends, the other goes on."""
    halves = {OLD: old_half(value), NEW: new_half(value)}
    for mode, half in halves.items():
        if not isinstance(half, Term) or not engine.undefined.within(half):
            continue
        verdict = engine.judged(state, half)
        halves[mode] = verdict.value
        if verdict.wrong is None:
            _going(state, verdict)
            continue
        if engine.undefined.is_padding(half):
            tell_padding(engine, state, half, what)
            _going(state, verdict)
            continue
        fails, goes = _outcomes(state, verdict)
        if fails:
            failing = _going(state.fork(), verdict, FAILS)
            failing.path = verdict.wrong
            fault = engine.undefined.fault(half, what)
            for survivor in _one_ends(engine, failing, mode, fault):
                yield survivor, False
        if not goes:
            return
        assert verdict.right is not None
        state.path = verdict.right
        _going(state, verdict, GOES)
    state.owned_frame().registers[operand.number] = shadowed(halves[OLD], halves[NEW])
    yield state, True


def _one_ends(engine: Execution, state: State, mode: int, ending: MemoryFault) -> Iterator[State]:
    """End one version before an instruction that the other executes."""
    frame = state.top
    place = (frame.block, frame.index)
    location, node = engine.location(state), engine.here(state).node
    begin(state, mode, Region(frame.depth, place))
    for survivor in engine.end(state, ending):
        if place[1]:  # else the engine has done so
            name = "old" if mode == OLD else "new"
            divergence = Divergence(DivergenceKind.ENDING, location, node, f"{name}-ends")
            survivor.divergences = (*survivor.divergences, divergence)
        yield survivor


def tell_padding(engine: Execution, state: State, term: Term, what: str) -> None:
    """Note that a value depends on padding of an object that the caller gives."""
    text = f"{engine.undefined.origin(term)} {what}; it is zero in every input"
    note(engine, state, Reason.APPROXIMATED, text)


def note(
    engine: Execution, state: State, kind: Reason, text: str, location: Location | None = None
) -> None:
    """Note an event, once for each place on a path, unless other inputs make it good.
    ``location``: if it is not where the state stands."""
    if text in engine.made_good:
        return
    key = f"told {kind}"
    location = location or engine.location(state)
    noted = state.environment.get(key, frozenset())
    assert isinstance(noted, frozenset)
    if location not in noted:
        state.environment[key] = noted | {location}
        state.note(kind, text, location)
