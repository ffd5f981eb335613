"""The observable result: by what the caller of the entry function can distinguish two versions.

    return x + 1;  |  return x;              returns x + 1 or x: always
    return "big";  |  return names + 6;      the texts, not where they lie (whole_objects.py)
    return s + 1;  |  return s + n;          where they lie, too, in an object of an argument
    *count = n;    |  *count = n > 0;        what is left in objects that the caller knows
    item->n = n;  |  item->n = n + 1;        in objects that a returned pointer leads to, too
    total = n;    |  total = n + 1;          in global and static objects that the call writes

It is what replay looks at (``replay.harness``): of a pointer to char the text up to its 0, of
another pointer whether it is null, and where in the caller's objects it leads; what is left in
memory when the function comes back.

Global and static objects count where the program's files define them, constants aside, and the call
may write or read them by the points-to analysis. An object that one version alone has can be
compared with nothing: where the call writes it, that is an event, for no proof holds beyond it. So
it is of one that begins with the number of a line which is another one in the other version.

    int total;  static int calls;              f writes them: they are compared after the call,
    int f(int x) { static int n; ... }         and so is f.n
    int mode;                                  f reads it, and a caller may have set it: an input

A scalar, or a short array of them that begins with zeros, is an input when it is visible to other
files, or when a function that the call does not come by writes it too; the others, and everything
else that has parts, hold what they are initialised with (``Globals.INITIAL``: all of them do). A
path that reads one of these before it writes it is an event, and so is one that reads what the
library keeps. ``errno`` is an input where the program names it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from csg.analysis import DependenceGraph
from csg.analysis.aliasing import open_to_writes
from csg.analysis.memory_flow import Accesses
from csg.analysis.objects import ObjectKind, bits
from csg.errors import Location
from csg.ir import GlobalObject, Program
from csg.ir.library_effects import ERRNO
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
    Void,
    is_opaque,
    is_signed,
    size_of,
)
from csg.lower.linking import LIBRARY_PREFIX
from csg.records import record
from symexec.exploration.allocated import Root, allocated_apart
from symexec.exploration.depending import accesses
from symexec.exploration.doubts import Doubt
from symexec.exploration.handed_out import (
    asks_for_errno,
    begun_alike,
    compared_functions,
    handed_out,
    library_state,
    name_of_state,
    replaceable,
    shown_objects,
)
from symexec.exploration.interleaved import order_apart
from symexec.exploration.linked_objects import linked_apart
from symexec.exploration.moments import looked_at_meanwhile
from symexec.exploration.start import (
    ADDRESSES,
    ELSEWHERE,
    RESULT_AT,
    differing_memory,
    given_objects,
    holds_padding,
    leads,
    numbers_differ,
    pointers_apart,
    pointers_elsewhere,
    pointers_left,
)
from symexec.exploration.whole_objects import Pair, around_texts, literals_apart
from symexec.expr import (
    Data,
    Model,
    Operand,
    Term,
    compare,
    conjunction,
    disjunction,
    evaluate,
    extract,
    negate,
    new_half,
    old_half,
    shadowed,
)
from symexec.inputs.structures import (
    COMPARED,
    Member,
    Place,
    is_followed,
    is_shown_text,
    numbers_in,
    object_places,
    places,
)
from symexec.ledger import Omission, Reason
from symexec.memory import NEW, OLD, AllocationKind, offset_of
from symexec.runtime.formats.comparing import NONE, Difference, Text, difference, text_under
from symexec.runtime.operands import plain
from symexec.runtime.process import compare_files_left, process_apart
from symexec.shadow.outcomes import Observable, differences, floats_differ, seen_units
from symexec.state.buffers import flushes
from symexec.state.endings import Endless, Returned
from symexec.state.state import Outcome, State
from symexec.testcases import signature_of
from symexec.testcases.signature import ERRNO_NAME, RESULT, Parameter, ParameterKind, lasting_parts

LONGEST = 1 << 12  # bytes of a returned text that are compared
BEYOND = (
    "what was allocated may differ where nobody looks: far behind pointers, or behind the first "
    "of several elements"
)
IN_PADDING = "padding of objects that the caller sees may differ: only members are compared"
AROUND = "bytes behind the 0 of a text or before it may differ: only the text is compared"
LITERALS = "a literal that the caller gets may differ where nobody looks: behind its first element"


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
    result points to. ``floating``: the bits of a floating result, else 0. ``initially``: the names
    of the global objects that the versions initialise differently. ``program``: the unified one,
    for what callbacks can look at. ``public``: the names that other files see."""

    main: bool
    result: ParameterKind = ParameterKind.SCALAR
    returned: tuple[Place, ...] = ()
    watched: tuple[Watched, ...] = ()
    floating: int = 0
    initially: frozenset[str] = frozenset()
    program: Program | None = None
    public: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls,
        entry: FunctionDefinition,
        lasting: Iterable[Lasting] = (),
        initially: Iterable[str] = (),
        program: Program | None = None,
        public: Iterable[str] = (),
    ) -> Caller:
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
            False,
            ParameterKind.SCALAR if result is None else result.kind,
            returned,
            watched,
            floating_bits(kind) if isinstance(kind, Floating) else 0,
            frozenset(initially),
            program,
            frozenset(public),
        )

    def distinguishes(self, state: State) -> Compared:
        """Each part of the result that differs, with the condition under which it does, and what
        may differ besides."""
        old, new = state.old_outcome, state.new_outcome
        assert old is not None and new is not None
        doubts: list[Doubt] = []
        left = compare_files_left(old, new)
        files = left.condition
        if files is None:
            files = 0
            doubts.append(_unknown(Observable.FILES, 1, "the sizes of files are not known"))
        if left.modes:
            doubts.append(_unknown(Observable.FILES, 1, MODES))
        memory: list[tuple[Data, int]] = []
        hidden: list[tuple[Data, int]] = []
        results: Operand | None = None
        if isinstance(old.ending, Returned) and isinstance(new.ending, Returned):
            memory = differing_memory(state)
            for pair in pointers_apart(state):
                _put_pointers(doubts, state, *pair)
            texts = [_texts(state, *each) for each in pointers_elsewhere(state)]
            memory += self._behind_result(state, doubts)
            for each in self.watched:
                if each.what.replayed:
                    (hidden if each.what.private else memory).extend(_left(state, each, doubts))
            for condition in texts:
                if condition is None:
                    doubts.append(_unknown(Observable.MEMORY, 1, FAR))
                else:
                    memory.append((shadowed(0, condition), 1))
            results = self._results(state, doubts)
            if not self.main:
                for text, condition in linked_apart(state.memory, self._links(state)).items():
                    doubts.append(_unknown(Observable.MEMORY, condition, text))
        written = _written_apart(old, new, doubts)
        sure = differences(old, new, self.main, memory, files, written, results, hidden)
        return Compared(tuple(sure), tuple(doubts))

    def _behind_result(self, state: State, doubts: list[Doubt]) -> list[tuple[Data, int]]:
        if not self.returned:
            return []
        return list(_pairs(state, self.returned, self._ends(state), Reached(), doubts))

    def unseen(self, state: State) -> list[tuple[Omission, Operand]]:
        """What may differ for the caller and no native run looks at: an event, and the
        condition."""
        old, new = state.old_outcome, state.new_outcome
        found: list[tuple[Omission, Operand]] = []
        if old is None or new is None:
            return found
        found += order_apart(old, new)
        if self.main:
            return [*found, *_signals_apart(state, new.location)]
        if not (isinstance(old.ending, Returned) and isinstance(new.ending, Returned)):
            return found
        for each in self.watched:
            pairs = _uncovered(state, each)
            if not each.what.replayed:
                pairs += _left(state, each, [])
            if pairs:
                found.append((each.what.event, _differ(pairs)))
        beyond = list(self._not_compared(state))
        if beyond:
            event = Omission(Reason.APPROXIMATED, BEYOND, new.location)
            found.append((event, plain(disjunction(beyond))))
        around = list(self._around_texts(state))
        if around:
            event = Omission(Reason.APPROXIMATED, AROUND, new.location)
            found.append((event, plain(disjunction(around))))
        literals = 0 if self.program is None else self._literals_apart(self.program, state)
        if literals != 0:
            event = Omission(Reason.APPROXIMATED, LITERALS, new.location)
            found.append((event, literals))
        found += _half_written(state, new.location)
        found += allocated_apart(state.memory, self._roots(state), new.location)
        padding = list(_differing_padding(state))
        if padding:
            event = Omission(Reason.APPROXIMATED, IN_PADDING, new.location)
            found.append((event, _differ(padding)))
        for name in process_apart(old.environment, new.environment):
            text = f"{name} differs after the call; nothing compares it"
            found.append((Omission(Reason.APPROXIMATED, text, new.location), 1))
        found += self._left_elsewhere(state, new.location)
        if self.program is not None:
            found += looked_at_meanwhile(self.program, old, new)
        return found

    def _left_elsewhere(self, state: State, place: Location) -> Iterator[tuple[Omission, Operand]]:
        """The global objects that differ and that nobody compares, with the condition under which
        they do: what the library keeps from one call to the next, as ``errno``."""
        watched = {each.what.name for each in self.watched} | self.initially
        for item in state.memory.live_objects():
            if item.kind is not AllocationKind.GLOBAL or item.name in watched:
                continue
            pairs = [(value, 8 * size) for _, size, value in item.differs()]
            if pairs:
                text = f"{_state_named(item.name)} differs after the call; nothing compares it"
                yield Omission(Reason.APPROXIMATED, text, place), _differ(pairs)

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

    def _not_compared(self, state: State) -> Iterator[Operand]:
        """The conditions under which values in allocated objects differ that are not compared:
        behind many pointers, behind the first of several elements, or behind a pointer to void."""
        items = [
            each
            for each in state.memory.live_objects()
            if each.kind is AllocationKind.HEAP and not each.dead and each.differs()
        ]  # a caller may not look at what a version has freed
        if not items:
            return
        reached = self._reached(state)
        for ends in reached.others:
            pair = Pair.at(state.memory, ends)
            if pair is not None and pair.is_of_each:
                reached.whole(*ends)
                yield from pair.bytes_apart()
        pairs = [
            (value, 8 * size)
            for item in items
            for place, size, value in item.differs()
            if not reached.has(item.number, place, size)
        ]
        if pairs:
            yield _differ(pairs)

    def _reached(self, state: State) -> Reached:
        """What is compared of allocated objects."""
        reached = Reached()
        if self.result is ParameterKind.STRING:
            reached.both_texts(*self._ends(state))
        if self.returned:
            list(_pairs(state, self.returned, self._ends(state), reached, []))
        elif self.result is ParameterKind.POINTER:
            reached.both_others(*self._ends(state))
        for each in self.watched:
            address = _address(state, each.what.name)
            list(_pairs(state, each.places, (address, address), reached, []))
        for one, two in pointers_elsewhere(state):
            reached.both_texts(one, two)
        for one, two, is_text in pointers_left(state):
            if not is_text:
                reached.both_others(one, two)
        return reached

    def _roots(self, state: State) -> Iterator[Root]:
        """The pairs of addresses that a caller gets: the result, and the pointers in what it
        knows."""
        if self.result is ParameterKind.STRUCTURE:
            yield from _pointers_in(state, self.returned[0], *self._ends(state))
        elif self.result is not ParameterKind.SCALAR:
            yield *self._ends(state), self.result is ParameterKind.STRING
        yield from pointers_left(state)
        for each in self.watched:
            if not each.what.private:
                address = _address(state, each.what.name)
                yield from _pointers_in(state, each.places[0], address, address)

    def _links(self, state: State) -> Iterator[tuple[Operand, Operand]]:
        """The pairs of addresses from which all leads on that a caller gets: the result, and the
        objects of arguments."""
        if self.result is not ParameterKind.SCALAR:
            yield self._ends(state)
        yield from ((one, two) for one, two, _ in self._roots(state))
        yield from given_objects(state)

    def _around_texts(self, state: State) -> Iterator[Operand]:
        """The conditions under which the bytes around two texts differ, behind their 0 or before
        the pointers. Where the texts differ in every input, there is nothing to add."""
        for one, two in self._reached(state).texts:
            if _texts(state, one, two) != 1:
                yield from around_texts(state.memory, (one, two), self.public)

    def _literals_apart(self, program: Program, state: State) -> Operand:
        """The condition under which literals that are not compared as texts differ."""
        roots: list[tuple[int, int]] = []
        if self.result in (ParameterKind.POINTER, ParameterKind.STRING):
            one, two = self._ends(state)
            if isinstance(one, int) and isinstance(two, int):
                roots.append((one, two))
        return literals_apart(program, state.memory, roots, self._reached(state).texts)

    def _results(self, state: State, doubts: list[Doubt]) -> Operand | None:
        """The condition under which two results differ for the caller, by more than their bits;
        None for plain values. What may differ besides is put to ``doubts``."""
        if self.result is ParameterKind.STRUCTURE:
            return None
        one, two = self._ends(state)
        match self.result:
            case ParameterKind.SCALAR:
                return floats_differ(one, two, self.floating) if self.floating else None
            case ParameterKind.STRING:
                return _texts_apart(state, one, two, doubts)
            case _:
                return _pointers_differ(state, one, two, doubts)


