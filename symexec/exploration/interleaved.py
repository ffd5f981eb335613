"""Compare the order in which standard output and standard error get what a program writes.

    write(1, "a", 1);  |  write(2, "b", 1);      each of the two shows the same text,
    write(2, "b", 1);  |  write(1, "a", 1);      and what shows both, after 2>&1, has ab or ba

A run of a test keeps the two apart, so a difference in their order is an omission. Both are
compared as one text, twice: as it comes to a file or a pipe, where stdout holds back what it gets
until it is flushed; and as the program writes it, which is what a terminal shows of whole lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from symexec.expr import Operand, conjunction, disjunction, negate
from symexec.ledger import Omission, Reason
from symexec.runtime.formats.comparing import Difference, difference
from symexec.runtime.operands import plain
from symexec.shadow.outcomes import Unit, units_of
from symexec.state.buffers import Buffers, Shown, flushes
from symexec.state.endings import row
from symexec.state.state import Holder, Moment, Outcome, Output, OutputItem, Settled

ORDER = "the order of standard output and standard error may differ: no test shows both as one"
_STREAMS = (1, 2)


def order_apart(old: Outcome, new: Outcome) -> Iterator[tuple[Omission, Operand]]:
    """An omission where the texts of both streams are the same and their order is not, with the
    condition for that."""
    if old.output is new.output or not all(row(each.ending).complete for each in (old, new)):
        return
    outputs = [Output.all(each.output) for each in (old, new)]
    written = [_as_written(each) for each in outputs]
    if not all(map(_has_both, written)):
        return
    ends = [flushes(each.ending) for each in (old, new)]
    conditions = [_apart(*written)]
    if _steps(outputs[0]) != _steps(outputs[1]) or ends[0] is not ends[1]:
        conditions.append(_shown_apart(outputs, ends))
    condition = plain(disjunction(conditions))
    if condition != 0:
        yield Omission(Reason.APPROXIMATED, ORDER, new.location), condition


def _as_written(outputs: Sequence[Output]) -> list[Shown]:
    """What was put out, in the order of the program."""
    return [
        (each.stream, each.item)
        for each in outputs
        if not isinstance(each.item, Settled | Moment) and each.item != b""
    ]


def _steps(outputs: Sequence[Output]) -> list[tuple[int, OutputItem, Holder | None]]:
    """All that decides when what was put out comes to a file."""
    return [
        (each.stream, each.item, each.holder)
        for each in outputs
        if not isinstance(each.item, Moment)
    ]


def _has_both(pieces: Sequence[Shown]) -> bool:
    return {stream for stream, _ in pieces}.issuperset(_STREAMS)


def _shown_apart(outputs: Sequence[list[Output]], ends: Sequence[bool]) -> Operand:
    """The condition for what comes to a file. Where it is not known when a buffer is full, the
    order may always differ. ``ends``: does each version at its end write what streams hold back?"""
    found: list[list[Shown]] = []
    for each, ends_flushing in zip(outputs, ends, strict=True):
        buffers = Buffers()
        shown = buffers.written(each)
        if not buffers.certain:
            return 1
        found.append([*shown, *buffers.rest(ends_flushing)])
    return _apart(*found)


def _apart(one: Sequence[Shown], two: Sequence[Shown]) -> Operand:
    """The condition under which two texts of both streams differ, and those of each do not."""
    if one == two:
        return 0
    each = [difference(units_of(one, number), units_of(two, number)) for number in _STREAMS]
    alike = [negate(_condition(apart)) for apart in each]
    if 0 in alike:
        return 0
    return plain(conjunction([_condition(difference(_merged(one), _merged(two))), *alike]))


def _condition(apart: Difference) -> Operand:
    return plain(disjunction([apart.sure, apart.perhaps]))


def _merged(pieces: Sequence[Shown]) -> list[Unit]:
    return units_of(((1, item) for _, item in pieces), 1)
