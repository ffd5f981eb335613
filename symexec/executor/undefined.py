"""Values that nobody wrote. To copy them is fine, to use them is an error.

    int a[4];  a[0] = 1;
    b = a[i];            i > 0: a symbol for "whatever is there"
    if (b > 0) ..        i > 0: MemoryFault("uninitialised"), with a test;  i == 0: goes on

A use is a decision, an address, a size, a divisor, output, a status or the entry function's result.
The solver says whether it matters: the value with zeros for what nobody wrote against the value
with anything there. Where it does not (the other bits of a bit-field's byte), or where the use is
only to be told, zeros are what the path goes on with.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from csg.ir import (
    Allocate,
    Binary,
    Branch,
    Call,
    Copy,
    Fill,
    IndirectJump,
    Instruction,
    Load,
    Register,
    Return,
    Store,
    Switch,
    Terminator,
    Value,
)
from csg.records import record
from symexec.expr import (
    Data,
    Operand,
    Shadowed,
    Term,
    TermTable,
    compare,
    new_half,
    old_half,
    shadowed,
    substitute,
    symbols,
)
from symexec.memory import BOTH, NEW, OLD, UNDEFINED
from symexec.options import Uninitialised
from symexec.shadow.regions import begin
from symexec.solver import Answer, PathCondition
from symexec.state.endings import MemoryFault
from symexec.state.state import Divergence, Region, State

if TYPE_CHECKING:
    from symexec.executor.engine import Engine

ROUNDS: Final = 6  # samples that tell inputs on which the value matters from the others
USED: Final = "uninitialised"  # of a use that is told and gone on with; the fault's kind as well


class Used(Exception):
    """A model used a value where it could not ask."""

    def __init__(self, term: Term) -> None:
        super().__init__()
        self.term = term


@record
class Verdict:
    """``value``: with zeros. ``wrong``: the paths on which it matters what was there; ``right``:
    those on which it does not. None: there are none."""

    value: Operand
    wrong: PathCondition | None
    right: PathCondition | None


class UndefinedValues:
    """The symbols of one engine; ``policy`` says what becomes of a use."""

    def __init__(self, table: TermTable, policy: Uninitialised) -> None:
        self._table = table
        self._symbols: set[Term] = set()
        self.policy = policy

    @property
    def tracked(self) -> bool:
        return self.policy is not Uninitialised.ZERO

    def symbol(self, name: str, width: int) -> Term:
        made = self._table.symbol(name, width)
        self._symbols.add(made)
        return made

    def register(self, function: str, variable: str | None, width: int) -> Term:
        """What a local scalar holds before anything is assigned to it."""
        called = "the result" if variable is None else variable
        return self.symbol(f"{UNDEFINED}{called} of {function}", width)

    def within(self, value: Data) -> bool:
        if isinstance(value, Shadowed):
            return self.within(value.old) or self.within(value.new)
        return isinstance(value, Term) and not symbols(value).isdisjoint(self._symbols)

    def of(self, term: Term) -> list[Term]:
        return sorted(symbols(term) & self._symbols, key=lambda symbol: symbol.id)

    def zeroed(self, value: Data) -> Data:
        match value:
            case Shadowed(old=old, new=new):
                return shadowed(self._plain(old), self._plain(new))
            case _:
                return self._plain(value)

    def _plain(self, value: Operand) -> Operand:
        if isinstance(value, int) or not self.within(value):
            return value
        return substitute(value, dict.fromkeys(self.of(value), 0))

    # ------------------------------------------------------------------ judging

    def judge(self, engine: Engine, path: PathCondition, term: Term) -> Verdict:
        """On which inputs of a path does it matter what was there?"""
        zero = self._plain(term)
        doubt = _differ(term, zero, term.width)
        if not doubt or engine.solver.check(path, doubt) is not Answer.SAT:
            return Verdict(zero, None, path)
        wrong = path.assuming(doubt)
        right = path
        for _ in range(ROUNDS):
            model = engine.solver.model(right, doubt)
            if model is None:
                break
            sample = {symbol: model.get(symbol, 0) for symbol in self.of(term)}
            alike = compare("eq", term.width, substitute(term, sample), zero)
            assert not isinstance(alike, Shadowed)
            if engine.solver.check(right, alike) is Answer.UNSAT:
                return Verdict(zero, wrong, None)
            right = right.assuming(alike)
        return Verdict(zero, wrong, right)

    def only_told(self, mode: int) -> bool:
        """A use by both versions alike is no difference between them."""
        return mode == BOTH and self.policy is Uninitialised.DIFFERENCES

    def fault(self, term: Term, what: str) -> MemoryFault:
        return MemoryFault(USED, f"{self.origin(term)}, {what}", "use")

    def origin(self, term: Term) -> str:
        """Where a value comes from: "buffer, offset 4"."""
        name = str(self.of(term)[0].name).removeprefix(UNDEFINED)
        thing, _, place = name.partition(" #")
        offset = place.partition("+")[2].partition(":")[0]
        return f"{thing}, offset {offset}" if offset else thing


def _differ(term: Operand, other: Operand, width: int) -> Operand:
    found = compare("ne", width, term, other)
    assert not isinstance(found, Shadowed)
    return found


# --------------------------------------------------------------------------- instructions


def used(step: Instruction | Terminator) -> tuple[tuple[Value, str], ...]:
    """The operands whose value matters at once, and for what."""
    match step:
        case Branch(condition=condition):
            return ((condition, "decides a branch"),)
        case Switch(value=value):
            return ((value, "decides a switch"),)
        case IndirectJump(address=address):
            return ((address, "is jumped to"),)
        case Load(address=address) | Store(address=address) | Fill(address=address):
            return ((address, "is an address"),)
        case Copy(address=address, source=source):
            return ((address, "is an address"), (source, "is an address"))
        case Binary(right=right):  # only divisions come here
            return ((right, "is a divisor"),)
        case Allocate(size=size):
            return ((size, "is a size"),)
        case Call(callee=Register() as callee):
            return ((callee, "is called"),)
        case Return(value=value) if value is not None:
            return ((value, "is the result"),)
        case _:
            return ()


def settled(
    engine: Engine, state: State, step: Instruction | Terminator
) -> Iterator[tuple[State, bool]] | None:
    """States in which no operand depends on what nobody wrote, at the same instruction (True), and
    states in which a version has ended there: the other one, if it waits somewhere, goes on from
    where it stands. None: it is so already."""
    for operand, what in used(step):
        if isinstance(operand, Register):
            value = engine.value(state, operand)
            if engine.undefined.within(value):
                return _settled(engine, state, operand, value, what)
    return None


def _settled(
    engine: Engine, state: State, operand: Register, value: Data, what: str
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
    engine: Engine, state: State, term: Term, what: str
) -> Iterator[tuple[State, Operand | None]]:
    """The paths on which the value is known, with it, and those that end here (None)."""
    verdict = engine.undefined.judge(engine, state.path, term)
    if verdict.wrong is None:
        yield state, verdict.value
        return
    if engine.undefined.only_told(state.mode):
        note(engine, state, USED, f"{engine.undefined.origin(term)} {what}; zero here")
        yield state, verdict.value
        return
    failing = state if verdict.right is None else state.fork()
    failing.path = verdict.wrong
    for ended in engine.end(failing, engine.undefined.fault(term, what)):
        yield ended, None
    if verdict.right is not None:
        state.path = verdict.right
        yield state, verdict.value


def _each_half(
    engine: Engine, state: State, operand: Register, value: Shadowed, what: str
) -> Iterator[tuple[State, bool]]:
    """The versions use different values: the one whose value matters ends, the other goes on."""
    halves = {OLD: old_half(value), NEW: new_half(value)}
    for mode, half in halves.items():
        if not isinstance(half, Term) or not engine.undefined.within(half):
            continue
        verdict = engine.undefined.judge(engine, state.path, half)
        halves[mode] = verdict.value
        if verdict.wrong is None:
            continue
        failing = state.fork()
        failing.path = verdict.wrong
        for survivor in _one_ends(engine, failing, mode, engine.undefined.fault(half, what)):
            yield survivor, False
        if verdict.right is None:
            return
        state.path = verdict.right
    state.owned_frame().registers[operand.number] = shadowed(halves[OLD], halves[NEW])
    yield state, True


def _one_ends(engine: Engine, state: State, mode: int, ending: MemoryFault) -> Iterator[State]:
    """One version ends before an instruction that the other goes on with."""
    frame = state.top
    place = (frame.block, frame.index)
    location, node = engine.location(state), engine.here(state).node
    begin(state, mode, Region(frame.depth, place))
    for survivor in engine.end(state, ending):
        if place[1]:  # else the engine has done so
            name = "old" if mode == OLD else "new"
            parted = Divergence("ending", location, node, f"{name}-ends")
            survivor.divergences = (*survivor.divergences, parted)
        yield survivor


def note(engine: Engine, state: State, kind: str, text: str) -> None:
    """An event, once for each place on a path."""
    key = f"told {kind}"
    location = engine.location(state)
    told = state.environment.get(key, frozenset())
    assert isinstance(told, frozenset)
    if location not in told:
        state.environment[key] = told | {location}
        state.note(kind, text, location)