def _pointers_in(state: State, place: Place, one: Operand, two: Operand) -> Iterator[Root]:
    """The pairs of pointers in an object, and whether they lead to texts."""
    assert isinstance(one, int) and isinstance(two, int)
    links = (*place.links, *place.opaque)
    texts = {each.offset for each in links if is_shown_text(each.target)}
    for offset in place.pointers:
        pair = _loaded(state, one + offset, two + offset, 8)
        if pair is not None:
            yield old_half(pair), new_half(pair), offset in texts


@record
class Compared:
    """The results of two versions side by side: the conditions under which parts of them differ,
    and what may differ."""

    sure: tuple[tuple[Observable, Operand], ...]
    doubts: tuple[Doubt, ...]


FAR = "texts behind pointers that depend on the input are not compared"


HELD = "how much of its output a stream held back at the end is not known"
FARTHER = "of two runs that do not end one has printed more"


def _state_named(name: str) -> str:
    is_of_library = name.startswith((LIBRARY_PREFIX, "__csgtest_"))
    return name_of_state(name) if is_of_library else name


MODES = "the permissions of files differ, which native runs do not compare"


def _signals_apart(state: State, place: Location) -> Iterator[tuple[Omission, Operand]]:
    """What the versions would do at a signal from outside, with the condition under which it
    differs at the end of a program."""
    for item in state.memory.live_objects():
        if item.name in _OF_SIGNALS:
            pairs = [(value, 8 * size) for _, size, value in item.differs()]
            if pairs:
                text = "actions of signals differ, and no test has signals from outside"
                yield Omission(Reason.APPROXIMATED, text, place), _differ(pairs)


