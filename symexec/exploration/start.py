"""Make an initial state: a program loaded from files, with its inputs in place; and the states
behind it whose decisions are known."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from types import MappingProxyType
from zlib import crc32

from csg.ir import Program
from csg.ir.library_effects import ERRNO
from csg.language.syntax import FunctionDefinition, TranslationUnit
from csg.lower.linking import LIBRARY_PREFIX
from csg.programs import SourceFile
from csg.records import record
from csg.unify.unified import without_version
from symexec.executor.engine import Engine
from symexec.expr import (
    Data,
    Operand,
    Shadowed,
    Term,
    TermTable,
    compare,
    concat,
    conjunction,
    disjunction,
    extend,
    extract,
    new_half,
    old_half,
    shadowed,
    substitute,
    symbols,
)
from symexec.ledger import Reason
from symexec.memory import BOTH, PADDING, AllocationKind, MemoryObject, address_of, offset_of
from symexec.replay.sandbox import environment_below
from symexec.runtime import library
from symexec.runtime.contract import CALLED
from symexec.runtime.operands import plain
from symexec.shadow.outcomes import floats_differ
from symexec.solver import EMPTY, PathCondition
from symexec.state.inputs import (
    GIVEN,
    Address,
    Cell,
    Environ,
    Given,
    Misfit,
    OfGlobal,
    Prefix,
    Script,
    Start,
    StartObject,
    answers_of,
    decoded,
)
from symexec.state.state import State
from symexec.testcases.signature import ERRNO_NAME

WATCHED = "objects that the caller sees"
ADDRESSES = "addresses of the program's objects"
LINKED = MappingProxyType({ERRNO_NAME: ERRNO})  # inputs: their names in the program
_ELEMENT = re.compile(r"(.*)\[(\d+)\]([^\[\]]*)")
RESULT_AT = "address of the structure that is returned"


@record
class Watched:
    """An object, with the places of the pointers in it; ``texts``: of those that lead to texts;
    ``floats``: places and sizes of floating numbers, in bytes."""

    number: int
    pointers: tuple[int, ...] = ()
    texts: tuple[int, ...] = ()
    floats: frozenset[tuple[int, int]] = frozenset()


@record
class Origin:
    """What an initial state was made from: its start, and the path condition at the start."""

    start: Start
    known: PathCondition
    table: TermTable


def loaded_program(
    file: Path, flags: Sequence[str], entry: str | None, others: Sequence[Path] = ()
) -> Program:
    """The program of one file and the other files that belong to it, lowered and linked with the
    models that it needs."""
    program, _ = lowered_program(file, flags, entry, others)
    return program


def lowered_program(
    file: Path, flags: Sequence[str], entry: str | None, others: Sequence[Path] = ()
) -> tuple[Program, list[TranslationUnit]]:
    """The program and its units; the unit of the named file is first, whichever has the entry
    function."""
    from csg.frontend import parse_files
    from csg.lower import lower
    from csg.pipeline import entry_of

    units = parse_files([SourceFile(each, tuple(flags)) for each in (file, *others)])
    program = lower(units, (), entry_of(units, entry))
    library.complete(program)
    return program, units


def definition(units: Iterable[TranslationUnit], name: str) -> FunctionDefinition:
    return next(each for unit in units for each in unit.functions if each.symbol.name == name)


def fresh_state(engine: Engine) -> State:
    """A state with initialised globals in which nothing has run."""
    state = State(engine.machine.memory.fork(), EMPTY)
    state.shadows = any(item.old_data is not None for item in engine.program.globals.values())
    return state


def command_line(engine: Engine, state: State, words: Sequence[bytes]) -> tuple[Data, ...]:
    """argc, argv and environ for ``main``. The strings lie one behind the other, and before the
    environment, as the system places them."""
    memory = state.memory
    text = b"".join(word + b"\0" for word in (*words, *environment_below("/tmp")))
    strings = memory.allocate(len(text), AllocationKind.INPUT, "the command line")
    strings.data[:] = text
    argv = memory.allocate(8 * (len(words) + 1), AllocationKind.INPUT, "argv")
    address = address_of(strings.number)
    for place, word in enumerate(words):
        argv.store(8 * place, 8, address, state.mode)
        address += len(word) + 1
    return (len(words), address_of(argv.number), _environ(engine, state))


def _environ(engine: Engine, state: State) -> Operand:
    """What the object ``environ`` points to; a null pointer where the program has none."""
    address = engine.machine.addresses.get(library.ENVIRON, 0)
    item = state.memory.find(address >> 32) if address else None
    if item is None:
        return 0
    return new_half(item.load(0, 8, BOTH))


def _allocated(state: State, item: StartObject) -> int:
    """The number of a new object."""
    made = state.memory.allocate(
        item.size,
        AllocationKind.INPUT,
        item.name,
        unset=item.padding or None,
        extent=item.extent,
        least=(item.least,),
    )
    made.from_malloc = item.from_malloc
    return made.number


def begin(engine: Engine, start: Start) -> State:
    """The state before the first statement, with its inputs in place."""
    state = fresh_state(engine)
    for name in sorted(engine.program.carried):
        left = state.memory.find(engine.machine.addresses[name] >> 32)
        if left is not None and engine.program.globals[name].old_data is None:
            state.memory.writable(left).carry()
    numbers = [_allocated(state, item) for item in start.objects]

    def known(value: Operand | Address | OfGlobal) -> Operand:
        if isinstance(value, OfGlobal):
            return engine.machine.addresses[value.name] + value.offset
        if isinstance(value, Address):
            return address_of(numbers[value.object], value.offset)
        return value

    def write(number: int, cells: Sequence[Cell]) -> None:
        for cell in cells:
            item = state.memory.find(number)
            assert item is not None
            value: Data = known(cell.value)
            if cell.width < 8 * cell.size:
                value = extend(value, cell.width, 8 * cell.size, False)
            state.memory.writable(item).store(cell.offset, cell.size, value, BOTH)

    for number, described in zip(numbers, start.objects, strict=True):
        write(number, described.cells)
    for number, described in zip(numbers, start.objects, strict=True):
        _put_padding_bits(engine, state, number, described)
    for name, cells in start.globals.items():
        write(engine.machine.addresses[LINKED.get(name, name)] >> 32, cells)
    floating = {term for each in start.inputs if each.floating for term in each.terms}
    watched = [
        Watched(number, each.pointers, each.texts, _floats(each, floating))
        for number, each in zip(numbers, start.objects, strict=True)
        if each.seen
    ]
    state.environment.update(start.environment)
    # A process leaves no memory behind: nobody sees what becomes of argv.
    state.environment[WATCHED] = () if engine.program.entry == "main" else tuple(watched)
    state.environment[CALLED] = engine.program.entry != "main"
    state.environment[ADDRESSES] = engine.machine.addresses
    if engine.program.entry != "main":
        pairs = zip(numbers, start.objects, strict=True)
        names = {number: each.name for number, each in pairs if each.seen}
        state.environment[GIVEN] = Given(names, start.tried)
        state.environment[NAMELESS] = frozenset(engine.program.nameless)
    state.environment[RESULT_AT] = known(start.result) if start.result is not None else 0
    state.inputs = start.inputs
    for condition in start.conditions:
        state.path = state.path.assuming(condition)
    program = engine.program
    for name, item in program.globals.items():
        if item.external and name not in program.absent:
            text = f"'{name}' is defined in no file that was given: it holds zeros"
            state.note(Reason.APPROXIMATED, text, item.location)
    if program.entry != "main" and program.before_main:
        before = ", ".join(program.before_main)
        where = program.functions[program.before_main[0]].location
        state.note(Reason.APPROXIMATED, f"not called before '{program.entry}': {before}", where)
    if start.left_out:
        where = program.functions[program.entry].location
        zero = ", ".join(elements_joined(start.left_out))
        state.note(Reason.APPROXIMATED, f"zero in every input: {zero}", where)
    for code in library.own_functions_reached(program):
        state.note(Reason.APPROXIMATED, library.passed_over(code.name), code.location)
    state.origin = Origin(start, state.path, engine.table)
    first = library.start(engine.program)
    given = start.arguments
    if engine.program.entry == "main":
        given = given[: len(engine.program.functions[first].parameters)]
    arguments = tuple(
        _environ(engine, state) if isinstance(each, Environ) else known(each) for each in given
    )
    engine.machine.enter(state, first, arguments, None)
    return state


def _put_padding_bits(engine: Engine, state: State, number: int, described: StartObject) -> None:
    """Make the bits symbols that belong to no bit-field."""
    if not described.padding_bits or not engine.undefined.tracked:
        return
    state.memory.undefined = True
    for place, mask in described.padding_bits:
        item = state.memory.find(number)
        assert item is not None
        item = state.memory.writable(item)
        whole = item.load(place, 1, BOTH)
        other = engine.undefined.symbol(f"{PADDING}{described.name} #{number}+{place}:1", 8)
        value: Data = extract(other if mask & 1 else whole, 0, 1)
        for bit in range(1, 8):
            value = concat(extract(other if mask >> bit & 1 else whole, bit, 1), 1, value, bit)
        item.store(place, 1, value, BOTH)


def _floats(described: StartObject, floating: Collection[Operand]) -> frozenset[tuple[int, int]]:
    """The places and sizes of an object's cells that hold floating inputs."""
    if not floating:
        return frozenset()
    return frozenset((c.offset, c.size) for c in described.cells if c.value in floating)


