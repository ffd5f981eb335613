"""Which objects of the heap does nothing point to when a version has ended?

    char *p = malloc(8);  p = strdup("a");  return 0;       both are lost
    static char *p;  p = malloc(8);         return 0;       p still reaches it: none is

As LeakSanitizer defines it: a word that lies in an object reaches the whole of it, from globals,
the inputs, and, when ``exit`` ended the program, from the variables of all calls that had not
returned. A pointer that may be to several objects reaches all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from symexec.expr import Data, Operand, Term, new_half, old_half
from symexec.memory import BOTH, OLD, Memory, MemoryObject
from symexec.runtime.stdio.streams import STREAM_OBJECT
from symexec.state.endings import Exit, PathEnding, Returned
from symexec.state.state import Frame, Lost, State

_WORD = 8  # bytes of a pointer; one that is not aligned is not seen
_ROOTS = frozenset({"global", "constant", "input"})


def lost_objects(
    state: State, mode: int, ending: PathEnding, main: bool
) -> tuple[Lost, ...] | None:
    """What the version ``mode`` (OLD or NEW) has lost; None when nobody would look, as after a
    signal or ``_exit``."""
    match ending:
        case Exit(at_once=False):
            frames, words = list(_calls(state.frame)), []
        case Returned(value=value):
            frames, words = [], [] if main or value is None else [value]
        case _:
            return None
    search = _Search(state.memory, mode)
    if not search.lost:
        return ()
    for frame in frames:
        words += [frame.registers[number] for number in frame.function.register_names]
        words += [value for value, _ in frame.variadic]
    search.run(words, chain.from_iterable(frame.slots for frame in frames))
    return tuple(Lost(item.name, item.place) for _, item in sorted(search.lost.items()))


def _calls(frame: Frame | None) -> Iterator[Frame]:
    while frame is not None:
        yield frame
        frame = frame.caller


class _Search:
    """``lost``: objects of the heap that were not reached yet."""

    def __init__(self, memory: Memory, mode: int) -> None:
        self._memory = memory
        self._mode = mode
        self._half = old_half if mode == OLD else new_half
        self.lost: dict[int, MemoryObject] = {}
        self._open: list[MemoryObject] = []
        for item in memory.live_objects():
            if item.dead & mode or item.version not in (BOTH, mode):
                continue
            if item.kind in _ROOTS or item.name == STREAM_OBJECT:
                self._open.append(item)
            elif item.kind == "heap":
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
        """All aligned words of an object that may be pointers."""
        whole = len(item.data) // _WORD * _WORD
        if not item.cells and not item.updates:
            yield from memoryview(item.data)[:whole].cast("Q")
            return
        for offset in range(0, whole, _WORD):
            yield self._half(item.load(offset, _WORD, BOTH))

    def _follow(self, word: Operand) -> None:
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
    """The numbers that a term is made of, the upper half of a concatenation as such; None where
    some stand in an array, byte by byte: it may be a pointer to anything."""
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