_OF_SIGNALS = ("libc:actions", "__csgtest_blocked", "__csgtest_interrupting")  # libc/system.c


def _unknown(observable: Observable, condition: Operand, why: str) -> Doubt:
    return Doubt(observable, condition, (), lambda model: None, why)


def _written_apart(old: Outcome, new: Outcome, doubts: list[Doubt]) -> tuple[Operand, Operand]:
    """The conditions under which standard output and error differ, as a reader sees them."""
    endless = isinstance(old.ending, Endless) and isinstance(new.ending, Endless)
    if old.output is new.output and flushes(old.ending) is flushes(new.ending):
        return 0, 0
    found: list[Operand] = []
    for stream, observable in ((1, Observable.OUTPUT), (2, Observable.ERRORS)):
        (left, sure), (right, also) = (seen_units(each, stream) for each in (old, new))
        if not (sure and also):
            doubts.append(_unknown(observable, 1, HELD))
            found.append(0)
            continue
        if endless and len(left) != len(right):
            doubts.append(_unknown(observable, 1, FARTHER))
            common = min(len(left), len(right))
            left, right = left[:common], right[:common]
        texts = left, right
        each = difference(*texts)
        found.append(each.sure)
        if each is not NONE and each.perhaps != 0:
            doubts.append(_text_doubt(observable, each, texts))
    return found[0], found[1]