# ---------------------------------------------------------------------------------------- prefixes
# A state as its decisions, and back: it is small, and any process can get there again.
#
#     prefix = prefix_of(state)                            a few bytes: prefix.encoded()
#     followed(engine, initial, [prefix])                  {prefix: state}
#
# No solver is asked on the way. Prefixes that begin alike are followed together, up to where they
# part. One that does not fit is left out: whoever asks must search its initial state instead.

_TURN = 4_000  # chunks


def prefix_of(state: State) -> Prefix:
    """The decisions of a state that waits in a search, and where it stands behind the last one."""
    answers = tuple(answers_of(state.decisions, state.recent))
    return Prefix(
        state.lane,
        state.beyond,
        state.deferred,
        state.forks,
        state.steps,
        _place(state),
        answers,
    )


def _place(state: State) -> int:
    frame = state.top
    text = f"{frame.function.name} {frame.block} {frame.index} {frame.depth} {state.mode}"
    return crc32(text.encode())


def followed(
    engine: Engine, initial: Mapping[tuple[int, bool], State], prefixes: Sequence[Prefix]
) -> dict[Prefix, State | None]:
    """The states of those prefixes that fit; None for one that another one comes by, whose state
    has all that is behind it. ``initial``: the initial states, by their numbers, within and beyond
    the bounds."""
    scripts: dict[tuple[int, bool], Script] = {}
    for prefix in prefixes:
        scripts.setdefault((prefix.initial, prefix.beyond), Script()).add(prefix)
    most = max((prefix.steps for prefix in prefixes), default=0)
    found: dict[Prefix, State | None] = {
        prefix: None
        for prefix in prefixes
        if scripts[prefix.initial, prefix.beyond].comes_by_another(prefix)
    }
    for place, script in scripts.items():
        begun = initial.get(place)
        if begun is None:
            continue
        root = begun.fork()
        root.script = script
        waiting = [root]
        while waiting:
            with suppress(Misfit):
                waiting += _advanced(engine, waiting.pop(), most, found)
    return found


