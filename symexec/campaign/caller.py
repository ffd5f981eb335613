"""By what the caller of the entry function can tell two versions apart once both have ended.

    return x + 1;  |  return x;              returns x + 1 or x: always
    return "big";  |  return names + 6;      the texts, not where they lie
    *count = n;    |  *count = n > 0;        what is left in objects that the caller knows
    item->n = n;  |  item->n = n + 1;        in objects that a returned pointer leads to, too

It looks at what replay looks at (``replay.harness``): of a pointer to char the text up to its 0, of
another pointer whether it is null; at what is left in memory when the function comes back.
"""

from __future__ import annotations

from collections.abc import Iterator

from csg.language.syntax import FunctionDefinition
from csg.language.types import Pointer, size_of
from csg.records import record
from symexec.campaign.start import differing_memory, pointers_elsewhere
from symexec.environment.operands import plain
from symexec.environment.remains import different_files
from symexec.environment.structures import Place, is_text, leads_to_places, places
from symexec.expr import (
    Data,
    Operand,
    compare,
    conjunction,
    disjunction,
    new_half,
    old_half,
    shadowed,
)
from symexec.memory import NEW, OLD, offset_of
from symexec.shadow.outcomes import Told, differences
from symexec.state.endings import Returned
from symexec.state.state import Outcome, State
from symexec.testcases import signature_of
from symexec.testcases.signature import RESULT

LONGEST = 1 << 12  # bytes of a returned text that are compared


@record
class Caller:
    """``main``: it is the system, and learns the low byte of the result. ``result``: the kind of
    what is returned, as tests have it (scalar, string, pointer; nothing is a scalar)."""

    main: bool
    result: str = "scalar"
    returned: tuple[Place, ...] = ()

    @classmethod
    def of(cls, entry: FunctionDefinition) -> Caller:
        if entry.symbol.name == "main":
            return cls(True)
        result = signature_of(entry).result
        kind = getattr(entry.symbol.type, "result", None)
        returned: tuple[Place, ...] = ()
        if isinstance(kind, Pointer) and leads_to_places(kind):
            returned = tuple(places(RESULT, kind.target))
        return cls(False, "scalar" if result is None else result.kind, returned)

    def tells_apart(self, state: State) -> list[tuple[Told, Operand]]:
        """Each part of what is observed that may differ, with the condition under which it does."""
        old, new = state.old_outcome, state.new_outcome
        assert old is not None and new is not None
        files = different_files(old, new)
        memory: list[tuple[Data, int]] = []
        if isinstance(old.ending, Returned) and isinstance(new.ending, Returned):
            memory = differing_memory(state)
            texts = [_texts(state, *each) for each in pointers_elsewhere(state)]
            memory += [(shadowed(0, told), 1) for told in texts]
            if self.returned:
                ends = (old_half(old.ending.value or 0), new_half(new.ending.value or 0))
                memory += _pairs(state, self.returned, ends)
        return differences(old, new, self.main, memory, files, self._results(state, old, new))

    def _results(self, state: State, old: Outcome, new: Outcome) -> Operand | None:
        """When two returned pointers differ to the caller; None for other results."""
        if self.result == "scalar":
            return None
        match old.ending, new.ending:
            case Returned(value=left), Returned(value=right):
                one, two = old_half(left or 0), new_half(right or 0)
                return _nulls(one, two) if self.result == "pointer" else _texts(state, one, two)
            case _:
                return None


def _pairs(
    state: State, found: tuple[Place, ...], ends: tuple[Operand, Operand]
) -> Iterator[tuple[Data, int]]:
    """The pairs in the object that is returned, and in those that it leads to. Of what a version
    has not written nothing is told."""
    reached: dict[str, tuple[Operand, Operand]] = {found[0].name: ends}
    for place in found:
        one, two = reached.get(place.name, (0, 0))
        if not isinstance(one, int) or not isinstance(two, int) or 0 in (one, two):
            continue
        for member in place.members:
            size = size_of(member.type)
            if member.bit_width is not None:
                size = (member.bit_offset + member.bit_width + 7) // 8
            pair = _loaded(state, one + member.offset, two + member.offset, size)
            if pair is not None:
                yield pair, 8 * size
        for link in place.links:
            pair = _loaded(state, one + link.offset, two + link.offset, 8)
            if pair is None:
                continue
            left, right = old_half(pair), new_half(pair)
            reached[link.name] = (left, right)
            yield shadowed(0, _nulls(left, right)), 1
            if is_text(link.target) and left and right:
                yield shadowed(0, _texts(state, left, right)), 1


def _loaded(state: State, one: int, two: int, size: int) -> Data | None:
    """What either version has written there."""
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
    """One of two addresses is null."""
    left, right = compare("eq", 64, one, 0), compare("eq", 64, two, 0)
    return plain(compare("ne", 1, left, right))


def _texts(state: State, one: Operand, two: Operand) -> Operand:
    """Two addresses lead to different texts. True where that cannot be told: replay will."""
    if (one is two and not isinstance(one, int)) or one == two == 0:
        return 0
    if not isinstance(one, int) or not isinstance(two, int) or 0 in (one, two):
        return 1
    parts: list[Data] = []
    alike: Data = 1  # as far as here, and not yet at the end
    for place in range(LONGEST):
        left, right = _byte(state, one + place, OLD), _byte(state, two + place, NEW)
        if left is None and right is None and place:
            return plain(disjunction(parts))  # a text ends before its object does
        if left is None or right is None:
            return 1
        parts.append(conjunction([alike, compare("ne", 8, left, right)]))
        same = [compare("eq", 8, left, right), compare("ne", 8, left, 0)]
        alike = conjunction([alike, *same])
        if isinstance(alike, int) and not alike:
            return plain(disjunction(parts))
    return 1


def _byte(state: State, address: int, mode: int) -> Data | None:
    """Also of an object whose size is a term, and may be less: there the text has ended."""
    item, offset = state.memory.find(address >> 32), offset_of(address)
    if item is None or not 0 <= offset < len(item.data):
        return None
    return item.load(offset, 1, mode)
