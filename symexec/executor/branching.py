"""Decisions: branches, switches, computed jumps, and entering what one version has to itself.

A branch on a value that differs has up to four ways: ``shadow/directions.py``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from csg.ir import Binary, Branch, CheckIndex, Enter, IndirectJump, Switch
from csg.language.syntax import Version
from symexec.executor.execution import Execution
from symexec.expr import (
    Data,
    Shadowed,
    Term,
    binary,
    compare,
    conjunction,
    disjunction,
    negate,
    new_half,
    old_half,
)
from symexec.ledger import Reason
from symexec.memory import BOTH, NEW, OLD, FaultKind
from symexec.shadow.directions import Way, going, is_open, joint_ways, taking, ways
from symexec.shadow.regions import begin
from symexec.state.endings import Access, Cut, DivisionByZero, MemoryFault
from symexec.state.inputs import Misfit, Script
from symexec.state.state import Divergence, DivergenceKind, Region, State

_HALVES = (old_half, new_half)
_PRIME = 0x100000001B3
_WORD = (1 << 64) - 1


def trace(state: State, code: int) -> None:
    """Mix a decision into the hash that identifies the path (Fowler-Noll-Vo, 64 bits)."""
    state.trace = ((state.trace ^ code) * _PRIME) & _WORD


def branch(engine: Execution, state: State, step: Branch) -> Iterator[State]:
    """The states behind a branch: up to four while both versions run, else up to two."""
    condition = engine.value(state, step.condition)
    if isinstance(condition, Shadowed):
        yield from _joint(engine, state, step, condition)
        return
    found = ways(condition, state.path, engine.solver, state.leading)
    if is_open(found) and _cut(engine, state):
        yield from engine.end(state, Cut("loop bound"))
        return
    site = engine.site(state)
    followed = _followed(state) and isinstance(condition, Term)
    if engine.decided is not None and found:
        engine.decided(state, step.site, *2 * (found[0].taken,))
    for way in found:
        taken = way.taken
        successor = _at(state, way, last=way is found[-1])
        if followed:
            trace(successor, site + taken)
        yield engine.go(successor, step.then if taken else step.otherwise)


def _followed(state: State) -> bool:
    """Is a decision of the running version part of the path's identity? Decisions of both versions
    are, until they diverge, and then those of the new version."""
    return state.mode != OLD or not state.divergences


def _at(state: State, way: Way, last: bool) -> State:
    """The state that goes this way: a fork, or for the last way the state itself."""
    successor = state if last else state.fork()
    if not last:
        successor.forks += 1
    taking(successor, way)
    return successor


def _cut(engine: Execution, state: State) -> bool:
    """Has this activation of the function decided here more often than the bound allows?"""
    if engine.loop_bound is None:
        return False
    frame = state.owned_frame()
    if frame.loops is None:
        frame.loops = {}
    frame.loops[frame.block] = frame.loops.get(frame.block, 0) + 1
    return frame.loops[frame.block] > engine.loop_bound


def _joint(engine: Execution, state: State, step: Branch, condition: Data) -> Iterator[State]:
    site = engine.site(state)
    diverged = bool(state.divergences)  # from the first divergence on only the new version counts
    followed = not diverged or isinstance(new_half(condition), Term)
    found = list(joint_ways(condition, state.path, engine.solver, state.leading))
    if is_open([way for _, way in found]) and _cut(engine, state):
        yield from engine.end(state, Cut("loop bound"))
        return
    if engine.decided is not None and found:
        engine.decided(state, step.site, found[0][0].old, found[0][0].new)
    for directions, way in found:
        successor = _at(state, way, last=way is found[-1][1])
        if followed:
            diverges = directions.diverges and not diverged
            trace(successor, site + directions.new + (2 if diverges else 0))
        old = step.then if directions.old else step.otherwise
        new = step.then if directions.new else step.otherwise
        if directions.diverges:
            diverge(engine, successor, directions.label, old, new)
            yield successor
        else:
            yield engine.go(successor, new)


def diverge(engine: Execution, state: State, label: str, old: int, new: int) -> None:
    """Let the versions diverge: each runs to the join by itself, or the new one goes on alone."""
    location = engine.location(state)
    node = engine.here(state).node
    state.divergences = (
        *state.divergences,
        Divergence(DivergenceKind.CONTROL, location, node, label),
    )
    if state.seed is not None and not state.seed.stays:
        state.seed = None
    frame = state.owned_frame()
    if engine.after_new:
        engine.drop_old(state)
        engine.go(state, new)
        return
    join = engine.joins.of(frame.function, frame.block)
    place = (join if join is not None else -1, 0)
    begin(state, OLD, Region(frame.depth, place, NEW, (new, 0)))
    engine.go(state, old)


def enter(engine: Execution, state: State, step: Enter) -> State:
    """Enter ``execute(OLD|NEW)`` while both versions run."""
    mode = OLD if step.region is Version.OLD else NEW
    if state.mode == BOTH:
        begin(state, mode, Region(state.top.depth, (step.exit, 0)))
        return engine.go(state, step.body)
    return engine.go(state, step.body if state.mode == mode else step.exit)


# --------------------------------------------------------------------------- switch


def switch(engine: Execution, state: State, step: Switch) -> Iterator[State]:
    """The states behind a switch: one for each block that can be reached, or for each pair of
    blocks where the versions may diverge."""
    value = engine.value(state, step.value)
    if engine.decided is not None:
        old, new = (engine.evaluate(half(value), engine.model(state)) for half in _HALVES)
        engine.decided(state, step.site, old, new)
    if state.mode != BOTH:
        version = Version.OLD if state.mode == OLD else Version.NEW
        yield from _switch_alone(engine, state, step, value, version)
        return
    differs = isinstance(value, Shadowed) or _versioned(step)
    if not differs:
        yield from _switch_alone(engine, state, step, value, Version.NEW)
        return
    arms = _arms(step, old_half(value), Version.OLD), _arms(step, new_half(value), Version.NEW)
    yield from _joint_arms(engine, state, value, *arms)


Arms = list[tuple[int, Data]]  # blocks, each with the condition to get there


def _joint_arms(
    engine: Execution, state: State, value: Data, old_arms: Arms, new_arms: Arms
) -> Iterator[State]:
    """A state for each pair of blocks; ``value`` is what the versions choose by."""
    found = []
    script = state.script
    for old, old_condition in old_arms:
        for new, new_condition in new_arms:
            choice = _choice(old, new)
            rest = None if script is None else script.chosen(choice)
            if script is not None and rest is None:
                continue
            both = binary("and", 1, old_condition, new_condition)
            stays = state.seed is not None and state.seed.stays
            seed = rest or (state.leading if old == new or stays else None)
            for way in ways(both, state.path, engine.solver, seed):  # type: ignore[arg-type]
                if way.taken:
                    found.append((old, new, way.chosen(choice)))
    _require(state, found)
    for place, (old, new, way) in enumerate(found):
        successor = _at(state, way, last=place == len(found) - 1)
        if not state.divergences:
            trace(successor, engine.site(state) + (new << 2) + (2 if old != new else 0))
            if old != new:
                trace(successor, old)
        elif isinstance(new_half(value), Term):
            trace(successor, engine.site(state) + (new << 2))
        if old == new:
            yield engine.go(successor, new)
        else:
            diverge(engine, successor, "diff-case", old, new)
            yield successor


def _versioned(step: Switch) -> bool:
    return step.default_version is not None or any(case[3] is not None for case in step.cases)


def _switch_alone(
    engine: Execution, state: State, step: Switch, value: Data, version: Version
) -> Iterator[State]:
    if isinstance(value, int):
        yield engine.go(state, _arm(step, value, version))
        return
    found = []
    script = state.script
    for block, condition in _arms(step, value, version):
        leading = state.leading if script is None else script.chosen(block)
        if script is None or leading is not None:
            for way in ways(condition, state.path, engine.solver, leading):  # type: ignore[arg-type]
                if way.taken:
                    found.append((block, way.chosen(block)))
        if isinstance(condition, int) and condition:
            break
    _require(state, found)
    for place, (block, way) in enumerate(found):
        successor = _at(state, way, last=place == len(found) - 1)
        if _followed(state) and isinstance(value, Term):
            trace(successor, engine.site(state) + (block << 2))
        yield engine.go(successor, block)


def _choice(old: int, new: int) -> int:
    """A number for a pair of blocks."""
    return (old << 32) | new


def _require(state: State, found: Sequence[object]) -> None:
    """Refuse a script that chooses no way that there is."""
    if state.script is not None and not found:
        raise Misfit("a way that is not there")


def _default(step: Switch, version: Version) -> int:
    if step.default_other is not None and step.default_version is not version:
        return step.default_other
    return step.default


def _arm(step: Switch, value: int, version: Version) -> int:
    """The block that a known value selects."""
    for low, high, block, only in step.cases:
        if low <= value <= high and (only is None or only is version):
            return block
    return _default(step, version)


def _arms(step: Switch, value: Data, version: Version) -> list[tuple[int, Data]]:
    """The blocks of a switch, each with the condition to get there; the default is last."""
    conditions: dict[int, list[Data]] = {}
    every: list[Data] = []
    for low, high, block, only in step.cases:
        if only is not None and only is not version:
            continue
        condition = _within(value, step.value.width, low, high)
        conditions.setdefault(block, []).append(condition)
        every.append(condition)
    default = _default(step, version)
    arms = {block: disjunction(parts) for block, parts in conditions.items()}
    rest = negate(disjunction(every)) if every else 1
    arms[default] = binary("or", 1, arms[default], rest) if default in arms else rest
    return list(arms.items())


def _within(value: Data, width: int, low: int, high: int) -> Data:
    if low == high:
        return compare("eq", width, value, low)
    above = compare("ule", width, low, value)
    below = compare("ule", width, value, high)
    return binary("and", 1, above, below)


def indirect(engine: Execution, state: State, step: IndirectJump) -> Iterator[State]:
    """The states behind a computed goto: one for each label that the address may be."""
    address = engine.value(state, step.address)
    base = engine.machine.addresses[state.top.function.name]
    if isinstance(address, Shadowed):
        old, new = address.old, address.new
        labels = {base + block for block in step.targets}
        if isinstance(old, int) and isinstance(new, int) and {old, new} <= labels:
            yield from _joint_arms(engine, state, address, [(old - base, 1)], [(new - base, 1)])
        else:
            yield from engine.refuse(state, "computed goto by an address that is a pair of terms")
        return
    found = []
    rest: Way | None = Way(False, state.path)
    leading = state.leading
    for block in step.targets:
        if rest is None:
            break
        here = compare("eq", 64, address, base + block)
        _, path, before = rest
        rest = None
        for taken, extended, asked in ways(here, path, engine.solver, leading):  # type: ignore[arg-type]
            way = Way(taken, extended, before + asked)
            if taken:
                found.append((block, way))
            else:
                rest = way
                if isinstance(leading, Script):
                    for answer in asked:
                        leading = leading.after(answer)
    for place, (block, way) in enumerate(found):
        successor = _at(state, way, last=rest is None and place == len(found) - 1)
        trace(successor, engine.site(state) + (block << 2))
        yield engine.go(successor, block)
    if rest is not None:
        taking(state, rest)
        yield from engine.end(state, MemoryFault(FaultKind.WILD, "no label", Access.CALL, 0))


# ------------------------------------------------------------------------------------- arithmetic
# Divisions whose divisor may be zero.
#
# x / y, y symbolic     y == 0: the path ends as an error;  y != 0: goes on
# x / -1                ends when x is the most negative value (the quotient overflows, SIGFPE)


_TRAPPED = "a division that traps stands in what the versions do not share"


def divide(engine: Execution, state: State, step: Binary) -> Iterator[State]:
    left, right = engine.value(state, step.left), engine.value(state, step.right)
    if engine.paired(left, right):
        yield from engine.split(state)
        return
    trapping = _traps(step, left, right)
    for way in ways(trapping, state.path, engine.solver, state.leading):  # type: ignore[arg-type]
        traps = way.taken
        successor = going(state, way)
        if traps:
            if successor.mode != BOTH:  # gcc may have left the division out in one version
                successor.note(Reason.UNDEFINED, _TRAPPED, engine.location(successor))
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


# ---------------------------------------------------------------------------------------- indexes
# Indexes that may lie beyond an array inside of a larger object.
#
# p->frames[i], frame frames[3]     i >= 3: the path ends as an error;  i < 3: goes on
# p->frames[change(i, j)]           both below 3: the versions go on together;  else each by itself


def check_index(engine: Execution, state: State, step: CheckIndex) -> Iterator[State]:
    if not engine.memory.indexes:
        yield engine.next(state)
        return
    index, bound = engine.value(state, step.index), engine.value(state, step.bound)
    paired = engine.paired(index, bound)
    within = compare("ult", 64, index, bound)
    if paired:
        within = conjunction([old_half(within), new_half(within)])
    for way in ways(within, state.path, engine.solver, state.leading):  # type: ignore[arg-type]
        is_within = way.taken
        successor = going(state, way)
        if is_within:
            yield engine.next(successor)
        elif paired:
            yield from engine.split(successor)
        else:
            yield from _beyond(engine, successor, step, index)


def _beyond(engine: Execution, state: State, step: CheckIndex, index: Data) -> Iterator[State]:
    """The running version or versions end with an index beyond an array."""
    assert not isinstance(index, Shadowed)
    value = index if isinstance(index, int) else engine.possible(state, index)
    number = value - (1 << 64) if value >> 63 else value
    what = f"index {number} of {step.array}"
    yield from engine.end(state, MemoryFault(FaultKind.INDEX, what, Access.USE))