def _advanced(
    engine: Engine, state: State, most: int, found: dict[Prefix, State | None]
) -> list[State]:
    """Run a state on; at the end of its script it is ``found``."""
    assert state.script is not None
    end, quantum = state.script.end, _TURN
    if end is not None:
        if state.steps == end.steps and _place(state) == end.place:
            state.script = None
            state.lane, state.beyond = end.initial, end.beyond
            state.deferred, state.forks = end.deferred, end.forks
            found[end] = state
            return []
        most = end.steps
        quantum = max(1, most - state.steps)
    if state.steps > most:
        raise Misfit("it goes on beyond its end")
    return [each for each in engine.advance(state, quantum) if each.frame is not None]


def found_again(
    find: Callable[[Sequence[Prefix]], Mapping[Prefix, State | None]], written: Sequence[bytes]
) -> tuple[dict[bytes, State], list[bytes]]:
    """The states of written prefixes, in their order and without those that another one comes by,
    and the prefixes that do not fit. ``find``: ``followed`` with all but the prefixes."""
    prefixes: dict[bytes, Prefix] = {}
    for each in written:
        with suppress(Misfit):
            prefixes[each] = decoded(each)
    states = find(list(prefixes.values()))
    found: dict[bytes, State] = {}
    unfit: list[bytes] = []
    for each in dict.fromkeys(written):
        if each not in prefixes or prefixes[each] not in states:
            unfit.append(each)
        elif (state := states[prefixes[each]]) is not None:
            found[each] = state
    return found, unfit