def _text_doubt(observable: Observable, apart: Difference, texts: tuple[Text, Text]) -> Doubt:
    def differs(model: Model) -> bool | None:
        (one, sure), (two, also) = (text_under(text, model) for text in texts)
        return one != two if sure and also else None

    terms = dict.fromkeys(number.term for number in apart.doubted)
    specs = sorted({number.spec for number in apart.doubted})
    why = f"whether numbers printed by {', '.join(specs)} have the same text is not known"
    return Doubt(observable, apart.perhaps, tuple(terms), differs, why)


def _pointers_differ(state: State, one: Operand, two: Operand, doubts: list[Doubt]) -> Operand:
    """The condition under which two pointers lead to different places, as far as the caller can
    tell."""
    if isinstance(one, int) and isinstance(two, int):
        return int(leads(state, one, False) != leads(state, two, False))
    _put_pointers(doubts, state, one, two, False, Observable.ENDING)
    return numbers_differ(one, two)


def _put_pointers(
    doubts: list[Doubt],
    state: State,
    one: Operand,
    two: Operand,
    text: bool,
    observable: Observable = Observable.MEMORY,
) -> None:
    """Two pointers that depend on the input may lead to different objects: unless both are the same
    or numbers, that is a doubt."""
    pair = (one, two)

    def differs(model: Model) -> bool:
        left, right = (
            leads(state, evaluate(end, model) if isinstance(end, Term) else end, text)
            for end in pair
        )
        return left != right

    condition = conjunction([compare("ne", 64, one, two), negate(numbers_differ(one, two))])
    terms = tuple(end for end in pair if isinstance(end, Term))
    why = "whether pointers that depend on the input lead to the same object is not known"
    if condition != 0:
        doubts.append(Doubt(observable, plain(condition), terms, differs, why))


