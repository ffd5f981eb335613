"""How much of a text a stream holds back, as glibc does it: a buffer, and its area for putting.

    area = PutArea(16)
    put_text(area, 20, 0)      PutArea(16, held=0): a buffer of less than 128 bytes is passed by
    put_bytes(area, 20, 0)     PutArea(16, held=4): putc fills it, and the next byte writes it

Only lengths count here; ``line`` is the number of bytes up to the last end of a line, 0 without
one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from enum import Enum, auto
from typing import assert_never

from csg.records import record

SMALL = 128  # bytes of a buffer; what does not fit into a smaller one is written directly


class Put(Enum):
    """How a function of the library puts a text into a stream."""

    TEXT = auto()  # at once: fputs
    BYTE = auto()  # one byte: putc
    LINE = auto()  # a text, then one byte: puts
    PARTS = auto()  # in parts that only the library knows: printf


@record
class PutArea:
    """A stream's buffer of ``size`` bytes. ``begun``: the stream is writing; ``ready``: bytes can
    be stored up to the end of the buffer without a look at them; ``held``: bytes in it."""

    size: int
    lines: bool = False
    begun: bool = False
    ready: bool = False
    held: int = 0


def flushed(area: PutArea) -> PutArea:
    """The area after what it holds was written."""
    return replace(area, held=0, ready=not area.lines) if area.held else area


def put_bytes(area: PutArea, length: int, line: int) -> PutArea:
    """The area after so many bytes, each put by itself."""
    stored = min(length, area.size - area.held) if area.ready else 0
    area = replace(area, held=area.held + stored)
    length, line = length - stored, max(0, line - stored)
    if not length:
        return area
    area = _begun(area)
    if area.held == area.size:
        area = flushed(area)
    if area.lines and line:
        area = replace(area, held=0, ready=False)
        length -= line
    held = area.held + length
    if held <= area.size:
        return replace(area, held=held)
    return replace(area, held=(held - 1) % area.size + 1, ready=not area.lines)


def put_text(area: PutArea, length: int, line: int) -> PutArea:
    """The area after a text that is put at once."""
    room, ends = area.size - area.held if area.ready else 0, False
    if area.lines and area.begun:
        room = area.size - area.held
        ends = bool(line) and room >= length
    stored = min(line if ends else room, length)
    area = replace(area, held=area.held + stored)
    length, line = length - stored, max(0, line - stored)
    if not length and not ends:
        return area
    area = flushed(_begun(area))
    direct = length - (length % area.size if area.size >= SMALL else 0)
    if direct:
        area = replace(area, ready=not area.lines)
    return put_bytes(area, length - direct, max(0, line - direct))


def _begun(area: PutArea) -> PutArea:
    return area if area.begun else replace(area, begun=True, ready=not area.lines)


def after_put(area: PutArea, how: Put, length: int, line: int) -> Iterator[PutArea]:
    """Each area that there may be after a text was put; the first one is the likeliest. Of a LINE,
    ``line`` does not count its own end."""
    if not length:
        yield area
        return
    match how:
        case Put.TEXT:
            yield put_text(area, length, line)
        case Put.BYTE:
            yield put_bytes(area, length, line)
        case Put.LINE:
            yield put_bytes(put_text(area, length - 1, line), 1, 1)
        case Put.PARTS:
            yield put_text(area, length, line)
            yield put_bytes(area, length, line)
        case _:
            assert_never(how)
