"""The patch as a reader of diffs sees it, with the changes that stand on each of its lines.

    patch(unified).files[0].hunks[0]   Line(9, 9, "int f(void)")      both versions have it
                                       Line(10, 0, "    return 1;", (1,))
                                       Line(0, 10, "    return 2;", (1,))

A line that both versions have belongs to it, too, where a change stands there that no differing
line shows: a macro or a type has changed elsewhere. Lines that differ without a change (comments,
spaces, what the preprocessor leaves out) are of no change.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from csg.errors import Location
from csg.records import record

if TYPE_CHECKING:
    from csg.unify.unified import Unified

CONTEXT = 3  # lines before and behind what differs
_MOST_LINES = 12_000
_LONGEST = 300  # characters of a line
_POPULAR = 2_000  # lines from which on what stands everywhere is no anchor of a comparison

Places = Mapping[tuple[str, int], Sequence[int]]


@record
class Line:
    """A line of the patch. ``old`` and ``new`` are its numbers in both versions, 0 where it is
    missing."""

    old: int
    new: int
    text: str
    changes: tuple[int, ...] = ()


Hunk = tuple[Line, ...]


@record
class FilePatch:
    """``old`` or ``new`` is "" for a file of one version."""

    old: str
    new: str
    hunks: tuple[Hunk, ...]


@record
class Patch:
    """The patch. ``left_out``: how many of its lines are too many to be shown."""

    files: tuple[FilePatch, ...] = ()
    left_out: int = 0

    def around(self, changes: Iterable[int]) -> Iterator[tuple[FilePatch, Hunk]]:
        """The hunks with a line of one of these changes."""
        wanted = frozenset(changes)
        for file in self.files:
            for hunk in file.hunks:
                if any(not wanted.isdisjoint(line.changes) for line in hunk):
                    yield file, hunk


def patch(unified: Unified) -> Patch:
    before, after = _places(unified, new=False), _places(unified, new=True)
    files, left, left_out = [], _MOST_LINES, 0
    for old, new in paired_files(unified.old.sources, unified.new.sources):
        lines = unified.old.sources.get(old, []), unified.new.sources.get(new, [])
        rows = [*_rows(old, new, *lines, before, after)]
        hunks = []
        for hunk in _hunks(rows):
            if len(hunk) <= left:
                hunks.append(tuple(hunk))
                left -= len(hunk)
            else:
                left_out += len(hunk)
        if hunks and ((old and new) or any(line.changes for hunk in hunks for line in hunk)):
            files.append(FilePatch(old, new, tuple(hunks)))
    return Patch(tuple(files), left_out)


def paired_files(old: Iterable[str], new: Iterable[str]) -> list[tuple[str, str]]:
    """The pairs of files by name: of several with one name, those with most folders in common; if
    each version has one file only, these two. "" stands for the missing partner of a file."""
    before, after = list(old), list(new)
    if len(before) == len(after) == 1:
        return [(before[0], after[0])]
    found = []
    for name in after:
        partners = [each for each in before if os.path.basename(each) == os.path.basename(name)]
        partner = max(partners, key=lambda each: _folders_in_common(each, name), default="")
        found.append((partner, name))
        if partner:
            before.remove(partner)
    return found + [(name, "") for name in before]


def _folders_in_common(one: str, other: str) -> int:
    pairs = zip(one.split("/")[::-1], other.split("/")[::-1], strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _places(unified: Unified, new: bool) -> dict[tuple[str, int], list[int]]:
    """Per file and line of a version, the changes that stand there."""
    found: dict[tuple[str, int], list[int]] = {}
    for change in unified.changes:
        first, last = change.old_location, change.old_end
        if new:
            first, last = change.new_location, change.new_end
            if first is None and change.new_text.strip():
                first = change.location
        for place in _lines(first, last):
            found.setdefault(place, []).append(change.id)
    return found


def _lines(first: Location | None, last: Location | None) -> Iterator[tuple[str, int]]:
    if first is not None:
        end = last.line if last is not None and last.file == first.file else first.line
        for line in range(first.line, max(end, first.line) + 1):
            yield first.file, line


def _rows(
    old: str, new: str, before: list[str], after: list[str], gone: Places, come: Places
) -> Iterator[Line]:
    """The lines of both files, merged in order."""
    shown: set[int] = set()
    rows = [*_aligned(before, after)]
    for a, c in rows:
        if not a or not c:
            shown.update(gone.get((old, a), ()) if a else come.get((new, c), ()))
    for a, c in rows:
        text = (after[c - 1] if c else before[a - 1])[:_LONGEST]
        known = {*(gone.get((old, a), ()) if a else ()), *(come.get((new, c), ()) if c else ())}
        if a and c:
            known -= shown
            shown |= known  # each change once, on the line where it begins
        yield Line(a, c, text, tuple(sorted(known)))


def _aligned(before: list[str], after: list[str]) -> Iterator[tuple[int, int]]:
    """Pairs of line numbers that are aligned; 0 where one version has no such line."""
    begin = next(
        (at for at, (a, b) in enumerate(zip(before, after, strict=False)) if a != b),
        min(len(before), len(after)),
    )
    for line in range(1, begin + 1):
        yield line, line
    popular = len(after) - begin > _POPULAR
    matcher = SequenceMatcher(None, before[begin:], after[begin:], popular)
    first = begin + 1
    for word, a, b, c, d in matcher.get_opcodes():
        if word == "equal":
            yield from zip(range(first + a, first + b), range(first + c, first + d), strict=True)
        else:
            yield from ((line, 0) for line in range(first + a, first + b))
            yield from ((0, line) for line in range(first + c, first + d))


def _hunks(rows: Sequence[Line]) -> Iterator[list[Line]]:
    """The rows that differ or have a change, with ``CONTEXT`` rows around them; overlapping hunks
    are joined."""
    found: list[Line] = []
    end = 0  # index of the row behind the hunk
    for at, row in enumerate(rows):
        if row.old and row.new and not row.changes:
            continue
        start = max(at - CONTEXT, end)
        if found and at - CONTEXT > end:
            yield found
            found = []
        until = min(at + CONTEXT + 1, len(rows))
        found += rows[start:until]
        end = max(end, until)
    if found:
        yield found


def patch_form(found: Patch) -> dict[str, Any]:
    """The patch as report.json has it."""
    return {
        "files": [
            {
                "old": file.old,
                "new": file.new,
                "hunks": [
                    [[line.old, line.new, line.text, list(line.changes)] for line in hunk]
                    for hunk in file.hunks
                ],
            }
            for file in found.files
        ],
        "left_out": found.left_out,
    }


def patch_of_form(form: Any) -> Patch:
    """The patch in a report. Raises ValueError, TypeError or KeyError where the form is not one."""
    files = tuple(
        FilePatch(
            str(each["old"]),
            str(each["new"]),
            tuple(tuple(_line(*line) for line in hunk) for hunk in each["hunks"]),
        )
        for each in form["files"]
    )
    return Patch(files, int(form["left_out"]))


def _line(old: Any, new: Any, text: Any, changes: Any) -> Line:
    return Line(int(old), int(new), str(text), tuple(map(int, changes)))
