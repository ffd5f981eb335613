"""Compare what code of the caller can look at while the call runs, and no test's caller does.

    errno = 5;    |  errno = 0;          cb may look at errno
    cb(k);        |  cb(k);
    putchar('A');                        the caller may end the process by _exit or abort: then it
                  |  fflush(stdout);     matters what stdout holds back
    char b[8] = "ab";                    a stub prints the text, and nothing around it
                  |  b[5] = 1;
    cb(b);        |  cb(b);

The moments of both versions are compared in their order: where their numbers or names differ, the
stubs print different lines. Objects of the program itself are the concern of ``callbacks``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from csg.errors import Location
from csg.ir import Program
from csg.ir.library_effects import ERRNO
from csg.language.types import Function, Record
from csg.lower.linking import LIBRARY_PREFIX
from csg.records import record
from symexec.exploration.handed_out import name_of_state
from symexec.expr import (
    Data,
    Operand,
    compare,
    conjunction,
    disjunction,
    new_half,
    old_half,
)
from symexec.ledger import Omission, Reason
from symexec.memory import NEW, OLD, AllocationKind, Memory, MemoryObject, offset_of
from symexec.runtime.formats.comparing import difference
from symexec.runtime.operands import plain
from symexec.runtime.process import compare_files_now, process_apart
from symexec.shadow.outcomes import units, units_of
from symexec.state.buffers import Buffers, Shown
from symexec.state.state import Moment, Outcome, Output, OutputItem
from symexec.testcases.driver import STUB, is_printed, is_shown

HELD = "text that streams hold back"
FILES = "a file before streams are flushed"
AROUND = "memory around an argument"
_LOOKS = "libc:looks"  # at the clock: no program can count them
_WIDEST = 8  # bytes that are compared at once

_AFTER = " may differ after the call; nothing compares it"
_AT_CALLBACK = " may differ when callback '{}' runs; no test's callback looks at it"

Apart = Iterator[tuple[str, Operand]]


@record
class _Standing:
    """What a version has put out up to a moment. ``seen``: how much of ``shown`` has come to a
    reader; ``held``: what streams hold back; ``items``: all that was put out."""

    moment: Moment | None  # None: the end
    shown: list[Shown]
    seen: int
    held: dict[int, tuple[object, ...]]
    certain: bool
    items: tuple[OutputItem, ...]


def looked_at_meanwhile(
    program: Program, old: Outcome, new: Outcome
) -> Iterator[tuple[Omission, Operand]]:
    """What may differ for the caller's code, with the condition under which it does."""
    found: dict[tuple[str, Location], list[Operand]] = {}
    for text, place, condition in _apart(program, old, new):
        found.setdefault((text, place), []).append(condition)
    for (text, place), conditions in found.items():
        yield Omission(Reason.APPROXIMATED, text, place), plain(disjunction(conditions))


def _apart(program: Program, old: Outcome, new: Outcome) -> Iterator[tuple[str, Location, Operand]]:
    pairs = zip(_standings(old.output), _standings(new.output), strict=False)
    for one, two in pairs:
        left, right = one.moment, two.moment
        if left is None or right is None or left.name != right.name:
            break
        behind = _AT_CALLBACK.format(left.name.removeprefix(STUB)) if left.name else _AFTER
        for what, condition in _apart_at(program, one, two):
            yield what + behind, left.location, condition
    ends = (*_standings(old.output),)[-1], (*_standings(new.output),)[-1]
    held = () if _texts_may_differ(old, new) else _output_apart(*ends)  # else that is told
    for what, condition in (*held, *_files_apart(old.environment, new.environment)):
        yield what + _AFTER, new.location, condition


def _texts_may_differ(old: Outcome, new: Outcome) -> bool:
    """May all the output, when the streams are flushed, be something else?"""
    for stream in (1, 2):
        apart = difference(units(old.output, stream), units(new.output, stream))
        if (apart.sure, apart.perhaps) != (0, 0):
            return True
    return False


def _standings(last: Output | None) -> Iterator[_Standing]:
    """How each moment finds what was put out, and how the end does."""
    buffers, shown, items = Buffers(), list[Shown](), list[OutputItem]()
    for each in Output.all(last):
        if isinstance(each.item, Moment):
            yield _standing(each.item, buffers, shown, items)
            continue
        items.append(each.item)
        shown += buffers.written([each])
    yield _standing(None, buffers, shown, items)


def _standing(
    moment: Moment | None, buffers: Buffers, shown: list[Shown], items: list[OutputItem]
) -> _Standing:
    certain = buffers.certain
    known = () if certain else tuple(items)
    return _Standing(moment, shown, len(shown), buffers.amounts_held(), certain, known)


def _apart_at(program: Program, one: _Standing, two: _Standing) -> Apart:
    left, right = one.moment, two.moment
    assert left is not None and right is not None
    yield from _output_apart(one, two)
    yield from _files_apart(left.environment, right.environment)
    if not left.name:
        return
    for name in process_apart(left.environment, right.environment):
        yield name, 1
    yield from _library_apart(left.memory, right.memory)
    yield from _arguments_apart(program, left, right)


# -------------------------------------------------------------------------------- output and files


