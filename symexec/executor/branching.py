"""Decisions: branches, switches, computed jumps, and entering what one version has to itself.

A branch on a value that differs has up to four ways: ``shadow/directions.py``.
"""

from __future__ import annotations

from collections.abc import Iterator

from csg.ir import Binary, Branch, Enter, IndirectJump, Switch
from csg.language.syntax import Version
from symexec.executor.execution import Execution
from symexec.expr import (
    Data,
    Shadowed,
    Term,
    binary,
    compare,
    disjunction,
    negate,
    new_half,
    old_half,
)
from symexec.memory import BOTH, NEW, OLD, FaultKind
from symexec.shadow.directions import joint_ways, ways
from symexec.shadow.regions import begin
from symexec.solver import PathCondition
from symexec.state.endings import Access, Cut, DivisionByZero, MemoryFault
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
    if len(found) > 1 and _cut(engine, state):
        yield from engine.end(state, Cut("loop bound"))
        return
    site = engine.site(state)
    followed = _followed(state) and isinstance(condition, Term)
    if engine.decided is not None and found:
        engine.decided(state, step.site, *2 * (found[0][0],))
    for taken, path in found:
        successor = _at(state, path, last=taken is found[-1][0])
        if followed:
            trace(successor, site + taken)
        yield engine.go(successor, step.then if taken else step.otherwise)


def _followed(state: State) -> bool:
    """Is a decision of the running version part of the path's identity? Decisions of both versions
    are, until they diverge, and then those of the new version."""
    return state.mode != OLD or not state.divergences


def _at(state: State, path: PathCondition, last: bool) -> State:
    """The state that goes on with ``path``: a fork, or for the last way the state itself."""
    successor = state if last else state.fork()
    if not last:
        successor.forks += 1
    successor.path = path
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
    if len(found) > 1 and _cut(engine, state):
        yield from engine.end(state, Cut("loop bound"))
        return
    if engine.decided is not None and found:
        engine.decided(state, step.site, found[0][0].old, found[0][0].new)
    for directions, path in found:
        successor = _at(state, path, last=directions is found[-1][0])
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
    for old, old_condition in old_arms:
        for new, new_condition in new_arms:
            both = binary("and", 1, old_condition, new_condition)
            stays = state.seed is not None and state.seed.stays
            seed = state.leading if old == new or stays else None
            for taken, path in ways(both, state.path, engine.solver, seed):  # type: ignore[arg-type]
                if taken:
                    found.append((old, new, path))
    for place, (old, new, path) in enumerate(found):
        successor = _at(state, path, last=place == len(found) - 1)
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
    for block, condition in _arms(step, value, version):
        for taken, path in ways(condition, state.path, engine.solver, state.leading):  # type: ignore[arg-type]
            if taken:
                found.append((block, path))
        if isinstance(condition, int) and condition:
            break
    for place, (block, path) in enumerate(found):
        successor = _at(state, path, last=place == len(found) - 1)
        if _followed(state) and isinstance(value, Term):
            trace(successor, engine.site(state) + (block << 2))
        yield engine.go(successor, block)


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
    rest: PathCondition | None = state.path
    for block in step.targets:
        if rest is None:
            break
        here = compare("eq", 64, address, base + block)
        divided = dict(ways(here, rest, engine.solver, state.leading))  # type: ignore[arg-type]
        if True in divided:
            found.append((block, divided[True]))
        rest = divided.get(False)
    for place, (block, path) in enumerate(found):
        successor = _at(state, path, last=rest is None and place == len(found) - 1)
        trace(successor, engine.site(state) + (block << 2))
        yield engine.go(successor, block)
    if rest is not None:
        state.path = rest
        yield from engine.end(state, MemoryFault(FaultKind.WILD, "no label", Access.CALL, 0))


# ------------------------------------------------------------------------------------- arithmetic
# Divisions whose divisor may be zero.
#
# x / y, y symbolic     y == 0: the path ends as an error;  y != 0: goes on
# x / -1                ends when x is the most negative value (the quotient overflows, SIGFPE)


def divide(engine: Execution, state: State, step: Binary) -> Iterator[State]:
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
