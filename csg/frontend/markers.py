"""Read the line markers of preprocessed text: whose lines are these?

    # 1 "range.c"                    the user's own file
    # 1 "/usr/include/stdio.h" 1 3   a system header starts
    # 2 "range.c" 2                  back in the user's file

A file is the user's *own* when it is the one named on the command line or is included by such a
file and is no header (``#include "real.c"``, tables in a ``.def``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from csg.records import record

MARKER = re.compile(r'^#(?:line)? (\d+) "((?:[^"\\\n]|\\.)*)"((?: \d)*)[ \t\r]*$', re.MULTILINE)
_ESCAPE = re.compile(r'\\([\\"])')
_HEADER = (".h", ".hh", ".hpp", ".in")


@record
class Segment:
    """The text from ``start`` to ``end``, whose first line is ``line`` of ``file``."""

    start: int
    end: int
    file: str
    line: int
    own: bool
    system: bool


def segments(text: str) -> Iterator[Segment]:
    """Cut preprocessed text at its line markers; text without any is one nameless segment."""
    stack: list[tuple[str, bool, bool]] = []  # file, own, system
    here: tuple[int, int] | None = None  # start, line
    for marker in MARKER.finditer(text):
        if here is not None:
            yield _segment(here, marker.start(), stack[-1])
        _enter(stack, marker)
        here = (marker.end() + 1, int(marker[1]))
    if here is not None:
        yield _segment(here, len(text), stack[-1])
    elif text:
        yield Segment(0, len(text), "<text>", 1, True, False)


def _segment(here: tuple[int, int], end: int, place: tuple[str, bool, bool]) -> Segment:
    return Segment(min(here[0], end), end, place[0], here[1], place[1], place[2])


def _enter(stack: list[tuple[str, bool, bool]], marker: re.Match[str]) -> None:
    """Follow one marker: 1 enters a file, 2 returns to one, 3 says that it is the system's."""
    file = marker[2]
    if "\\" in file:
        file = _ESCAPE.sub(r"\1", file)
    flags = marker[3]  # single digits
    if "1" in flags and stack:
        system = "3" in flags
        stack.append((file, stack[-1][1] and not system and not file.endswith(_HEADER), system))
        return
    if "2" in flags and len(stack) > 1:
        stack.pop()
    if not stack:
        stack.append((file, True, False))
    else:  # a marker of a macro that a system header defines has a 3 too: not the file's
        stack[-1] = (file, stack[-1][1], stack[-1][2])