def _output_apart(one: _Standing, two: _Standing) -> Apart:
    """Does a reader see the same, though the streams are not flushed?"""
    if not (one.certain and two.certain):
        if one.items != two.items:
            yield HELD, 1
        return
    if one.held == two.held:
        return
    for stream in (1, 2):
        left, right = (units_of(each.shown[: each.seen], stream) for each in (one, two))
        apart = difference(left, right)
        condition = plain(disjunction([apart.sure, apart.perhaps]))
        if condition != 0:
            yield HELD, condition


def _files_apart(old: object, new: object) -> Apart:
    condition = 0 if old is new else compare_files_now(old, new)  # type: ignore[arg-type]
    if condition != 0:
        yield FILES, condition


# ------------------------------------------------------------------------------------------ memory


def _library_apart(one: Memory, two: Memory) -> Apart:
    """What the library keeps: the objects of its models, and what these lead to on the heap."""
    heap = any(_may_differ(each, two) for each in one.live_objects() if _is_of_heap(each))
    for item in one.live_objects():
        if _is_of_library(item):
            condition = _all_apart(one, item, two, two.find(item.number), heap, _is_of_heap)
            if condition != 0:
                yield name_of_state(item.name), condition


def _may_differ(item: MemoryObject, other: Memory) -> bool:
    return other.find(item.number) is not item or bool(item.differs())


def _is_of_library(item: MemoryObject) -> bool:
    if item.kind is not AllocationKind.GLOBAL or item.readonly or item.name == _LOOKS:
        return False
    return item.name == ERRNO or item.name.startswith((LIBRARY_PREFIX, "__csgtest_", "environ"))


def _is_of_heap(item: MemoryObject) -> bool:
    return item.kind is AllocationKind.HEAP and not item.dead


def _all_apart(
    memory: Memory,
    item: MemoryObject,
    other: Memory,
    twin: MemoryObject | None,
    follows: bool = True,
    leads: Callable[[MemoryObject], bool] = lambda item: not item.dead,
) -> Operand:
    """The condition under which two objects differ, or what pointers in them lead to."""
    parts: list[Operand] = []
    waiting: list[tuple[MemoryObject, MemoryObject | None]] = [(item, twin)]
    met = {item.number}
    while waiting:
        item, twin = waiting.pop()
        parts.append(1 if twin is None else _bytes_apart(item, 0, twin, 0))
        for number in _numbers_in(item) if follows else ():
            target = memory.find(number)
            if number not in met and target is not None and leads(target):
                met.add(number)
                waiting.append((target, other.find(number)))
    return plain(disjunction(parts))


def _numbers_in(item: MemoryObject) -> Iterator[int]:
    """The numbers of the objects to which an object may lead, by the addresses that it holds."""
    words = range(0, len(item.data) - 7, 8)
    if item.cells is None:
        values = (int.from_bytes(item.data[at : at + 8], "little") for at in words)
    else:
        values = (each for at in words if isinstance(each := item.load(at, 8, OLD), int))
    yield from (each >> 32 for each in values if each >> 32)


def _arguments_apart(program: Program, one: Moment, two: Moment) -> Apart:
    """What a callback can read behind what its stub prints of its arguments: the rest of a text,
    members of a structure."""
    code = program.functions[one.name]
    kind = code.type
    assert isinstance(kind, Function)
    hidden = len(code.parameters) - len(kind.parameters)
    for at, each in enumerate(kind.parameters):
        whole = isinstance(each, Record) and not is_printed(each)
        if not whole and not is_shown(kind, at):
            continue
        ends = old_half(one.arguments[hidden + at]), new_half(two.arguments[hidden + at])
        condition = _around(one.memory, ends[0], two.memory, ends[1], whole)
        if condition != 0:
            yield AROUND, condition


def _around(
    memory: Memory, address: Operand, other: Memory, there: Operand, whole: bool
) -> Operand:
    """The condition under which bytes differ around two addresses; of ``whole`` objects also what
    pointers in them lead to."""
    if not isinstance(address, int) or not isinstance(there, int):
        return int(any(each.differs() for each in memory.live_objects()))
    item, twin = memory.find(address >> 32), other.find(there >> 32)
    if item is None or twin is None:
        return 0
    if whole:
        return _all_apart(memory, item, other, twin)
    start, place = offset_of(address), offset_of(there)
    before = max(0, min(start, place))
    return _bytes_apart(item, start - before, twin, place - before)


def _bytes_apart(item: MemoryObject, start: int, other: MemoryObject, place: int) -> Operand:
    """The condition under which bytes differ that both objects have and that are initialised."""
    if item is other and start == place and not item.differs():
        return 0
    distance = place - start
    parts: list[Data] = []
    at = start
    while at < len(item.data) and at + distance < len(other.data):
        size = _WIDEST
        if not _is_set(item, at, size) or not _is_set(other, at + distance, size):
            size = 1
        if _is_set(item, at, size) and _is_set(other, at + distance, size):
            left = old_half(item.load(at, size, OLD))
            right = new_half(other.load(at + distance, size, NEW))
            if left is not right and left != right:
                unlike = compare("ne", 8 * size, left, right)
                parts.append(
                    conjunction(
                        [unlike, *_inside(item, at, True), *_inside(other, at + distance, False)]
                    )
                )
        at += size
    return plain(disjunction(parts))


def _is_set(item: MemoryObject, at: int, size: int) -> bool:
    return at >= 0 and at + size <= len(item.data) and item.has_value(at, size)


def _inside(item: MemoryObject, at: int, old: bool) -> Iterator[Data]:
    if item.extent is not None:
        yield compare("ult", 64, at, (old_half if old else new_half)(item.extent))