class Reached:
    """The byte ranges of objects that are compared, and the addresses of ``texts`` in both
    versions: of these only what lies before the 0 is compared. ``others``: addresses of which only
    the object counts that they lead to."""

    def __init__(self) -> None:
        self._parts: dict[int, list[tuple[int, int]]] = {}
        self.texts: dict[tuple[int, int], None] = {}
        self.others: dict[tuple[int, int], None] = {}

    def add(self, address: int, size: int) -> None:
        start = offset_of(address)
        self._parts.setdefault(address >> 32, []).append((start, start + size))

    def whole(self, *addresses: Operand) -> None:
        for address in addresses:
            if isinstance(address, int):
                self.add(address >> 32 << 32, 1 << 32)

    def both_texts(self, one: Operand, two: Operand) -> None:
        self.whole(one, two)
        if isinstance(one, int) and isinstance(two, int) and one and two:
            self.texts[one, two] = None

    def both_others(self, one: Operand, two: Operand) -> None:
        if isinstance(one, int) and isinstance(two, int) and one and two:
            self.others[one, two] = None

    def has(self, number: int, place: int, size: int) -> bool:
        parts = self._parts.get(number, ())
        return any(start <= place and place + size <= end for start, end in parts)


def _differ(pairs: list[tuple[Data, int]]) -> Operand:
    parts = [compare("ne", width, old_half(pair), new_half(pair)) for pair, width in pairs]
    return plain(disjunction(parts))


def floating_bits(kind: Type) -> int:
    """The bits of a floating number that count: long double has some that do not."""
    return min(8 * size_of(kind), 80)


def _address(state: State, name: str) -> int:
    addresses = state.environment[ADDRESSES]
    assert isinstance(addresses, Mapping)
    found = addresses[name]
    assert isinstance(found, int)
    return found


def _left(state: State, watched: Watched, doubts: list[Doubt]) -> list[tuple[Data, int]]:
    """The differing values in an object that outlives the call, and in those that it leads to, with
    widths. ``doubts`` gets what may differ besides."""
    root, address = watched.places[0], _address(state, watched.what.name)
    item = state.memory.find(address >> 32)
    if item is None or not (root.pointers or item.differs()):
        return []
    return list(_pairs(state, watched.places, (address, address), Reached(), doubts))


