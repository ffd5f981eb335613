"""Turn made-up addresses into unknown ones where a program looks at the number of an address.

    char *s;  (uintptr_t) s         3 << 32   becomes   address 3, a symbol
    ((uintptr_t) s + 1) & 7         a term: each outcome is possible
    (char *) ((uintptr_t) s + 1)    (3 << 32) + 1 again

C leaves open where objects lie. So an address is a symbol from the cast to an integer until the
cast back, and in a comparison or a difference of pointers into different objects. What the solver
can prove of such a term holds wherever the objects lie: they are not null, do not overlap, and are
aligned as their types ask for. But an object may lie where another one lay that is gone
(``Memory.may_share_place``). Everything else is up to the implementation (``address_uses.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations, product
from typing import Final

from csg.language.types import alignment_of
from symexec.expr import (
    Data,
    Operand,
    Shadowed,
    Term,
    TermTable,
    binary,
    compare,
    disjunction,
    ite,
    substitute,
    symbols,
)
from symexec.memory import AllocationKind, Memory, MemoryObject, address_of, offset_of
from symexec.state.inputs import Given

Bounds = Callable[[Operand], tuple[int, int]]

_WORD: Final = (1 << 64) - 1
_HALF: Final = 1 << 31
LOWEST: Final = 1 << 22  # programs that do not move (-no-pie) begin here; below it nothing lies
HIGHEST: Final = 1 << 47  # x86-64 gives a process the lower half of 48 bits
FAR: Final = 1 << 46  # an offset below it reaches the end of no address space
_MALLOC: Final = 4  # malloc aligns to 1 << 4 bytes
MOST_APART: Final = 4  # objects of one term that are known not to overlap
# the parts of a term in which its address may be: all others are offsets and conditions
_PARTS: Final = {"add": (0, 1), "sub": (0,), "ite": (1, 2)}
_STACKED: Final = (0, 16, -16)  # bytes between an object that is gone and one in its place
_SCATTER: Final = (0x2545F4914F6D, 0x369DEA0F31A5)  # arbitrary and odd: places for objects to lie


class Addresses:
    """The symbols for addresses of one engine. ``tracked`` False: an address is its number."""

    def __init__(self, table: TermTable, tracked: bool) -> None:
        self.tracked = tracked
        self._table = table
        self._places: dict[Term, tuple[int, int]] = {}  # symbol -> object number, known zero bits

    # ------------------------------------------------------------------ to symbols and back

    def exposed(self, memory: Memory, value: Operand) -> Operand | None:
        """A pointer as a number that nobody knows. None where the pointer cannot be traced to its
        objects."""
        if isinstance(value, int):
            return self._number(memory, value)
        done: dict[Term, Operand] = {}
        waiting = [value]
        while waiting:
            top = waiting[-1]
            missing = [part for part in _parts(top) if part not in done]
            if top in done or missing:
                waiting.pop() if top in done else waiting.extend(missing)
                continue
            waiting.pop()
            found = self._exposed_part(memory, top, done)
            if found is None:
                return None
            done[top] = found
        return done[value]

    def _exposed_part(
        self, memory: Memory, term: Term, done: dict[Term, Operand]
    ) -> Operand | None:
        if term.value is not None:
            return self._number(memory, term.value)
        match term.op, term.args:
            case "add", (left, right):
                return _plain(binary("add", 64, done[left], done[right]))
            case "sub", (left, right):
                if _holds_address(memory, right):
                    return None
                return _plain(binary("sub", 64, done[left], _known(right)))
            case "ite", (condition, then, otherwise):
                return _plain(ite(condition, done[then], done[otherwise], 64))
            case _:
                return None if _holds_address(memory, term) else term

    def _number(self, memory: Memory, value: int) -> Operand:
        number = number_of(value)
        if not 0 < number < memory.count:
            return value
        memory.exposed = True
        base = self._base(number, _zero_bits(memory.find(number)))
        return _plain(binary("add", 64, base, (value - address_of(number)) & _WORD))

    def _base(self, number: int, zeros: int) -> Operand:
        symbol = self._table.symbol(f"address {number} << {zeros}", 64)
        self._places[symbol] = number, zeros
        return _plain(binary("shl", 64, symbol, zeros)) if zeros else symbol

    def concealed(self, value: Operand) -> Operand:
        """The value with the made-up numbers for addresses."""
        if isinstance(value, int) or not self.within(value):
            return value
        return substitute(value, {each: self._made_up(each) for each in self.of(value)})

    def _made_up(self, symbol: Term) -> int:
        number, zeros = self._places[symbol]
        return address_of(number) >> zeros

    # ------------------------------------------------------------------ pointers as numbers

    def ordered(
        self, memory: Memory, operator: str, left: Operand, right: Operand, bounds: Bounds
    ) -> Operand | None:
        """``left operator right`` for two pointers; None where one cannot be traced."""
        if not (_number_in(left) == _number_in(right) is not None and _near(left, bounds)
                and _near(right, bounds)):  # fmt: skip
            one, other = self.exposed(memory, left), self.exposed(memory, right)
            if one is None or other is None:
                return None
            left, right = one, other
        return _plain(compare(operator, 64, left, right))

    def equal(self, memory: Memory, operator: str, left: Operand, right: Operand) -> Operand | None:
        """``left operator right``, which is == or !=, for two pointers; None where one cannot be
        traced and may lead to where an object was that is gone."""
        if not _may_share_place(memory, left, right):
            left, right = self._as_numbers(memory, left, right)
            return _plain(compare(operator, 64, left, right))
        one, other = self.exposed(memory, left), self.exposed(memory, right)
        if one is None or other is None:
            return None
        return _plain(compare(operator, 64, one, other))

    def _as_numbers(self, memory: Memory, left: Operand, right: Operand) -> tuple[Operand, Operand]:
        """Two pointers that are compared. Where one was made from an integer, so that it may be any
        number, an address that it is compared with is one that nobody knows."""
        for one, other in ((left, right), (right, left)):
            if isinstance(one, Term) and not self.within(one) and not _holds_address(memory, one):
                known = self.exposed(memory, other)
                if known is not None and known is not other:
                    return one, known
        return left, right

    def distance(self, memory: Memory, left: Operand, right: Operand) -> Operand | None:
        """``left - right`` in bytes; None where one cannot be traced."""
        if _number_in(left) is None or _number_in(left) != _number_in(right):
            one, other = self.exposed(memory, left), self.exposed(memory, right)
            if one is None or other is None:
                return None
            left, right = one, other
        return _plain(binary("sub", 64, left, right))

    @staticmethod
    def number_distance(left: Operand, right: Operand) -> Operand:
        """The difference of the made-up numbers."""
        return _plain(binary("sub", 64, left, right))

    # ------------------------------------------------------------------ what a term depends on

    def within(self, value: Data) -> bool:
        if isinstance(value, Shadowed):
            return self.within(value.old) or self.within(value.new)
        return isinstance(value, Term) and any(each in self._places for each in symbols(value))

    def of(self, term: Term) -> list[Term]:
        """The symbols for addresses in a term."""
        found = (each for each in symbols(term) if each in self._places)
        return sorted(found, key=lambda symbol: symbol.id)

    def names(self, memory: Memory, term: Term) -> str:
        """The objects whose addresses are in a term: "s and local"."""
        numbers = (self._places[each][0] for each in self.of(term))
        return " and ".join(dict.fromkeys(_name(memory, each) for each in numbers))

    def known(self, memory: Memory, term: Term, given: Given | None = None) -> Iterator[Operand]:
        """What is known of the addresses in a term wherever the objects lie. Those that are
        ``given`` may overlap, and may be no addresses at all: a caller marks an end by -1. Objects
        may also overlap that did not live at the same time."""
        found = self.of(term)
        for symbol in found:
            number, zeros = self._places[symbol]
            if given is not None and number in given.objects:
                yield _plain(compare("ne", 64, symbol, 0))
                continue
            yield _plain(compare("ule", 64, LOWEST >> zeros, symbol))
            yield _plain(compare("ult", 64, symbol, HIGHEST >> zeros))
        for one, other in combinations(found[:MOST_APART], 2):
            pair = self._places[one][0], self._places[other][0]
            if pair[0] == pair[1] or memory.may_share_place(*pair):
                continue
            if given is None or not given.may_be_one(memory, *pair):
                yield self._apart(memory, one, other)

    def _apart(self, memory: Memory, one: Term, other: Term) -> Operand:
        """The objects do not overlap, nor does one begin where the other ends (C17 6.5.9p7 leaves
        that open, and nobody relies on it)."""
        starts = [self._base(*self._places[each]) for each in (one, other)]
        ends = [
            binary("add", 64, start, _size(memory, self._places[each][0]))
            for start, each in zip(starts, (one, other), strict=True)
        ]
        return _plain(
            disjunction(
                [compare("ult", 64, ends[0], starts[1]), compare("ult", 64, ends[1], starts[0])]
            )
        )

    def is_pointer(self, memory: Memory, term: Term) -> bool:
        """Is it an address plus an offset that does not depend on where objects lie, or no address
        at all? Found out by placing the objects elsewhere."""
        layouts = [
            {each: self._made_up(each) for each in self.of(term)},
            *({each: self._scattered(each, factor) for each in self.of(term)}
              for factor in _SCATTER),
            *self._layouts_in_one_place(memory, self.of(term)),
        ]  # fmt: skip
        return _alike(term, layouts) or any(
            _alike(_plain(binary("sub", 64, term, self._base(*self._places[each]))), layouts)
            for each in self.of(term)
            if term.width == 64
        )

    def _layouts_in_one_place(
        self, memory: Memory, found: Sequence[Term]
    ) -> Iterator[dict[Term, int]]:
        """Layouts in which one object lies in the place of another one that is gone."""
        for one, other in combinations(found, 2):
            if memory.may_share_place(self._places[one][0], self._places[other][0]):
                for apart in _STACKED:
                    layout = {each: self._scattered(each, _SCATTER[0]) for each in found}
                    start = (layout[one] << self._places[one][1]) + apart
                    layout[other] = start >> self._places[other][1]
                    yield layout

    def _scattered(self, symbol: Term, factor: int) -> int:
        number, zeros = self._places[symbol]
        return ((number * factor) % (HIGHEST - LOWEST) + LOWEST) >> zeros | 1


def number_of(address: int) -> int:
    """The number of the object that an address belongs to; a small negative offset borrows from
    it."""
    return (address + _HALF) >> 32 & 0xFFFFFFFF


def _number_in(address: Operand) -> int | None:
    """The number of the object in ``constant + offset`` or ``constant - offset``, if it is one
    object."""
    if isinstance(address, int):
        return number_of(address)
    if address.op in ("add", "sub"):
        for part in address.args[: 2 if address.op == "add" else 1]:
            if part.value is not None and number_of(part.value):
                return number_of(part.value)
    return None


def _near(address: Operand, bounds: Bounds) -> bool:
    """Is it so near to its object that it lies in no other, and the sum does not wrap, wherever the
    object lies?"""
    number = _number_in(address)
    assert number is not None
    distance = binary("sub", 64, address, address_of(number) - LOWEST)
    return not number or bounds(_plain(distance))[1] < FAR


def _zero_bits(item: MemoryObject | None) -> int:
    """How many low bits of the object's address are 0. Of an object that a caller gives nothing is
    known: he may pass a pointer into a larger one, or use the bits for something else."""
    if item is None or item.kind in (AllocationKind.INPUT, AllocationKind.FUNCTION):
        return 0
    if item.kind is AllocationKind.HEAP:
        return _MALLOC
    return 0 if item.type is None else max(alignment_of(item.type), 1).bit_length() - 1


def _size(memory: Memory, number: int) -> int:
    """The bytes that an object has, or had. Of a local one that is gone nobody knows more than
    one."""
    item = memory.find(number)
    if item is not None:
        return len(item.data)
    return memory.freed[number].size if number in memory.freed else 1


def _name(memory: Memory, number: int) -> str:
    item = memory.find(number)
    if item is not None:
        return item.name
    return "freed memory" if number in memory.freed else "a local object that is gone"


def _may_share_place(memory: Memory, left: Operand, right: Operand) -> bool:
    """May an object that one pointer leads into lie where one was that the other leads into?"""
    pairs = product(objects_led_to(left), objects_led_to(right))
    return any(memory.may_share_place(one, other) for (one, _), (other, _) in pairs)


def objects_led_to(pointer: Operand) -> Iterator[tuple[int, int | None]]:
    """The objects that a pointer may lead into, with the distance from the start if it is known."""
    if isinstance(pointer, int):
        yield number_of(pointer), offset_of(pointer)
        return
    seen, waiting = {pointer}, [pointer]
    while waiting:
        top = waiting.pop()
        if top.value is not None and top.width == 64 and number_of(top.value):
            yield number_of(top.value), None
        fresh = [part for part in top.args if part not in seen]
        seen.update(fresh)
        waiting += fresh


def _parts(term: Term) -> tuple[Term, ...]:
    return tuple(term.args[place] for place in _PARTS.get(term.op, ()))


def _holds_address(memory: Memory, term: Term) -> bool:
    """May the number of an object be somewhere in a term? It may be in an array."""
    seen = {term}
    waiting = [term]
    while waiting:
        top = waiting.pop()
        if top.op == "select" or (
            top.value is not None and top.width == 64 and 0 < number_of(top.value) < memory.count
        ):
            return True
        fresh = [part for part in top.args if part not in seen]
        seen.update(fresh)
        waiting += fresh
    return False


def _alike(term: Operand, layouts: Iterable[dict[Term, int]]) -> bool:
    if isinstance(term, int):
        return True
    return len({substitute(term, layout) for layout in layouts}) == 1


def _known(value: Operand) -> Operand:
    return value.value if isinstance(value, Term) and value.value is not None else value


def _plain(value: Data) -> Operand:
    assert not isinstance(value, Shadowed)
    return value
