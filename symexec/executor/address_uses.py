"""Instructions and models that use the number of an address (``addresses.py``).

    if ((uintptr_t) s & 7)      both ways are followed: an event, for only one is taken natively
    if ((uintptr_t) s != 0)     one way, wherever s lies
    *(char *) ((uintptr_t) p & ~7)    p[0], an event where p need not be aligned

Along a given input there is no choice: the path is that of the made-up number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product

from csg.errors import Location
from csg.ir import Branch, Instruction, Register, Return, Switch, Terminator
from symexec.executor.addresses import number_of, objects_led_to
from symexec.executor.execution import Execution
from symexec.executor.pointer_bytes import as_number
from symexec.executor.undefined_uses import ACCESSED, note, used
from symexec.expr import (
    Data,
    Operand,
    Shadowed,
    Term,
    compare,
    new_half,
    old_half,
    shadowed,
)
from symexec.ledger import Reason
from symexec.memory import AllocationKind
from symexec.solver import Answer
from symexec.state.inputs import GIVEN, Given, Guided, Script, compared_text
from symexec.state.state import State

UNTRACED = "a pointer as a number, to one of several objects"


def settle(engine: Execution, state: State, step: Instruction | Terminator) -> None:
    """Give the operands that matter at once a value that does not depend on addresses, or note an
    event. Decisions and results that depend on them stay as they are: both ways are possible."""
    for operand, what in used(step):
        if not isinstance(operand, Register):
            continue
        value = engine.value(state, operand)
        if not engine.addresses.within(value):
            continue
        if isinstance(step, Branch | Switch | Return):
            known = _of_halves(value, partial(decided, engine, state, what=what))
        else:
            known = _of_halves(value, partial(pointed, engine, state, what=what))
        state.set_register(operand.number, known)


def _of_halves(value: Data, of: Callable[[Operand], Operand]) -> Data:
    if isinstance(value, Shadowed):
        return shadowed(of(old_half(value)), of(new_half(value)))
    return of(value)


def decided(engine: Execution, state: State, value: Operand, what: str) -> Operand:
    """The value with made-up numbers where it is the same for all others; else the value itself,
    and what is known of addresses becomes part of the path."""
    addresses = engine.addresses
    if isinstance(value, int) or not addresses.within(value):
        return value
    made_up = addresses.concealed(value)
    doubt = compare("ne", value.width, value, made_up)
    assert not isinstance(doubt, Shadowed)
    if isinstance(doubt, int) and not doubt:
        return made_up
    seed = state.leading
    path = state.path
    given = state.environment.get(GIVEN)
    for fact in addresses.known(state.memory, value, given if isinstance(given, Given) else None):
        path = seed.along(path, fact) if isinstance(seed, Guided) else path.assuming(fact)
    check = engine.solver.check
    if not engine.answer(state, lambda: int(check(path, doubt) is not Answer.UNSAT)):
        return made_up
    _tell(engine, state, value, what)
    if isinstance(seed, Script | None) or _gives(seed.values, addresses.of(value)):
        state.path = path
        return value
    return made_up


def _gives(values: Mapping[Term, int], places: list[Term]) -> bool:
    """Does an input say where the objects lie? One that the search has made does."""
    return all(each in values for each in places)


def pointed(engine: Execution, state: State, value: Operand, what: str) -> Operand:
    """The value with made-up numbers; an event unless it is a place in an object."""
    addresses = engine.addresses
    if isinstance(value, int) or not addresses.within(value):
        return value
    if not addresses.is_pointer(state.memory, value):
        _tell(engine, state, value, "decides what is accessed" if what == ACCESSED else what)
    return addresses.concealed(value)


def _tell(
    engine: Execution, state: State, value: Term, what: str, location: Location | None = None
) -> None:
    text = f"the address of {engine.addresses.names(state.memory, value)} {what}"
    note(engine, state, Reason.ADDRESSES, text, location)


# ------------------------------------------------------------------------------- inside of chunks
# Casts, comparisons and differences, as generated code calls them. They do not fork.


def address_helpers(engine: Execution) -> dict[str, object]:
    """The functions that generated source may call, by name; ``block`` and ``index`` are the place
    of the instruction."""
    addresses = engine.addresses

    def exposed(state: State, value: Data, block: int, index: int) -> Data:
        """``(uintptr_t) value``"""

        def of(half: Operand) -> Operand:
            return traced(state, addresses.exposed(state.memory, half), half, block, index)

        return _of_halves(value, of)

    def concealed(state: State, value: Data, block: int, index: int) -> Data:
        """``(char *) value``"""
        if not state.memory.exposed or not addresses.within(value):
            return value

        def of(half: Operand) -> Operand:
            if (
                isinstance(half, Term)
                and addresses.within(half)
                and not addresses.is_pointer(state.memory, half)
            ):
                where = place(state, block, index)
                _tell(engine, state, half, "decides where a pointer points", where)
            return addresses.concealed(half)

        return _of_halves(value, of)

    def ordered(
        state: State, operator: str, left: Data, right: Data, block: int, index: int
    ) -> Data:
        """``left < right`` of pointers"""

        def bounds(term: Operand) -> tuple[int, int]:
            return engine.solver.bounds(state.path, term)

        def of(one: Operand, other: Operand) -> Operand:
            found = addresses.ordered(state.memory, operator, one, other, bounds)
            plain = compare(operator, 64, one, other)
            assert not isinstance(plain, Shadowed)
            return traced(state, found, plain, block, index)

        return _of_pairs(left, right, of)

    def equal(state: State, operator: str, left: Data, right: Data, block: int, index: int) -> Data:
        """``left == right`` of pointers"""

        def of(one: Operand, other: Operand) -> Operand:
            plain = compare(operator, 64, one, other)
            assert not isinstance(plain, Shadowed)
            apart = _given_apart(state, one, other)
            if apart is not None:
                _tell_apart(engine, state, apart, place(state, block, index))
                return plain
            _tell_elsewhere(engine, state, one, other, place(state, block, index))
            found = addresses.equal(state.memory, operator, one, other)
            return traced(state, found, plain, block, index)

        return _of_pairs(left, right, of)

    def read_as_number(
        state: State, address: int, size: int, value: Data, block: int, index: int
    ) -> Data:
        where = place(state, block, index)
        return number_read(engine, state, address, size, value, where)

    def distance(state: State, left: Data, right: Data, block: int, index: int) -> Data:
        """``left - right`` of pointers, in bytes"""

        def of(one: Operand, other: Operand) -> Operand:
            found = addresses.distance(state.memory, one, other)
            return traced(state, found, addresses.number_distance(one, other), block, index)

        return _of_pairs(left, right, of)

    def traced(
        state: State, found: Operand | None, otherwise: Operand, block: int, index: int
    ) -> Operand:
        if found is not None:
            return found
        _tell_untraced(engine, state, place(state, block, index))
        return otherwise

    def place(state: State, block: int, index: int) -> Location:
        step = state.top.function.blocks[block].instructions[index]
        return engine.program.nodes[step.node].location

    return {
        "exposed": exposed,
        "concealed": concealed,
        "ordered": ordered,
        "equal": equal,
        "distance": distance,
        "as_number": read_as_number,
    }


def number_read(
    engine: Execution, state: State, address: int, size: int, value: Data, location: Location
) -> Data:
    """What a read of a number gives that may meet a pointer."""
    if not engine.addresses.tracked:
        return value
    found = as_number(engine, state, address, size, value)
    if found is None:
        _tell_untraced(engine, state, location)
        return value
    return found


def _tell_untraced(engine: Execution, state: State, location: Location) -> None:
    note(engine, state, Reason.ADDRESSES, UNTRACED, location)


def _tell_apart(engine: Execution, state: State, apart: Sequence[str], location: Location) -> None:
    text = f"{' and '.join(apart)} are compared, and are different objects in each test"
    note(engine, state, Reason.ADDRESSES, text, location)


def _tell_elsewhere(
    engine: Execution, state: State, left: Operand, right: Operand, location: Location
) -> None:
    """Note that a pointer of the caller is compared with what is no object: with a number, as
    ``MAP_FAILED``, or with a function. The caller may pass just that, and no test does."""
    given = state.environment.get(GIVEN)
    if not isinstance(given, Given):
        return
    for pointer, other in ((left, right), (right, left)):
        if not isinstance(other, int) or not other:
            continue
        item = state.memory.find(number_of(other))
        if item is not None and item.kind is not AllocationKind.FUNCTION:
            continue
        led = (state.memory.find(number) for number, _ in objects_led_to(pointer))
        for one in led:
            if one is not None and one.number in given.objects:
                text = compared_text(one.name, other if item is None else item.name)
                note(engine, state, Reason.ADDRESSES, text, location)


def _given_apart(state: State, left: Operand, right: Operand) -> tuple[str, str] | None:
    """The names of two objects, one of them an input, that these pointers lead to and that a caller
    may have as one, while no initial state has."""
    given = state.environment.get(GIVEN)
    if not isinstance(given, Given):
        return None
    for (number, start), (other, end) in product(objects_led_to(left), objects_led_to(right)):
        if given.may_be_one(state.memory, number, other):
            one, two = (given.name(state.memory, each) for each in (number, other))
            apart = None if start is None or end is None else end - start
            if apart is None or not given.has_tried(one, two, apart):
                return one, two
    return None


def _of_pairs(left: Data, right: Data, of: Callable[[Operand, Operand], Operand]) -> Data:
    if isinstance(left, Shadowed) or isinstance(right, Shadowed):
        return shadowed(of(old_half(left), old_half(right)), of(new_half(left), new_half(right)))
    return of(left, right)