def _half_written(state: State, place: Location) -> Iterator[tuple[Omission, Operand]]:
    """The objects with bytes that one version alone has written: in the other one they are what
    earlier calls left, which tests do not vary."""
    for item in state.memory.live_objects():
        if item.carried and any(each in (OLD, NEW) for each in item.halves.values()):
            text = f"'{item.name}' has bytes that one version leaves as earlier calls wrote them"
            yield Omission(Reason.APPROXIMATED, text, place), 1


def _differing_padding(state: State) -> Iterator[tuple[Data, int]]:
    """The differing values, with their widths, that are copies of padding."""
    for item in state.memory.live_objects():
        if item.kind in (AllocationKind.INPUT, AllocationKind.GLOBAL):
            for _, size, value in item.differs():
                if holds_padding(value):
                    yield value, 8 * size


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
    state: State,
    found: tuple[Place, ...],
    ends: tuple[Operand, Operand],
    compared: Reached,
    doubts: list[Doubt],
) -> Iterator[tuple[Data, int]]:
    """The differing values in an object, at an address in each version, and in those that it leads
    to. Uninitialised bytes are left out. ``compared`` gets the byte ranges that were looked at,
    ``doubts`` what may differ besides."""
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
            for start, size in _pieces(member):
                pair = _loaded(state, one + start, two + start, size)
                if pair is not None:
                    yield _comparable(pair, member, size)
        for link in (*place.links, *place.opaque):
            compared.add(one + link.offset, 8)
            compared.add(two + link.offset, 8)
            pair = _loaded(state, one + link.offset, two + link.offset, 8)
            if pair is None:
                continue
            left, right = old_half(pair), new_half(pair)
            reached[link.name] = (left, right)
            text = is_shown_text(link.target)
            yield shadowed(0, _nulls(left, right)), 1
            if leads(state, left, text) != leads(state, right, text):
                yield shadowed(0, numbers_differ(left, right)), 1
                if isinstance(left, Term) or isinstance(right, Term):
                    _put_pointers(doubts, state, left, right, text)
            elif text and left and right and leads(state, left, True) is ELSEWHERE:
                compared.both_texts(left, right)
                apart = _texts(state, left, right)
                yield shadowed(0, 1 if apart is None else apart), 1
            elif isinstance(link.target, Void):
                compared.both_others(left, right)


def _differs(state: State, address: int, size: int) -> bool:
    """Does an object hold a value there that differs between the versions?"""
    item, offset = state.memory.find(address >> 32), offset_of(address)
    if item is None:
        return True
    return any(
        place < offset + size and offset < place + length for place, length, _ in item.differs()
    )


def _comparable(pair: Data, member: Member, size: int) -> tuple[Data, int]:
    """The values of a member in both versions, to compare bit by bit, with their width."""
    if isinstance(member.type, Floating):
        bits = floating_bits(member.type)
        old, new = (plain(extract(half(pair), 0, bits)) for half in (old_half, new_half))
        return shadowed(0, floats_differ(old, new, bits)), 1
    return _of_bits(pair, member), member.bit_width or 8 * size


def _pieces(member: Member) -> Iterator[tuple[int, int]]:
    """The places and sizes of the pieces in which a member is compared: no term is wider than a
    solver likes it."""
    size = _bytes(member)
    for start in range(0, size, WIDEST):
        yield member.offset + start, min(WIDEST, size - start)


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
        if not item.has_value(offset, size):
            return None
        halves.append(plain(item.load(offset, size, mode)))
    return shadowed(*halves)


def _nulls(one: Operand, two: Operand) -> Operand:
    """The condition that exactly one of two addresses is null."""
    left, right = compare("eq", 64, one, 0), compare("eq", 64, two, 0)
    return plain(compare("ne", 1, left, right))


def _texts_apart(state: State, one: Operand, two: Operand, doubts: list[Doubt]) -> Operand:
    """The condition under which two returned texts differ: in the objects that the caller gave they
    also count by where they lie."""
    apart = _texts(state, one, two)
    if apart is None:
        doubts.append(_unknown(Observable.ENDING, 1, FAR))
    if isinstance(one, int) and isinstance(two, int):
        lie_apart = leads(state, one, True) != leads(state, two, True)
        return 1 if lie_apart else apart or 0
    _put_pointers(doubts, state, one, two, True, Observable.ENDING)
    return plain(disjunction([apart or 0, numbers_differ(one, two)]))


