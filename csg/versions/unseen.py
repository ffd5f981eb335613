"""Edits of the text that are no change of the program, and why they are none.

    #if 0                      #if 0
    x = 1;                     x = 2;         ->   new.c:2: left out by '#if 0' (new.c:1)
    #endif                     #endif

    /* one */ return x;        return x;      ->   comments and white space

An edit that the changes account for is not among them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from csg.frontend.conditionals import Branch, lines_left_out, without_comments
from csg.language.syntax import TranslationUnit
from csg.records import record
from csg.source import Location
from csg.versions.meanings import definitions
from csg.versions.unified import Unified

_DEFINE = re.compile(r"\s*#\s*(?:define|undef)\s+(\w+)")
_INCLUDE = re.compile(r"\s*#\s*include\b")


@record
class Unseen:
    """Lines ``old_lines`` (first, behind the last) became ``new_lines``; ``location`` is in the new
    version, or where a deletion would stand."""

    location: Location
    old_lines: tuple[int, int]
    new_lines: tuple[int, int]
    why: str


@record
class _File:
    name: str
    lines: list[str]
    plain: list[str]  # without comments


def unseen_edits(unified: Unified, flags: Sequence[str] = ()) -> tuple[Unseen, ...]:
    """``flags`` are those that the files are compiled with."""
    touched = _touched(unified)
    return tuple(
        edit
        for old, new in _files(unified.old, unified.new)
        for edit in _between(old, new, touched, flags)
    )


def _files(old: TranslationUnit, new: TranslationUnit) -> Iterator[tuple[_File, _File]]:
    """Files of one name; of one each whatever their names."""
    if len(old.sources) == len(new.sources) == 1:
        names = [(next(iter(old.sources)), next(iter(new.sources)))]
    else:
        known = {os.path.basename(name): name for name in old.sources}
        names = [
            (known[base], name) for name in new.sources if (base := os.path.basename(name)) in known
        ]
    for before, after in names:
        yield _file(before, old.sources[before]), _file(after, new.sources[after])


def _file(name: str, lines: list[str]) -> _File:
    return _File(name, lines, without_comments("\n".join(lines)).split("\n") if lines else [])


def _touched(unified: Unified) -> set[tuple[str, int]]:
    """Lines of either version that a change speaks of, or that are the cause of one."""
    found: set[tuple[str, int]] = set()
    for change in unified.changes:
        for first, last in (
            (change.old_location, change.old_end),
            (change.new_location, change.new_end),
        ):
            if first is not None:
                until = last.line if last is not None else first.line
                found.update((first.file, line) for line in range(first.line, until + 1))
    causes = " ".join(change.cause for change in unified.changes)
    if causes:
        for unit in (unified.old, unified.new):
            for each in definitions(unit).values():
                if f"{each.word} {each.name} (" in causes:
                    found.add((each.location.file, each.location.line))
    return found


def _between(
    old: _File, new: _File, touched: set[tuple[str, int]], flags: Sequence[str]
) -> Iterator[Unseen]:
    hunks = [
        (a, b, c, d)
        for word, a, b, c, d in SequenceMatcher(None, old.lines, new.lines, False).get_opcodes()
        if word != "equal"
    ]
    if not hunks:
        return
    left_out = [lines_left_out(file.name, file.lines, flags) for file in (old, new)]
    for a, b, c, d in hunks:
        seen = {(old.name, line) for line in range(a + 1, b + 1)}
        seen |= {(new.name, line) for line in range(c + 1, d + 1)}
        if not seen & touched:
            why = _why(old, new, (a, b), (c, d), left_out)
            yield Unseen(
                Location(new.name, min(c + 1, max(len(new.lines), 1))), (a, b), (c, d), why
            )


def _why(
    old: _File,
    new: _File,
    before: tuple[int, int],
    after: tuple[int, int],
    left_out: Sequence[dict[int, Branch]],
) -> str:
    one, other = old.plain[slice(*before)], new.plain[slice(*after)]
    if "".join("".join(one).split()) == "".join("".join(other).split()):
        return "comments and white space"
    branches = [
        left_out[side].get(line + 1)
        for side, (file, span) in enumerate(((old, before), (new, after)))
        for line in range(*span)
        if file.plain[line].strip()
    ]
    off = [branch for branch in branches if branch is not None]
    if off and len(off) == len(branches):
        return f"left out by '{off[-1].text}' ({off[-1].location})"
    lines = [line for line in (*one, *other) if line.strip()]
    macros = [found[1] for line in lines if (found := _DEFINE.match(line))]
    if len(macros) == len(lines):
        names = ", ".join(dict.fromkeys(macros))
        return f"macro {names}: nothing that is compiled became different by it"
    if all(_INCLUDE.match(line) for line in lines):
        return "an include that changes nothing that is used"
    return "it means the same: names, order or spelling"
