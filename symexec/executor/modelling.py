"""Run the model of a library function: answer its requests, or fork and ask again.

A model is a generator. ``Decide(condition)`` is answered from the path condition; an open one forks
the state, and the model starts over in each half with the answer known. So a model asks before it
writes, and nothing has to be undone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import assert_never

from csg.ir import Call
from csg.records import record
from symexec.executor import address_uses
from symexec.executor.accesses import inside, learn
from symexec.executor.context import Faulted, ModelContext, Unproven
from symexec.executor.conventions import Difference
from symexec.executor.execution import Execution
from symexec.executor.memcheck import Used
from symexec.executor.undefined_uses import decided
from symexec.expr import Data, Operand, Shadowed, Term
from symexec.memory import BOTH, FaultKind, address_of
from symexec.runtime.contract import (
    Concretize,
    Decide,
    Defer,
    End,
    JumpBack,
    ModelEntry,
    Paired,
    Place,
    Request,
    Suggest,
)
from symexec.shadow.directions import Way, followed, going, is_open, taking, ways
from symexec.shadow.regions import begin_instruction
from symexec.state.endings import Access, AssumptionFailed, Exit, MemoryFault, Unsupported
from symexec.state.inputs import Script
from symexec.state.state import Frame, Region, State

Decided = list[tuple[State, Operand | None]]


def run_model(
    engine: Execution,
    state: State,
    step: Call,
    name: str,
    arguments: tuple[Data, ...],
    different: Difference | None = None,
    doubt: str = "",
) -> Iterator[State]:
    entry = engine.models[name]
    if different is not None:
        entry = different.adapt(entry, doubt)
    if state.mode != BOTH or not state.shadows:
        yield from _run(engine, state, step, entry, arguments)
        return
    # Some value on this path is a pair. If the model meets one it runs once for each version.
    if entry.aware or not any(isinstance(argument, Shadowed) for argument in arguments):
        trial = state.fork()
        try:
            yield from list(_run(engine, trial, step, entry, arguments))
            return
        except Paired:
            state.decisions, state.recent, state.script = (
                trial.decisions,
                trial.recent,
                trial.script,
            )
    begin_instruction(state)
    projected = tuple(engine.value(state, argument) for argument in step.arguments)
    yield from _run(engine, state, step, entry, projected)


def _run(
    engine: Execution, state: State, step: Call, entry: ModelEntry, arguments: tuple[Data, ...]
) -> Iterator[State]:
    # Where a model may find out that it should have asked, this is the state before the call.
    pristine = state.fork() if state.memory.blank or state.memory.bounded else None
    context = ModelContext(engine, state, step)
    model = entry.function(context, tuple(_simplified(engine, state, each) for each in arguments))
    answer: object = None
    guessing = False  # the request after a suggestion: is it that value, or any of the rest?
    try:
        while True:
            request = model.send(answer)
            if state.memory.exposed:
                request = _wherever_objects_lie(engine, state, request)
            unknown = _asked_about(engine, request) if state.memory.undefined else None
            if unknown is not None:
                found = list(decided(engine, state, unknown, "decides in the library"))
                known = found[0][1]
                if len(found) > 1 or known is None:
                    yield from _rerun(engine, found, step, entry, arguments)
                    return
                request = _about(request, known)
            match request:
                case Decide(condition=condition, behind=behind, presumed=presumed):
                    if isinstance(condition, int):
                        answer = bool(condition)
                        continue
                    seed = state.leading
                    if seed is not None and not isinstance(seed, Script):
                        answer, state.path = followed(condition, state.path, seed)
                        continue
                    open_ways = ways(condition, state.path, engine.solver, seed)
                    if not open_ways:
                        return
                    if presumed:
                        open_ways = [way for way in open_ways if way.taken] or open_ways
                    elif is_open(open_ways):
                        yield from _asked_again(state, open_ways, behind + guessing)
                        return
                    taking(state, open_ways[0])
                    answer = open_ways[0].taken
                    guessing = False
                case Defer(behind=behind):
                    state.deferred += behind
                    answer = None
                case Concretize(term=term, why=why):
                    noted = state.events
                    answer = engine.pin(state, term, why)
                    if pristine is not None and state.events is not noted:
                        pristine.note_again(state)
                case Suggest(term=term):
                    answer = term if isinstance(term, int) else engine.possible(state, term)
                    guessing = True
                case End(ending=ending):
                    if isinstance(ending, AssumptionFailed):
                        engine.counters.assumptions_failed += 1
                    if isinstance(ending, Unsupported):
                        yield from engine.refuse(state, ending.what)
                    else:
                        yield from engine.end(state, ending)
                    return
                case Place():
                    answer = note(state, step)
                case JumpBack(number=number, value=value):
                    yield from jump_back(engine, state, number, value)
                    return
                case _:
                    assert_never(request)
    except StopIteration as done:
        result = done.value
    except Used as used:
        assert pristine is not None
        pristine.goes_on_from(state)  # what was decided and pinned stays so
        found = list(decided(engine, pristine, used.term, "is written"))
        yield from _rerun(engine, found, step, entry, arguments)
        return
    except Unproven as unproven:
        assert pristine is not None
        pristine.goes_on_from(state)
        found = _sized(engine, pristine, unproven)
        yield from _rerun(engine, found, step, entry, arguments)
        return
    except Faulted as faulted:
        yield from engine.end(state, faulted.ending)
        return
    if step.target is not None:
        value = 0 if result is None else result
        state.set_register(step.target.number, value)
    yield engine.next(state)


def _simplified(engine: Execution, state: State, argument: Data) -> Data:
    """A pointer or a size, simplified by the path condition."""
    if isinstance(argument, Term) and argument.width == 64:
        return engine.solver.simplified(state.path, argument)
    return argument


def _asked_about(engine: Execution, request: Request) -> Term | None:
    """The value that a request depends on, if that depends on uninitialised memory."""
    match request:
        case Decide(condition=term) | Concretize(term=term) | Suggest(term=term):
            pass
        case End(ending=Exit(status=term)):
            pass
        case _:
            return None
    return term if isinstance(term, Term) and engine.undefined.within(term) else None


def _wherever_objects_lie(engine: Execution, state: State, request: Request) -> Request:
    """The request about a value that does not depend on addresses, or an event."""
    match request:
        case Decide(condition=Term() as term):
            value = address_uses.decided(engine, state, term, "decides in the library")
            return replace(request, condition=value)
        case Concretize(term=Term() as term):
            return replace(
                request, term=address_uses.pointed(engine, state, term, "is used in the library")
            )
        case Suggest(term=Term() as term):
            return replace(
                request, term=address_uses.pointed(engine, state, term, "is used in the library")
            )
        case End(ending=Exit(status=Term() as term) as ending):
            known = address_uses.decided(engine, state, term, "is the status")
            return End(replace(ending, status=known))
        case _:
            return request


def _about(request: Request, value: Operand) -> Request:
    """The same request for a value that is known."""
    match request:
        case Decide():
            return Decide(value)
        case Concretize(why=why):
            return Concretize(value, why)
        case Suggest():
            return Suggest(value)
        case _:
            return End(Exit(value))


def _rerun(
    engine: Execution,
    found: Decided,
    step: Call,
    entry: ModelEntry,
    arguments: tuple[Data, ...],
) -> Iterator[State]:
    """Run the model again on the paths that go on; ``found`` has what is known there."""
    for state, known in found:
        if known is None:
            yield state
        else:
            yield from _run(engine, state, step, entry, arguments)


def _sized(engine: Execution, state: State, unproven: Unproven) -> Decided:
    """The states where the object is as large as the model assumes; in others the path ends by a
    fault."""
    item = state.memory.find(unproven.number)
    assert item is not None
    address = address_of(item.number, unproven.offset)
    large = inside(address, item, unproven.size, state.mode)
    found: Decided = []
    for way in engine.ways(state, large):
        successor = going(state, way)
        if way.taken:
            learn(successor, item, unproven.offset, unproven.size)
            found.append((successor, 0))
            continue
        text = f"{item.name}, offset {unproven.offset}"
        access = Access.WRITE if unproven.write else Access.READ
        given = state.memory.given(address)
        far = state.memory.is_far(address)
        kind, size = FaultKind.OUT_OF_BOUNDS, unproven.size
        ending = MemoryFault(kind, text, access, size, given, unseen=far)
        found += [(ended, None) for ended in engine.end(successor, ending)]
    return found


def _asked_again(state: State, found: Sequence[Way], behind: int) -> Iterator[State]:
    """The same call twice, with the request answered yes and no; the second goes ``behind`` steps
    later. So does the rest of a speculation: its path condition is harder, and there may be many
    more values."""
    for way in found:
        successor = state if way is found[-1] else state.fork()
        taking(successor, way)
        if not way.taken:
            successor.deferred += behind
        yield successor


# ----------------------------------------------------------------------------- setjmp and longjmp
# Back to a call of setjmp: the frames above it are left, it returns a second time.
#
# main: if (setjmp(b)) ...        note(main's frame, block 0, index 2)  ->  1
# f:    longjmp(b, 5)             f's frame goes; main stands behind index 2, the result is 5


STORE = "longjmp"


@record
class Noted:
    """A call that can return again. ``slots`` distinguish the activations of a function."""

    depth: int
    function: str
    slots: tuple[int, ...]
    place: tuple[int, int]
    result: int | None


def note(state: State, step: Call) -> int:
    """The number of the call at which the state stands; calls in a loop have the same one."""
    frame = state.top
    result = None if step.target is None else step.target.number
    place = (frame.block, frame.index)
    noted = Noted(frame.depth, frame.function.name, frame.slots, place, result)
    known = _noted(state)
    if noted not in known:
        known = (*known, noted)
        state.environment[STORE] = known
    return known.index(noted) + 1


def jump_back(engine: Execution, state: State, number: object, value: Data) -> Iterator[State]:
    known = _noted(state)
    if not isinstance(number, int) or not 0 < number <= len(known):
        yield from engine.end(
            state, MemoryFault(FaultKind.WILD, "longjmp without setjmp", Access.CALL, 0)
        )
        return
    goal = known[number - 1]
    if not _is_active(state, goal):
        ending = MemoryFault(
            FaultKind.WILD, f"longjmp to {goal.function}, which is left", Access.CALL, 0
        )
        yield from engine.end(state, ending)
        return
    if state.region is not None and goal.depth < state.region.depth:
        yield from engine.refuse(state, "longjmp out of what one version runs by itself")
        return
    if state.region is not None and goal.depth == state.region.depth:
        _leave_instruction(state, state.region)
    while state.top.depth > goal.depth:
        for slot in state.top.slots:
            state.memory.drop_stack(slot)
        state.frame = state.top.caller
    frame = state.owned_frame()
    for slot in frame.slots:  # which blocks are left is not followed
        state.memory.begin_life(slot, state.mode, None)
    frame.resume = None
    frame.block, frame.index = goal.place[0], goal.place[1] + 1
    if goal.result is not None:
        state.set_register(goal.result, value)
    yield state


def _leave_instruction(state: State, region: Region) -> None:
    """The versions jump to different places: the running one goes on by itself to its end."""
    if region.join[1]:
        state.region = replace(region, join=(-1, 0))


def _noted(state: State) -> tuple[Noted, ...]:
    found = state.environment.get(STORE, ())
    assert isinstance(found, tuple)
    return found


def _is_active(state: State, goal: Noted) -> bool:
    frame: Frame | None = state.frame
    while frame is not None and frame.depth > goal.depth:
        frame = frame.caller
    return frame is not None and frame.function.name == goal.function and frame.slots == goal.slots
