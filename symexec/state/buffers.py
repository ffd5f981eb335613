"""What a reader of standard output and error sees of what a program has written.

    printf("a"); write(1, "b", 1); exit(0)     b, a: stdout holds back what it is given
    printf("a"); abort()                       nothing: what is still held back is lost
    printf("a"); fflush(stdout); abort()       a

As glibc does it where standard output is a file or a pipe (``put_area``): a stream has a buffer of
4096 bytes, or the one that setvbuf gave it. Numbers printed from terms have no known length, and
printf puts a text in parts; where it depends on these what is held back, ``certain`` is False.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from symexec.state.endings import Endless, Exit, PathEnding, Returned
from symexec.state.put_area import Put, PutArea, after_put, flushed
from symexec.state.state import Formatted, Holder, Moment, Output, OutputItem, Settled

Shown = tuple[int, OutputItem]  # 1 or 2, and what went there

_NUMBERS = re.compile(r"\d+")
_LONGEST, _LONGEST_FLOAT = 24, 5000  # characters of a number without width and precision


@dataclass(slots=True)
class _Held:
    """What a stream holds back. ``text``: the pieces of a text that is being put; ``slack``: so
    many bytes fewer than the area says may be held."""

    area: PutArea
    turn: int = -1
    slack: int = 0
    pieces: list[Shown] = field(default_factory=list)
    text: list[Shown] = field(default_factory=list)


class Buffers:
    """What streams hold back at a moment of a run."""

    def __init__(self) -> None:
        self.certain = True
        self._streams: dict[int, _Held] = {}

    def written(self, outputs: Iterable[Output]) -> list[Shown]:
        """What these outputs, in the order of the program, bring to a reader."""
        found: list[Shown] = []
        for each in outputs:
            match each.item:
                case Settled(number=number, lost=lost):
                    settled = self._taken(number)
                    found += [] if lost else settled
                case Moment():
                    pass
                case item if each.holder is None:
                    found.append((each.stream, item))
                case item:
                    assert each.holder is not None
                    found += self._hold(each.holder, (each.stream, item))
        return found

    def amounts_held(self) -> dict[int, tuple[object, ...]]:
        """What each stream holds back, as far as it takes to tell amounts apart: the number of
        known bytes, and the other pieces."""
        found: dict[int, tuple[object, ...]] = {}
        for number, stream in self._streams.items():
            pieces = [*stream.pieces, *stream.text]
            known = sum(len(item) for _, item in pieces if isinstance(item, bytes))
            others = (item for _, item in pieces if not isinstance(item, bytes))
            if pieces:
                found[number] = (known, *others)
        return found

    def rest(self, flushes: bool) -> list[Shown]:
        """What the end of the process brings to a reader: all that is held back, or nothing."""
        held = [item for number in list(self._streams) for item in self._taken(number)]
        if not flushes:
            return []
        self.certain = True
        return held

    def _taken(self, number: int) -> list[Shown]:
        stream = self._streams.get(number)
        if stream is None:
            return []
        taken, stream.pieces, stream.slack = stream.pieces, [], 0
        stream.area = flushed(stream.area)
        return taken

    def _hold(self, holder: Holder, piece: Shown) -> list[Shown]:
        """Add a piece to the text that is put into a stream; returns what is written behind the
        last piece."""
        stream = self._streams.setdefault(holder.number, _Held(holder.area))
        if holder.turn != stream.turn:
            stream.turn, stream.area = holder.turn, holder.area
        stream.text.append(piece)
        if holder.how is None:
            return []
        if stream.area.lines != holder.area.lines:
            stream.area = replace(stream.area, lines=holder.area.lines)
        text, stream.text = stream.text, []
        return self._put(stream, holder.how, text)

    def _put(self, stream: _Held, how: Put, text: list[Shown]) -> list[Shown]:
        """Put a text whose pieces may have any of some lengths; returns what is written then."""
        least, most = map(sum, zip(*(_sizes(item) for _, item in text), strict=True))
        stream.pieces += text
        held = stream.area.held
        if stream.area.ready and not stream.area.lines and held + most <= stream.area.size:
            stream.area = replace(stream.area, held=held + most)
            stream.slack += most - least
            return []
        size = {most: True, max(1, least): False}
        found: list[PutArea] = []
        whole: list[bool] = []  # is all of it held back?
        for before in {held: 0, held - stream.slack: 0}:
            for added, longest in size.items():
                area = replace(stream.area, held=before)
                after = [*after_put(area, how, added, _line(how, text, longest))]
                found += after
                whole += [each.held == before + added for each in after]
        known = least == most and not stream.slack
        alike = len({(area.begun, area.ready) for area in found}) == 1
        stream.area = found[0]
        if all(whole) and alike:
            stream.slack += most - least
            return []
        if alike and not any(area.held for area in found):
            taken, stream.pieces, stream.slack = stream.pieces, [], 0
            return taken
        self.certain &= known and len({*found}) == 1
        if not known:
            stream.slack += most - least
            stream.area = replace(found[0], held=held + most)
            return []
        written, stream.pieces = _cut(stream.pieces, held + most - found[0].held)
        return written


def _line(how: Put, text: Sequence[Shown], longest: bool) -> int:
    """The bytes of a text up to its last end of a line, the one of puts not counted."""
    line = place = 0
    for at, (_, item) in enumerate(text):
        if isinstance(item, bytes):
            own = how is Put.LINE and at == len(text) - 1
            last = item.rfind(b"\n", 0, len(item) - own)
            line = place + last + 1 if last >= 0 else line
        place += _sizes(item)[longest]
    return line


def _sizes(item: OutputItem) -> tuple[int, int]:
    """How many bytes an item has, at least and at most."""
    match item:
        case bytes():
            return len(item), len(item)
        case Formatted(spec=spec):
            longest = _LONGEST if spec[-1] in "diouxXc" else _LONGEST_FLOAT
            return 0, longest + sum(map(int, _NUMBERS.findall(spec)))
        case _:
            return 1, 1


def _cut(pieces: list[Shown], size: int) -> tuple[list[Shown], list[Shown]]:
    """The first ``size`` bytes, and the rest."""
    first: list[Shown] = []
    for at, (stream, item) in enumerate(pieces):
        length = _sizes(item)[1]
        if length > size:
            if not isinstance(item, bytes) or not size:
                return first, pieces[at:]
            first.append((stream, item[:size]))
            return first, [(stream, item[size:]), *pieces[at + 1 :]]
        first.append((stream, item))
        size -= length
    return first, []


def flushes(ending: PathEnding) -> bool:
    """Does a process that ends so write what its streams hold back? One that does not end writes it
    at last where it goes on printing."""
    match ending:
        case Exit(at_once=at_once):
            return not at_once
        case Endless(prints=prints):
            return prints
        case Returned():
            return True
        case _:
            return False


def shown(outputs: Sequence[Output], ending: PathEnding) -> tuple[list[Shown], bool]:
    """What a reader sees of all outputs of a run, and whether that is certain."""
    buffers = Buffers()
    found = buffers.written(outputs)
    certain = buffers.certain
    found += buffers.rest(flushes(ending))
    return found, certain or _only_one(outputs, ending)


def _only_one(outputs: Sequence[Output], ending: PathEnding) -> bool:
    """Is all that goes to a reader written by one stream for each, and flushed at the end? Then it
    does not matter when."""
    if not flushes(ending):
        return False
    writers: dict[int, set[int | None]] = {}
    for each in outputs:
        if isinstance(each.item, Moment):
            continue
        if not isinstance(each.item, Settled):
            number = None if each.holder is None else each.holder.number
            writers.setdefault(each.stream, set()).add(number)
        elif each.item.lost:
            return False
    return all(len(found) == 1 for found in writers.values())
