"""Compare what a caller can do with objects that the versions have allocated, besides reading them.

    return malloc(n + 1);  |  return malloc(n);              may use the last byte
    p = calloc(1, 8);      |  p = malloc(8);                 may read it, though nobody wrote it
    return p;              |  return p;

Native runs read what both versions have written. So each of these is an omission, for every object
that pointers lead to from what the caller has: the result, objects of its own, global objects.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from csg.errors import Location
from symexec.exploration.whole_objects import Pair
from symexec.expr import Operand, disjunction
from symexec.ledger import Omission, Reason
from symexec.memory import AllocationKind, Memory
from symexec.runtime.operands import plain

SIZES = "the sizes of allocated objects may differ; nothing looks at their ends"
UNSET = "a version may leave bytes of an allocated object that the other one writes"

Addresses = tuple[Operand, Operand]  # addresses in the old and in the new version
Root = tuple[Operand, Operand, bool]  # the same, and whether a text lies there


def allocated_apart(
    memory: Memory, roots: Iterable[Root], place: Location
) -> Iterator[tuple[Omission, Operand]]:
    """What may differ in objects that the ``roots`` lead to, with the condition under which it
    does. Nobody reads what lies behind the 0 of a text and was not written."""
    known = [*roots]
    texts = {(one, two) for one, two, is_text in known if is_text}
    sizes: list[Operand] = []
    unset: list[Operand] = []
    for ends, pair in _objects(memory, [(one, two) for one, two, _ in known]):
        sizes.append(pair.sizes_apart())
        if pair.marked_apart(is_text=ends in texts):
            unset.append(1)
    for text, conditions in ((SIZES, sizes), (UNSET, unset)):
        condition = plain(disjunction(conditions))
        if condition != 0:
            yield Omission(Reason.APPROXIMATED, text, place), condition


def _objects(memory: Memory, roots: Iterable[Addresses]) -> Iterator[tuple[Addresses, Pair]]:
    """The pairs of addresses in allocated objects, and these objects, to which the same way leads.
    Pointers that depend on the input are not followed."""
    waiting = [*roots]
    met = set(waiting)
    while waiting:
        ends = waiting.pop()
        pair = Pair.at(memory, ends)
        if pair is None or pair.kinds != {AllocationKind.HEAP}:
            continue
        yield ends, pair
        for _, each in pair.pointers(memory):
            if each not in met:
                met.add(each)
                waiting.append(each)