@record
class Revived:
    """States that were parked. ``lost``: how many could not be found again."""

    states: list[State]
    resting: list[State]
    lost: int


class Parked:
    """States for which there was no room in memory, as their decisions; the first ones in come out
    first. ``find`` finds states again (``found_again``)."""

    def __init__(self, find: Callable[[Sequence[Prefix]], Mapping[Prefix, State | None]]) -> None:
        self._find = find
        self._waiting: deque[tuple[bytes, bool]] = deque()

    def __len__(self) -> int:
        return len(self._waiting)

    def park(self, states: Iterable[State], resting: bool = False) -> int:
        """Write down those that have decisions; returns how many. One that follows a seed has
        none."""
        found = [prefix_of(state).encoded() for state in states if state.seed is None]
        self._waiting.extend((each, resting) for each in found)
        return len(found)

    def drained(self) -> tuple[list[bytes], list[bytes]]:
        """Take all of them out, as they are: the states, and those at rest."""
        found: tuple[list[bytes], list[bytes]] = ([], [])
        while self._waiting:
            data, resting = self._waiting.popleft()
            found[resting].append(data)
        return found

    def revived(self, count: int) -> Revived:
        """Take ``count`` of them out, or what is left."""
        taken = dict(self._waiting.popleft() for _ in range(min(count, len(self._waiting))))
        found, unfit = found_again(self._find, list(taken))
        parts: tuple[list[State], list[State]] = ([], [])
        for data, state in found.items():
            parts[taken[data]].append(state)
        return Revived(*parts, len(unfit))


def differing_memory(state: State) -> list[tuple[Data, int]]:
    """The values that differ between the versions in objects that the caller of the entry function
    sees, with their widths in bits. Pointers count by where they lead (``leads``)."""
    found: list[tuple[Data, int]] = []
    for each in _watched(state):
        item = state.memory.find(each.number)
        if item is None:
            continue
        if item.dead:  # it belongs to one version alone, or find would not return it
            found.append((shadowed(0, 1), 1))
            continue
        for place, size, raw in item.differs():
            value = without_padding(raw)
            if old_half(value) is new_half(value):
                continue
            if (place, size) in each.floats:
                bits = min(8 * size, 80)
                old, new = (plain(extract(half(value), 0, bits)) for half in (old_half, new_half))
                found.append((shadowed(0, floats_differ(old, new, bits)), 1))
                continue
            if place not in each.pointers or size != 8:
                found.append((value, 8 * size))
                continue
            one, two, text = old_half(value), new_half(value), place in each.texts
            if leads(state, one, text) != leads(state, two, text):
                found.append((shadowed(0, numbers_differ(one, two)), 1))
    return found


def pointers_apart(state: State) -> list[tuple[Operand, Operand, bool]]:
    """The pairs of pointers in these objects that depend on the input and differ between the
    versions, and whether they lead to texts."""
    found = []
    for each in _watched(state):
        item = state.memory.find(each.number)
        if item is None or item.dead:
            continue
        for place, size, value in item.differs():
            if place in each.pointers and size == 8:
                one, two = old_half(value), new_half(value)
                if isinstance(one, Term) or isinstance(two, Term):
                    found.append((one, two, place in each.texts))
    return found


def holds_padding(value: Data) -> bool:
    """Does it depend on bytes of the caller's objects that belong to no member?"""
    if isinstance(value, Shadowed):
        return holds_padding(value.old) or holds_padding(value.new)
    return isinstance(value, Term) and bool(_padding_in(value))


def without_padding(value: Data) -> Data:
    """The value with zeros for the padding of the caller's objects, as tests have it."""
    match value:
        case Shadowed(old=old, new=new):
            return shadowed(plain(without_padding(old)), plain(without_padding(new)))
        case Term() if found := _padding_in(value):
            return substitute(value, dict.fromkeys(found, 0))
        case _:
            return value


def _padding_in(term: Term) -> list[Term]:
    return [each for each in symbols(term) if str(each.name).startswith(PADDING)]