def _texts(state: State, one: Operand, two: Operand) -> Operand | None:
    """The condition that two addresses lead to different texts. None where that is not known."""
    if (one is two and not isinstance(one, int)) or one == two == 0:
        return 0
    if not isinstance(one, int) or not isinstance(two, int) or 0 in (one, two):
        both = isinstance(one, int) and isinstance(two, int)
        return 1 if both else None
    parts: list[Data] = []
    alike: Data = 1  # both texts are equal up to here and not yet at their end
    for place in range(LONGEST):
        left, right = _byte(state, one + place, OLD), _byte(state, two + place, NEW)
        if place == 0 and None in (left, right):  # no text: then it counts where it leads
            ends = [leads(state, each, False) for each in (one, two)]
            return int(left is not right or ends[0] != ends[1])
        if left is None and right is None:  # both texts end with their objects, or both were freed
            return plain(disjunction(parts))
        if left is None or right is None:
            return None
        parts.append(conjunction([alike, compare("ne", 8, left, right)]))
        same = [compare("eq", 8, left, right), compare("ne", 8, left, 0)]
        alike = conjunction([alike, *same])
        if isinstance(alike, int) and not alike:
            return plain(disjunction(parts))
    return None


def _byte(state: State, address: int, mode: int) -> Data | None:
    """A byte of an object; None outside, and where the version has freed it. The size of the
    object may be a term and smaller at run time: the text has ended there."""
    item, offset = state.memory.find(address >> 32), offset_of(address)
    if item is None or not 0 <= offset < len(item.data) or item.dead & mode:
        return None
    return item.load(offset, 1, mode)


MOST_ELEMENTS = 16  # of an array that is an input
WIDEST = 64  # bytes that are compared at once
MOST_INPUTS = 32  # scalars that are inputs though the user named none
_NUMBER = re.compile(r"\.\d+$")

Named = dict[str, list[Symbol]]


@record
class Lasting:
    """An object that the call may write and both versions have. ``name`` is its name in the
    program. ``replayed``: native runs can look at it; not so where several objects of a version
    share its name. ``private``: no caller can, for it is static and its address goes nowhere."""

    name: str
    type: Type
    event: Omission  # for the report, if it differs and native runs cannot look at it
    replayed: bool
    private: bool = False

    @property
    def parts(self) -> tuple[Parameter, ...]:
        """The object and what it leads to, as native runs look at it."""
        return lasting_parts(self.name, self.type, self.event.location, self.private)


