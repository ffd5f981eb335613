"""The observable result: by what the caller of the entry function can distinguish two versions.

    return x + 1;  |  return x;              returns x + 1 or x: always
    return "big";  |  return names + 6;      the texts, not where they lie
    *count = n;    |  *count = n > 0;        what is left in objects that the caller knows
    item->n = n;  |  item->n = n + 1;        in objects that a returned pointer leads to, too
    total = n;    |  total = n + 1;          in global and static objects that the call writes

It is what replay looks at (``replay.harness``): of a pointer to char the text up to its 0, of
another pointer whether it is null; what is left in memory when the function comes back.

Global and static objects count where the program's files define them, constants aside, and the call
may write or read them by the points-to analysis. An object that one version alone has can be
compared with nothing: where the call writes it, that is an event, for no proof holds beyond it. So
it is of one that begins with the number of a line which is another one in the other version.

    int total;  static int calls;              f writes them: they are compared after the call,
    int f(int x) { static int n; ... }         and so is f.n
    int mode;                                  f reads it, and a caller may have set it: an input

A scalar is an input when it is visible to other files, or when a function that the call does not
come by writes it too; the others, and everything that has parts, hold what they are initialised
with (``Globals.INITIAL``: all of them do).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from csg.analysis import DependenceGraph
from csg.analysis.memory_flow import TOUCHES_MEMORY, Accesses
from csg.analysis.objects import ObjectKind, bits
from csg.ir import Program
from csg.language.syntax import (
    Declaration,
    FunctionDefinition,
    Linkage,
    StorageDuration,
    Symbol,
    SymbolKind,
    TranslationUnit,
)
from csg.language.traversal import walk
from csg.language.types import (
    Array,
    Enumeration,
    Floating,
    Integer,
    Pointer,
    Record,
    Type,
    is_opaque,
    size_of,
)
from csg.records import record
from symexec.exploration.start import (
    ADDRESSES,
    ELSEWHERE,
    RESULT_AT,
    differing_memory,
    leads,
    pointers_elsewhere,
)
from symexec.expr import (
    Data,
    Operand,
    compare,
    conjunction,
    disjunction,
    extract,
    new_half,
    old_half,
    shadowed,
)
from symexec.inputs.structures import (
    COMPARED,
    Member,
    Place,
    is_followed,
    is_text,
    object_places,
    places,
)
from symexec.memory import NEW, OLD, AllocationKind, offset_of
from symexec.runtime.operands import plain
from symexec.runtime.process import different_files
from symexec.shadow.outcomes import Observable, differences
from symexec.state.endings import Returned
from symexec.state.state import Event, EventKind, Outcome, State
from symexec.testcases import signature_of
from symexec.testcases.signature import RESULT, Parameter, ParameterKind, lasting_parts

LONGEST = 1 << 12  # bytes of a returned text that are compared
BEYOND = (
    "what was allocated may differ where nobody looks: far behind pointers, or behind the first "
    "of several elements"
)


@record
class Watched:
    """An object that outlives the call, with the objects that its pointers lead to."""

    what: Lasting
    places: tuple[Place, ...]


@record
class Caller:
    """The caller of the entry function. ``main``: it is the system, which learns the low byte of
    the result. ``result``: the kind of the result, as in tests (scalar, string, pointer, structure;
    nothing is a scalar). ``returned``: what is compared of the object that is returned, or that the
    result points to."""

    main: bool
    result: ParameterKind = ParameterKind.SCALAR
    returned: tuple[Place, ...] = ()
    watched: tuple[Watched, ...] = ()

    @classmethod
    def of(cls, entry: FunctionDefinition, lasting: Iterable[Lasting] = ()) -> Caller:
        if entry.symbol.name == "main":
            return cls(True)
        result = signature_of(entry).result
        kind = getattr(entry.symbol.type, "result", None)
        returned: tuple[Place, ...] = ()
        if isinstance(kind, Pointer) and is_followed(kind):
            returned = tuple(places(RESULT, kind.target, depths=COMPARED))
        elif isinstance(kind, Record):
            returned = tuple(object_places(RESULT, kind, depths=COMPARED))
        watched = tuple(
            Watched(each, tuple(object_places(each.name, each.type, depths=COMPARED)))
            for each in lasting
        )
        return cls(
            False, ParameterKind.SCALAR if result is None else result.kind, returned, watched
        )

    def distinguishes(self, state: State) -> list[tuple[Observable, Operand]]:
        """Each part of the result that may differ, with the condition under which it does."""
        old, new = state.old_outcome, state.new_outcome
        assert old is not None and new is not None
        files = different_files(old, new)
        memory: list[tuple[Data, int]] = []
        if isinstance(old.ending, Returned) and isinstance(new.ending, Returned):
            memory = differing_memory(state)
            texts = [_texts(state, *each) for each in pointers_elsewhere(state)]
            memory += [(shadowed(0, condition), 1) for condition in texts]
            if self.returned:
                memory += _pairs(state, self.returned, self._ends(state), Reached())
            for each in self.watched:
                if each.what.replayed:
                    memory += _left(state, each)
        return differences(old, new, self.main, memory, files, self._results(state, old, new))

    def unseen(self, state: State) -> list[tuple[Event, Operand]]:
        """What may differ for the caller and no native run looks at: an event, and the
        condition."""
        old, new = state.old_outcome, state.new_outcome
        found: list[tuple[Event, Operand]] = []
        if self.main or old is None or new is None:
            return found
        if not (isinstance(old.ending, Returned) and isinstance(new.ending, Returned)):
            return found
        for each in self.watched:
            pairs = _uncovered(state, each)
            if not each.what.replayed:
                pairs += _left(state, each)
            if pairs:
                found.append((each.what.event, _differ(pairs)))
        beyond = self._not_compared(state)
        if beyond:
            event = Event(EventKind.APPROXIMATED, BEYOND, new.location)
            found.append((event, _differ(beyond)))
        return found

    def _ends(self, state: State) -> tuple[Operand, Operand]:
        """The addresses of the returned object in the old and in the new version."""
        at = state.environment[RESULT_AT]
        if self.result is ParameterKind.STRUCTURE:
            assert isinstance(at, int)
            return at, at
        assert state.old_outcome is not None and state.new_outcome is not None
        left, right = state.old_outcome.ending, state.new_outcome.ending
        assert isinstance(left, Returned) and isinstance(right, Returned)
        return old_half(left.value or 0), new_half(right.value or 0)

    def _not_compared(self, state: State) -> list[tuple[Data, int]]:
        """The values in allocated objects that differ between the versions and are not compared,
        each with its width in bits: behind many pointers, or behind the first of several
        elements."""
        items = [
            each
            for each in state.memory.live_objects()
            if each.kind is AllocationKind.HEAP and not each.dead and each.differs()
        ]  # a caller may not look at what a version has freed
        if not items:
            return []
        reached = Reached()
        if self.result is ParameterKind.STRING:
            reached.whole(*self._ends(state))
        if self.returned:
            list(_pairs(state, self.returned, self._ends(state), reached))
        for each in self.watched:
            address = _address(state, each.what.name)
            list(_pairs(state, each.places, (address, address), reached))
        for one, two in pointers_elsewhere(state):
            reached.whole(one, two)
        return [
            (value, 8 * size)
            for item in items
            for place, size, value in item.differs()
            if not reached.has(item.number, place, size)
        ]

    def _results(self, state: State, old: Outcome, new: Outcome) -> Operand | None:
        """The condition under which two returned pointers differ for the caller; None for other
        results."""
        if self.result in (ParameterKind.SCALAR, ParameterKind.STRUCTURE):
            return None
        match old.ending, new.ending:
            case Returned(value=left), Returned(value=right):
                one, two = old_half(left or 0), new_half(right or 0)
                return (
                    _nulls(one, two)
                    if self.result is ParameterKind.POINTER
                    else _texts(state, one, two)
                )
            case _:
                return None


class Reached:
    """The byte ranges of objects that are compared."""

    def __init__(self) -> None:
        self._parts: dict[int, list[tuple[int, int]]] = {}

    def add(self, address: int, size: int) -> None:
        start = offset_of(address)
        self._parts.setdefault(address >> 32, []).append((start, start + size))

    def whole(self, *addresses: Operand) -> None:
        for address in addresses:
            if isinstance(address, int):
                self.add(address >> 32 << 32, 1 << 32)

    def has(self, number: int, place: int, size: int) -> bool:
        parts = self._parts.get(number, ())
        return any(start <= place and place + size <= end for start, end in parts)


def _differ(pairs: list[tuple[Data, int]]) -> Operand:
    parts = [compare("ne", width, old_half(pair), new_half(pair)) for pair, width in pairs]
    return plain(disjunction(parts))


def _address(state: State, name: str) -> int:
    addresses = state.environment[ADDRESSES]
    assert isinstance(addresses, Mapping)
    found = addresses[name]
    assert isinstance(found, int)
    return found


def _left(state: State, watched: Watched) -> list[tuple[Data, int]]:
    """The differing values in an object that outlives the call, and in those that it leads to, with
    widths."""
    root, address = watched.places[0], _address(state, watched.what.name)
    item = state.memory.find(address >> 32)
    if item is None or not (root.pointers or item.differs()):
        return []
    return list(_pairs(state, watched.places, (address, address), Reached()))


def _uncovered(state: State, watched: Watched) -> list[tuple[Data, int]]:
    """The differing values in those parts of such an object that are left out: of unions, of large
    ones."""
    root = watched.places[0]
    item = state.memory.find(_address(state, watched.what.name) >> 32)
    if item is None or len(root.left_out) == len(root.opaque):
        return []
    known = [(each.offset, each.offset + _bytes(each)) for each in root.members]
    known += [(offset, offset + 8) for offset in root.pointers]
    return [
        (value, 8 * size)
        for place, size, value in item.differs()
        if not any(start <= place and place + size <= end for start, end in known)
    ]


def _bytes(member: Member) -> int:
    if member.bit_width is not None:
        return (member.bit_offset + member.bit_width + 7) // 8
    return size_of(member.type)


def _pairs(
    state: State, found: tuple[Place, ...], ends: tuple[Operand, Operand], compared: Reached
) -> Iterator[tuple[Data, int]]:
    """The differing values in an object, at an address in each version, and in those that it leads
    to. Uninitialised bytes are left out. ``compared`` gets the byte ranges that were looked at."""
    reached: dict[str, tuple[Operand, Operand]] = {found[0].name: ends}
    for place in found:
        one, two = reached.get(place.name, (0, 0))
        if not isinstance(one, int) or not isinstance(two, int) or 0 in (one, two):
            continue
        for member in place.members:
            compared.add(one + member.offset, _bytes(member))
            compared.add(two + member.offset, _bytes(member))
            if one == two and not _differs(state, one + member.offset, _bytes(member)):
                continue
            pair = _loaded(state, one + member.offset, two + member.offset, _bytes(member))
            if pair is not None:
                yield _of_bits(pair, member), member.bit_width or 8 * _bytes(member)
        for link in (*place.links, *place.opaque):
            compared.add(one + link.offset, 8)
            compared.add(two + link.offset, 8)
            pair = _loaded(state, one + link.offset, two + link.offset, 8)
            if pair is None:
                continue
            left, right = old_half(pair), new_half(pair)
            reached[link.name] = (left, right)
            text = is_text(link.target)
            yield shadowed(0, _nulls(left, right)), 1
            if leads(state, left, text) != leads(state, right, text):
                yield pair, 64
            elif text and left and right and leads(state, left, True) is ELSEWHERE:
                compared.whole(left, right)
                yield shadowed(0, _texts(state, left, right)), 1


def _differs(state: State, address: int, size: int) -> bool:
    """Does an object hold a value there that differs between the versions?"""
    item, offset = state.memory.find(address >> 32), offset_of(address)
    if item is None:
        return True
    return any(
        place < offset + size and offset < place + length for place, length, _ in item.differs()
    )


def _of_bits(pair: Data, member: Member) -> Data:
    """The bits of a bit-field, taken from the bytes that it lies in."""
    if member.bit_width is None:
        return pair
    return extract(pair, member.bit_offset, member.bit_width)


def _loaded(state: State, one: int, two: int, size: int) -> Data | None:
    """What both versions have stored there; None outside of objects, and for uninitialised
    bytes."""
    halves: list[Operand] = []
    for address, mode in ((one, OLD), (two, NEW)):
        item, offset = state.memory.find(address >> 32), offset_of(address)
        if item is None or not 0 <= offset <= len(item.data) - size:
            return None
        if item.unset is not None and any(item.unset[offset : offset + size]):
            return None
        halves.append(plain(item.load(offset, size, mode)))
    return shadowed(*halves)


def _nulls(one: Operand, two: Operand) -> Operand:
    """The condition that exactly one of two addresses is null."""
    left, right = compare("eq", 64, one, 0), compare("eq", 64, two, 0)
    return plain(compare("ne", 1, left, right))


def _texts(state: State, one: Operand, two: Operand) -> Operand:
    """The condition that two addresses lead to different texts. True where it cannot be computed:
    replay will see."""
    if (one is two and not isinstance(one, int)) or one == two == 0:
        return 0
    if not isinstance(one, int) or not isinstance(two, int) or 0 in (one, two):
        return 1
    parts: list[Data] = []
    alike: Data = 1  # both texts are equal up to here and not yet at their end
    for place in range(LONGEST):
        left, right = _byte(state, one + place, OLD), _byte(state, two + place, NEW)
        if left is None and right is None:  # both texts end with their objects, or both were freed
            return plain(disjunction(parts))
        if left is None or right is None:
            return 1
        parts.append(conjunction([alike, compare("ne", 8, left, right)]))
        same = [compare("eq", 8, left, right), compare("ne", 8, left, 0)]
        alike = conjunction([alike, *same])
        if isinstance(alike, int) and not alike:
            return plain(disjunction(parts))
    return 1


def _byte(state: State, address: int, mode: int) -> Data | None:
    """A byte of an object; None outside, and where the version has freed it. The size of the
    object may be a term and smaller at run time: the text has ended there."""
    item, offset = state.memory.find(address >> 32), offset_of(address)
    if item is None or not 0 <= offset < len(item.data) or item.dead & mode:
        return None
    return item.load(offset, 1, mode)


MOST_INPUTS = 32  # scalars that are inputs though the user named none
_NUMBER = re.compile(r"\.\d+$")

Named = dict[str, list[Symbol]]


@record
class Lasting:
    """An object that the call may write and both versions have. ``name`` is its name in the
    program. ``replayed``: native runs can look at it; not so where several objects of a version
    share its name."""

    name: str
    type: Type
    event: Event  # for the report, if it differs and native runs cannot look at it
    replayed: bool


@dataclass(frozen=True, slots=True)
class Outliving:
    """What outlives a call. ``inputs``: names of scalars that a caller may have set."""

    objects: tuple[Lasting, ...] = ()
    inputs: tuple[str, ...] = ()
    events: tuple[Event, ...] = ()

    @property
    def parts(self) -> tuple[Parameter, ...]:
        """The objects that native runs compare."""
        found: list[Parameter] = []
        for each in self.objects:
            if each.replayed:
                found += lasting_parts(each.name, each.type, each.event.location)
        return tuple(found)


NOTHING_OUTLIVES = Outliving()  # main: the process ends with it


def outliving(
    program: Program,
    dependences: DependenceGraph,
    unified: Sequence[TranslationUnit],
    old: Sequence[TranslationUnit],
    new: Sequence[TranslationUnit],
    moved: frozenset[str] = frozenset(),
) -> Outliving:
    """The objects that outlive a call. The units are those of the unified program and of each
    version. ``moved``: the objects that begin with a number that is made of their line."""
    within = _called(dependences, program.entry)
    reads, writes = _touched(program, dependences, within)
    outside = {name for name, code in program.functions.items() if not code.library} - within
    _, elsewhere = _touched(program, dependences, outside)
    everywhere, before, after = _defined(unified), _defined(old), _defined(new)
    objects: list[Lasting] = []
    events: list[Event] = []
    inputs: list[str] = []
    for name, item in program.globals.items():
        stem = name if name in everywhere else _NUMBER.sub("", name)
        if item.readonly or stem not in everywhere or item.type is None:
            continue
        kind = item.type
        both = len(before.get(stem, ())) == len(after.get(stem, ())) > 0
        if name in writes:
            if not both or not _compared(kind) or name in moved:
                why = "no type that can be compared" if both else "in one version only"
                why = "it begins with the number of its line" if name in moved else why
                text = f"'{name}' is not compared after the call: {why}"
                events.append(Event(EventKind.APPROXIMATED, text, item.location))
                continue
            alone = all(_is_unique(stem, units) for units in (everywhere, before, after))
            text = f"'{name}' differs after the call; native runs cannot tell it from its like"
            objects.append(
                Lasting(name, kind, Event(EventKind.APPROXIMATED, text, item.location), alone)
            )
        visible = everywhere[stem][0].linkage is Linkage.EXTERNAL
        if (
            both
            and name == stem
            and "." not in name
            and name in reads
            and isinstance(kind, Integer | Enumeration | Floating)
            and item.old_data is None
            and len(everywhere[stem]) == 1
            and (visible or name in elsewhere)
        ):
            inputs.append(name)
    return Outliving(tuple(objects), tuple(inputs[:MOST_INPUTS]), tuple(events))


def _compared(kind: Type) -> bool:
    """Can all parts of an object be compared? Not of an array of unknown length, nor vectors."""
    if isinstance(kind, Array) and not isinstance(kind.length, int):
        return False
    waiting = [kind]
    while waiting:
        match waiting.pop():
            case Array(element=element):
                waiting.append(element)
            case each if is_opaque(each):
                return False
            case Record(fields=fields):
                waiting += [each.type for each in fields or ()]
            case _:
                pass
    return True


def _is_unique(stem: str, defined: Named) -> bool:
    """Does a symbol table have only one object of this name?"""
    if len(defined[stem]) > 1:
        return False
    _, _, local = stem.partition(".")
    others = [name for name in defined if name != stem and name.partition(".")[2] == local]
    return not local or not others


def _defined(units: Iterable[TranslationUnit]) -> Named:
    """All objects of static duration that files define: ``name``, or ``function.name``."""
    found: Named = {}
    for unit in units:
        for declaration in unit.declarations:
            symbol = declaration.symbol
            if symbol.kind is SymbolKind.OBJECT and (
                symbol.defined or symbol.linkage is Linkage.INTERNAL
            ):
                found.setdefault(symbol.name, []).append(symbol)
        for function in unit.functions:
            for node in walk(function.body):
                if isinstance(node, Declaration) and _is_own(node.symbol):
                    name = f"{function.symbol.name}.{node.symbol.name}"
                    found.setdefault(name, []).append(node.symbol)
    return found


def _is_own(symbol: Symbol) -> bool:
    return symbol.storage is StorageDuration.STATIC and symbol.linkage is Linkage.NONE


def _called(dependences: DependenceGraph, entry: str) -> set[str]:
    """The functions that a call of the entry function can reach."""
    callees: dict[str, set[str]] = {}
    for place, names in dependences.calls.callees.items():
        callees.setdefault(place[0], set()).update(names)
    found, waiting = {entry}, [entry]
    while waiting:
        for name in callees.get(waiting.pop(), ()):
            if name not in found:
                found.add(name)
                waiting.append(name)
    return found


def _touched(
    program: Program, dependences: DependenceGraph, functions: set[str]
) -> tuple[set[str], set[str]]:
    """The names of the global objects that functions may read, and of those that they may write."""
    accesses = Accesses(dependences.pointers, dependences.calls)
    reads = writes = 0
    for name in sorted(functions):
        for block in program.functions[name].blocks:
            for index, step in enumerate(block.instructions):
                if type(step) in TOUCHES_MEMORY:
                    read, written = accesses.reads_and_writes((name, block.index, index), step)
                    reads |= read
                    writes |= written

    def names(cells: int) -> set[str]:
        objects = dependences.pointers.objects.objects
        found = (objects[accesses.cells[number].object] for number in bits(cells))
        return {each.name for each in found if each.kind is ObjectKind.GLOBAL}

    return names(reads), names(writes)