def pointers_elsewhere(state: State) -> list[tuple[Operand, Operand]]:
    """The pairs of pointers to texts in these objects that lead to none of them in both
    versions."""
    found = []
    for each in _watched(state):
        item = state.memory.find(each.number)
        if item is None:
            continue
        for place in each.texts:
            value = item.load(place, 8, BOTH)
            one, two = old_half(value), new_half(value)
            if leads(state, one, True) is leads(state, two, True) is ELSEWHERE:
                found.append((one, two))
    return found


def pointers_left(state: State) -> Iterator[tuple[Operand, Operand, bool]]:
    """The pairs of pointers in these objects, and whether they lead to texts."""
    for each in _watched(state):
        item = state.memory.find(each.number)
        if item is not None and not item.dead:
            for place in each.pointers:
                value = item.load(place, 8, BOTH)
                yield old_half(value), new_half(value), place in each.texts


def given_objects(state: State) -> Iterator[tuple[int, int]]:
    """The addresses of these objects in both versions."""
    for each in _watched(state):
        item = state.memory.find(each.number)
        if item is not None and not item.dead:
            yield address_of(each.number), address_of(each.number)


def _watched(state: State) -> tuple[Watched, ...]:
    watched = state.environment[WATCHED]
    assert isinstance(watched, tuple)
    return watched


ELSEWHERE = object()
NUMBERS = 1 << 32, 1 << 63  # below the one and from the other on nothing lies, in a native run too


def is_number(address: Operand) -> Operand:
    """The condition that a pointer can lead nowhere, as ``(void *) 1``: it counts as a number."""
    below, above = NUMBERS
    return plain(
        disjunction([compare("ult", 64, address, below), compare("ule", 64, above, address)])
    )


def numbers_differ(one: Operand, two: Operand) -> Operand:
    """The condition under which two pointers differ for sure: they are different addresses that are
    known, or one of them counts as a number and the other is another one."""
    differ = compare("ne", 64, one, two)
    if isinstance(one, int) and isinstance(two, int):
        return plain(differ)
    return plain(conjunction([differ, disjunction([is_number(one), is_number(two)])]))


def leads(state: State, address: Operand, text: bool) -> object:
    """Where a pointer leads, as far as the caller can tell: its address, if it leads into an object
    that the caller gave or (unless only the ``text`` there counts) into an object or function with
    a name that callers know, or counts as a number; else ``ELSEWHERE``. An object that each version
    has for itself is one to the caller."""
    if not isinstance(address, int) or is_number(address):
        return address
    number = address >> 32
    if any(each.number == number for each in _watched(state)):
        return address
    item = None if text else state.memory.find(number)
    if item is None or item.kind not in _NAMED or is_literal(item):
        return ELSEWHERE
    names = state.environment.get(NAMELESS)
    if isinstance(names, frozenset) and item.name in names:
        return ELSEWHERE
    stem = without_version(item.name)
    return address if stem == item.name else (stem, offset_of(address))


NAMELESS = "nameless"  # in the environment store: objects and functions by no name
_NAMED = (AllocationKind.GLOBAL, AllocationKind.CONSTANT, AllocationKind.FUNCTION)


def is_literal(item: MemoryObject) -> bool:
    """Has it no name in the program, as string literals, compound literals, and objects of the
    library?"""
    is_static = item.kind in (AllocationKind.GLOBAL, AllocationKind.CONSTANT)
    return is_static and item.name.startswith((*LITERALS, LIBRARY_PREFIX))


LITERALS = (".str.", "<literal>")  # what the names of string and compound literals begin with


def elements_joined(names: Sequence[str]) -> list[str]:
    """Names as a person lists them: ``a[3] of s`` to ``a[9] of s`` are ``a[3..9] of s``."""

    def kind(name: str) -> tuple[str, str, str]:
        found = _ELEMENT.fullmatch(name)
        return (found[1], found[3], "") if found else ("", "", name)

    joined = []
    for (head, tail, whole), group in groupby(names, kind):
        found = [_ELEMENT.fullmatch(name) for name in group]
        numbers = [int(each[2]) for each in found if each]
        if whole or len(numbers) < 3 or numbers != [*range(numbers[0], numbers[-1] + 1)]:
            joined += [whole] * len(found) if whole else [f"{head}[{n}]{tail}" for n in numbers]
        else:
            joined.append(f"{head}[{numbers[0]}..{numbers[-1]}]{tail}")
    return joined