@dataclass(frozen=True, slots=True)
class Outliving:
    """What outlives a call. ``inputs``: names of scalars that a caller may have set; ``initial``:
    what those of them begin with that only calls of the program's functions can set. ``carried``:
    names of other objects that callers or earlier calls may have set; a path that reads one before
    it writes it is an event."""

    objects: tuple[Lasting, ...] = ()
    inputs: tuple[str, ...] = ()
    initial: tuple[tuple[str, int], ...] = ()
    events: tuple[Omission, ...] = ()
    carried: frozenset[str] = frozenset()

    @property
    def parts(self) -> tuple[Parameter, ...]:
        """The objects that native runs compare."""
        return tuple(part for each in self.objects if each.replayed for part in each.parts)


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
    public = _otherwise_named(unified)
    elsewhere |= public
    everywhere, before, after = _defined(unified), _defined(old), _defined(new)
    stored_to = open_to_writes(unified)
    elsewhere |= {
        name
        for name in program.globals
        if not stored_to.isdisjoint(everywhere.get(name, everywhere.get(_NUMBER.sub("", name), ())))
    }
    shown = shown_objects(program, dependences, everywhere) | public
    objects: list[Lasting] = []
    events: list[Omission] = []
    inputs: list[str] = []
    initial: list[tuple[str, int]] = []
    carried: set[str] = set()
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
                events.append(Omission(Reason.APPROXIMATED, text, item.location))
                continue
            alone = all(_is_unique(stem, units) for units in (everywhere, before, after))
            text = f"'{name}' differs after the call; native runs cannot tell it from its like"
            event = Omission(Reason.APPROXIMATED, text, item.location)
            objects.append(Lasting(name, kind, event, alone, name not in shown))
        visible = everywhere[stem][0].linkage is Linkage.EXTERNAL
        if (
            both
            and name == stem
            and "." not in name
            and name in reads
            and item.old_data is None
            and len(everywhere[stem]) == 1
            and (visible or name in elsewhere)
        ):
            if _can_be_input(kind, item):
                inputs.append(name)
            else:
                carried.add(name)
            if name not in shown and isinstance(kind, Integer | Enumeration):
                initial.append((name, int.from_bytes(item.data, "little", signed=is_signed(kind))))
    own = {each for each in program.globals if {each, _NUMBER.sub("", each)} & everywhere.keys()}
    carried |= begun_alike(program, (own & (writes | (reads & elsewhere))) - {*inputs})
    used = _used_by_others(program, dependences, unified)
    compared = {each.name for each in objects}
    events += handed_out(program, dependences, shown, compared, writes, used)
    constants = {name for name, item in program.globals.items() if item.readonly}
    events += replaceable(unified, (within - {program.entry}) | (reads & constants))
    for name in inputs[MOST_INPUTS:]:
        text = f"'{name}' has its initial value in every test; a caller may have set it"
        events.append(Omission(Reason.APPROXIMATED, text, program.globals[name].location))
    inputs = inputs[:MOST_INPUTS]
    if asks_for_errno(program, within):
        inputs.append(ERRNO_NAME)
    else:
        carried |= {ERRNO} & program.globals.keys()
    begun = frozenset(carried) | library_state(program, own)
    return Outliving(tuple(objects), tuple(inputs), tuple(initial), tuple(events), begun)


def _can_be_input(kind: Type, item: GlobalObject) -> bool:
    """Is it a number, or are these a few numbers that are 0 at the start? Others are tables."""
    if isinstance(kind, Array) and not any(item.data):
        element, length = numbers_in(kind)
        return 0 < length <= MOST_ELEMENTS and _can_be_input(element, item)
    return isinstance(kind, Integer | Enumeration | Floating)


def _compared(kind: Type) -> bool:
    """Can all parts of an object be compared? Not of an array of unknown length, nor vectors, nor
    what ``setjmp`` fills with addresses that differ from process to process."""
    if isinstance(kind, Array) and not isinstance(kind.length, int):
        return False
    waiting = [kind]
    while waiting:
        match waiting.pop():
            case Array(element=element):
                waiting.append(element)
            case each if is_opaque(each):
                return False
            case Record(tag="__jmp_buf_tag" | "ucontext_t"):
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


def _otherwise_named(units: Iterable[TranslationUnit]) -> set[str]:
    """The objects that other files see by another name (gcc's attribute ``alias``)."""
    return {
        each.symbol.alias
        for unit in units
        for each in unit.declarations
        if each.symbol.alias and each.symbol.linkage is Linkage.EXTERNAL
    }


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


def _used_by_others(
    program: Program, dependences: DependenceGraph, units: Iterable[TranslationUnit]
) -> set[str]:
    """The names of the global objects that public functions may read, but the entry function."""
    public = {each.symbol.name for unit in units for each in unit.functions if each.is_for_others}
    within: set[str] = set()
    for name in public & {*program.functions} - compared_functions(program, dependences):
        within |= _called(dependences, name)
    return _touched(program, dependences, within)[0]


def _touched(
    program: Program, dependences: DependenceGraph, functions: set[str]
) -> tuple[set[str], set[str]]:
    """The names of the global objects that functions may read, and of those that they may write."""
    touched = Accesses(dependences.pointers, dependences.calls)
    reads = writes = 0
    for place, step in accesses(program, sorted(functions)):
        read, written = touched.reads_and_writes(place, step)
        reads |= read
        writes |= written

    def names(cells: int) -> set[str]:
        objects = dependences.pointers.objects.objects
        found = (objects[touched.cells[number].object] for number in bits(cells))
        return {each.name for each in found if each.kind is ObjectKind.GLOBAL}

    return names(reads), names(writes)
