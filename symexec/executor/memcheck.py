"""What Valgrind's memcheck looks for: uses of uninitialised values, and leaks (at the end).

To copy an uninitialised value is fine, to use it is an error.

    int a[4];  a[0] = 1;
    b = a[i];            i > 0: a symbol for "whatever is there"
    if (b > 0) ..        i > 0: MemoryFault(FaultKind.UNINITIALISED), with a test;  i == 0: goes on

A use is a decision, an address, a size, a divisor, output, a status or the entry function's result.
The solver says whether it matters: the value with zeros for what is uninitialised against the value
with anything there. Where it does not (the other bits of a bit-field's byte), or where the use is
only to be reported, zeros are what the path goes on with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Final

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
from symexec.memory import (
    BOTH,
    OLD,
    PADDING,
    UNDEFINED,
    AllocationKind,
    FaultKind,
    Memory,
    MemoryObject,
)
from symexec.options import Uninitialised
from symexec.runtime.stdio.streams import STREAM_OBJECT
from symexec.solver import Answer, PathCondition, SolverChain
from symexec.state.endings import Access, Exit, MemoryFault, PathEnding, Returned
from symexec.state.inputs import FIRST_VALUE, Script
from symexec.state.state import Frame, Lost, State

# what becomes of a use, as an answer (state.inputs): a sample, and what the samples come to
_FINE, _ALWAYS, _SOMETIMES, _SAMPLE = range(FIRST_VALUE, FIRST_VALUE + 4)
ROUNDS: Final = 6  # inputs that are tried to find those on which the value matters


class Used(Exception):
    """A model used a value at a point where it could not ask whether the value is initialised."""

    def __init__(self, term: Term) -> None:
        super().__init__()
        self.term = term


@record
class Verdict:
    """Whether a value depends on uninitialised memory. ``value``: with zeros for it. ``wrong``: the
    paths on which it matters; ``right``: those on which it does not. None: there are no such
    paths. ``answers``: how this came about (``state.inputs``)."""

    value: Operand
    wrong: PathCondition | None
    right: PathCondition | None
    answers: tuple[int, ...] = ()


class UndefinedValues:
    """The symbols for uninitialised bytes of one engine; ``policy`` says what a use of them leads
    to."""

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
        """The value of a local scalar to which nothing has been assigned yet."""
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

    def judge(self, solver: SolverChain, path: PathCondition, term: Term) -> Verdict:
        """Decide on which inputs of a path the value of a term depends on uninitialised memory."""
        zero = self._plain(term)
        doubt = _differ(term, zero, term.width)
        if not doubt or solver.check(path, doubt) is not Answer.SAT:
            return Verdict(zero, None, path, (_FINE,))
        wrong = path.assuming(doubt)
        right = path
        answers: tuple[int, ...] = ()
        for _ in range(ROUNDS):
            model = solver.model(right, doubt)
            if model is None:
                break
            sample = {symbol: model.get(symbol, 0) for symbol in self.of(term)}
            alike = self._alike(term, sample)
            if solver.check(right, alike) is Answer.UNSAT:
                return Verdict(zero, wrong, None, (*answers, _ALWAYS))
            right = right.assuming(alike)
            answers = (*answers, _SAMPLE, *(FIRST_VALUE + value for value in sample.values()))
        return Verdict(zero, wrong, right, (*answers, _SOMETIMES))

    def verdict(self, path: PathCondition, term: Term, script: Script) -> Verdict:
        """What ``judge`` has found before."""
        zero = self._plain(term)
        right: PathCondition = path
        answers: list[int] = []

        def following() -> int:
            nonlocal script
            answers.append(FIRST_VALUE + script.value())
            script = script.after(answers[-1])
            return answers[-1]

        wrong = path.assuming(_differ(term, zero, term.width))
        while True:
            match following():
                case kind if kind == _FINE:
                    return Verdict(zero, None, path, tuple(answers))
                case kind if kind == _ALWAYS:
                    return Verdict(zero, wrong, None, tuple(answers))
                case kind if kind == _SOMETIMES:
                    return Verdict(zero, wrong, right, tuple(answers))
            sample = {symbol: following() - FIRST_VALUE for symbol in self.of(term)}
            right = right.assuming(self._alike(term, sample))

    def _alike(self, term: Term, sample: dict[Term, int]) -> Operand:
        """Is the value with these numbers for uninitialised bytes the one with zeros?"""
        found = compare("eq", term.width, substitute(term, sample), self._plain(term))
        assert not isinstance(found, Shadowed)
        return found

    def is_padding(self, term: Term) -> bool:
        """Does it depend on padding of the caller's objects, rather than on something that the
        program should have initialised?"""
        return any(str(each.name).startswith(PADDING) for each in self.of(term))

    def only_reported(self, mode: int) -> bool:
        """Is a use only reported? One by both versions alike is no difference between them."""
        return mode == BOTH and self.policy is Uninitialised.DIFFERENCES

    def fault(self, term: Term, what: str) -> MemoryFault:
        return MemoryFault(FaultKind.UNINITIALISED, f"{self.origin(term)}, {what}", Access.USE)

    def origin(self, term: Term) -> str:
        """Where an uninitialised value comes from: "buffer, offset 4"."""
        name = str(self.of(term)[0].name).removeprefix(UNDEFINED)
        thing, _, place = name.partition(" #")
        offset = place.partition("+")[2].partition(":")[0]
        return f"{thing}, offset {offset}" if offset else thing


def _differ(term: Operand, other: Operand, width: int) -> Operand:
    found = compare("ne", width, term, other)
    assert not isinstance(found, Shadowed)
    return found


# ------------------------------------------------------------------------------------------ leaks
# Which objects of the heap does nothing point to when a version has ended?
#
#     char *p = malloc(8);  p = strdup("a");  return 0;       both are lost
#     static char *p;  p = malloc(8);         return 0;       p still reaches it: none is
#
# As LeakSanitizer defines it: a word that lies in an object reaches the whole of it, from globals,
# the inputs, and, when ``exit`` ended the program, from the variables of all calls that had not
# returned. A pointer that may be to several objects reaches all of them.

_WORD = 8  # bytes of a pointer; one that is not aligned is not seen
_ROOTS = frozenset({AllocationKind.GLOBAL, AllocationKind.CONSTANT, AllocationKind.INPUT})


def lost_objects(
    state: State,
    mode: int,
    ending: PathEnding,
    main: bool,
    concealed: Callable[[Operand], Operand],
) -> tuple[Lost, ...] | None:
    """The objects that the version ``mode`` (OLD or NEW) has lost; None where they are not looked
    for, as after a signal or ``_exit``."""
    match ending:
        case Exit(at_once=False):
            frames, words = list(_calls(state.frame)), []
        case Returned(value=value):
            frames, words = [], [] if main or value is None else [value]
        case _:
            return None
    search = _Search(state.memory, mode, concealed)
    if not search.lost:
        return ()
    for frame in frames:
        words += [frame.registers[number] for number in frame.function.register_names]
        words += [value for value, _, _ in frame.variadic]
    search.run(words, chain.from_iterable(frame.slots for frame in frames))
    return tuple(Lost(item.name, item.place) for _, item in sorted(search.lost.items()))


def _calls(frame: Frame | None) -> Iterator[Frame]:
    while frame is not None:
        yield frame
        frame = frame.caller


class _Search:
    """The search for reachable objects. ``lost``: heap objects that were not reached yet."""

    def __init__(self, memory: Memory, mode: int, concealed: Callable[[Operand], Operand]) -> None:
        self._memory = memory
        self._concealed = concealed
        self._mode = mode
        self._half = old_half if mode == OLD else new_half
        self.lost: dict[int, MemoryObject] = {}
        self._open: list[MemoryObject] = []
        for item in memory.live_objects():
            if item.dead & mode or item.version not in (BOTH, mode):
                continue
            if item.kind in _ROOTS or item.name == STREAM_OBJECT:
                self._open.append(item)
            elif item.kind is AllocationKind.HEAP:
                self.lost[item.number] = item

    def run(self, words: Iterable[Data], local: Iterable[int]) -> None:
        for word in words:
            self._follow(self._half(word))
        for number in local:
            item = self._memory.find(number)
            if item is not None:
                self._open.append(item)
        while self._open and self.lost:
            for word in self._words(self._open.pop()):
                self._follow(word)

    def _words(self, item: MemoryObject) -> Iterator[Operand]:
        """The aligned words of an object that may be pointers."""
        whole = len(item.data) // _WORD * _WORD
        if not item.cells and not item.updates:
            yield from memoryview(item.data)[:whole].cast("Q")
            return
        for offset in range(0, whole, _WORD):
            yield self._half(item.load(offset, _WORD, BOTH))

    def _follow(self, word: Operand) -> None:
        if isinstance(word, Term) and self._memory.exposed:
            word = self._concealed(word)
        if isinstance(word, Term):
            for value in _constants(word):
                if value is None:
                    self.lost.clear()
                else:
                    self._reach(value)
        elif word >> 32 in self.lost:
            self._reach(word)

    def _reach(self, address: int) -> None:
        item = self.lost.get(address >> 32)
        if item is not None and address & 0xFFFFFFFF < max(1, len(item.data)):
            del self.lost[item.number]
            self._open.append(item)


def _constants(term: Term) -> Iterator[int | None]:
    """The numbers in a term; of a concatenation the upper half as such. None where some are in an
    array byte by byte: the term may then point anywhere."""
    seen = {term}
    waiting = [term]
    while waiting:
        top = waiting.pop()
        if top.op == "select":
            yield None
            return
        if top.value is not None:
            yield top.value
            if top.width == _WORD * 4:
                yield top.value << 32
        for part in top.args:
            if part not in seen:
                seen.add(part)
                waiting.append(part)
