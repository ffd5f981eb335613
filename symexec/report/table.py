"""The findings on a terminal, in 80 columns or those that it has; with colours there.

class       blamed          tests  input          old     new      sequence
regression  1 + 2 together  3      ./range -f 0-  exit 0  SIGABRT  c1 c2 i1
  change 1  range.c:9   x > 0  ->  x >= 0
  change 2  range.c:12  added  y = x

A table that is too wide leaves out the last columns; where that is not enough, what is long stands
one below the other:

class       blamed          tests  input, old, new
regression  1 + 2 together  3      ./range -f 0-
                                   old  exit 0, prints 1 | 2 | 3
                                   new  SIGABRT
"""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, TextIO

from csg.errors import printable
from csg.terminal import drawn
from symexec.report.model import Report
from symexec.report.words import (
    accepted_lines,
    blamed_changes,
    changes_named,
    contrasted,
    explored,
    finder,
    further_symptoms,
    headline,
    internal_lines,
    listed_expectations,
    looked_for,
    perhaps_smaller,
    reservations,
    sequence_named,
    sequences_covered,
    short_paths,
    undefined_places,
)
from symexec.testcases import DifferenceKind, TestCase, rendered

if TYPE_CHECKING:
    from symexec.triage import Group

_COLUMNS = ("class", "blamed", "tests", "input", "old", "new", "sequence")
_STACKED = 3  # the columns that may be long: input, old, new
_WIDTH = 80  # where nobody says how wide the terminal is
_NAME, _LEADING = 30, 16  # columns of the first cell, and of others in front of those
# Of a cell; what is longer lacks its middle, as its end says how a program is called.
_MOST_LINES = 4
_TABLE, _BELOW = 24, 20  # lines of a screen: of the table, and below it
_RED, _GREEN, _YELLOW = "31", "32", "33"  # SGR parameters (ECMA-48)
_COLOURS = {
    DifferenceKind.HANG: _RED,
    DifferenceKind.REGRESSION: _RED,
    DifferenceKind.BOTH_FAIL: _RED,
    DifferenceKind.INCOMPLETE_FIX: _RED,
    DifferenceKind.UNDECIDED: _RED,
    DifferenceKind.FIX: _GREEN,
    DifferenceKind.PROGRESSION: _GREEN,
    DifferenceKind.HANG_FIX: _GREEN,
    DifferenceKind.LEAK_FIX: _GREEN,
    DifferenceKind.SLOWER: _YELLOW,
    DifferenceKind.DIFFERENCE: _YELLOW,
    "internal-failure": _YELLOW,
    DifferenceKind.UNDEFINED: _YELLOW,
    DifferenceKind.LEAK: _YELLOW,
}
Row = tuple[str, ...]


def print_report(report: Report, stream: TextIO | None = None, everything: bool = True) -> None:
    """Print the verdict, a row for each group of differences, and what was left out; of all that
    no more than a screen, unless ``everything`` is asked for."""
    out = stream or sys.stdout
    _print_lines([headline(report), *filter(None, [looked_for(report)])], out)
    groups = group_rows(report)
    heads: Row = _COLUMNS
    if groups and _found_without_search(report):
        groups = [
            [
                (*row[:-1], by, row[-1])
                for row, by in zip_longest(rows, [finder(each)], fillvalue="")
            ]
            for each, rows in zip(report.groups, groups, strict=True)
        ]
        heads = (*_COLUMNS[:-1], "first found by", _COLUMNS[-1])
    more = 0
    if groups:
        optional = len(heads) - len(_COLUMNS) + 1
        shown = groups if everything else _first_groups(heads, groups, out, optional)
        more = len(groups) - len(shown)
        _print_rows(heads, [*chain(*shown)], out, optional)
    if more:
        _print_lines([f"  and {more} more difference{'s'[: more != 1]}: --all prints them"], out)
    lines = [
        *blamed_changes(report),
        *internal_lines(report),
        *accepted_lines(report),
        *undefined_places(report),
        *perhaps_smaller(report),
        *sequences_covered(report),
        *listed_expectations(report, _WIDTH - 2),
        *reservations(report),
        *report.notes,
    ]
    left = len(lines) - _BELOW
    if left > 1 and not everything:
        lines[_BELOW:] = [f"and {left} more lines: --all prints them"]
    if report.differing and report.sandbox:
        lines.append(f"replayed natively, sandbox: {report.sandbox}")
    _print_lines([f"  {short_paths(text, report)}" for text in lines], out)


def _first_groups(
    heads: Row, groups: Sequence[Sequence[Row]], out: TextIO, optional: int
) -> Sequence[Sequence[Row]]:
    """The rows of as many groups as a screen holds, of one at least."""
    for count in range(len(groups), 1, -1):
        rows = [*chain(*groups[:count])]
        if len(_lines_of(heads, rows, out, optional, _STACKED)) <= _TABLE:
            return groups[:count]
    return groups[:1]


def _found_without_search(report: Report) -> bool:
    """Was some difference found first by another phase than the search?"""
    if report.native is None and "examples" not in report.counters:
        return False
    return any(each.found_by != report.bounds.get("mode") for each in report.groups)


def print_exploration(report: Report, stream: TextIO | None = None) -> None:
    """Print the exploration of one program: how far it went, and one row for each error and its
    place."""
    out = stream or sys.stdout
    found: dict[tuple[str, ...], list[TestCase]] = {}
    for case in report.tests:
        found.setdefault(case.notes, []).append(case)
    _print_lines([explored(report, len(found))], out)
    if found:
        rows = []
        for notes, cases in found.items():
            place, _, error = " ".join(notes).partition(": ")
            witness = min(cases, key=lambda case: (case.input.size, case.id))
            spelling = rendered(witness.input, f"./{report.name}", report.entry, report.signature)
            rows.append((place, error, str(len(cases)), spelling))
        _print_rows(("place", "error", "tests", "input"), rows, out, stacked=1)
    lines = [*reservations(replace(report, tests=[])), *report.notes]
    _print_lines([f"  {text}" for text in lines], out)


def group_rows(report: Report) -> list[list[Row]]:
    """For each group its row, and one for each further symptom."""
    by_id = {case.id: case for case in report.tests}
    return [[*_rows_of(each, report, by_id)] for each in report.groups]


def _rows_of(each: Group, report: Report, by_id: Mapping[str, TestCase]) -> Iterator[Row]:
    _, *rest = _cells(by_id[each.witness], report)
    blamed = changes_named(each.blamed, each.interaction) or "-"
    sequence = sequence_named(by_id[each.witness].sequence)
    yield (each.called, blamed, str(len(each.tests)), *rest, sequence)
    for one in further_symptoms(report, each.also, by_id):
        sequence = sequence_named(one.case.sequence)
        yield (f"  {one.word}", "", str(one.tests), one.input, one.old, one.new, sequence)


def _cells(case: TestCase, report: Report) -> Row:
    spelling = rendered(case.input, f"./{report.name}", report.entry, report.signature)
    return case.called or case.observed, spelling, *contrasted(case.old, case.new)


def _print_lines(lines: Sequence[str], out: TextIO) -> None:
    """Print each of them as one line. Names of files stand in them: one with a newline in it would
    make a line of its own."""
    for line in lines:
        text = printable(line, "\t")
        if out.isatty():
            indent = "    " if text.startswith("  ") else ""
            text = "\n".join(_wrapped(text, width(out), indent, most=None))
        print(text, file=out)


def width(out: TextIO) -> int:
    """The columns of a terminal; else 80."""
    return shutil.get_terminal_size((_WIDTH, 24)).columns if out.isatty() else _WIDTH


def _print_rows(
    heads: Row, rows: Sequence[Row], out: TextIO, optional: int = 0, stacked: int = _STACKED
) -> None:
    """Print a table. ``optional``: how many of the last columns may be left out; of the others the
    last ``stacked`` may be put one below the other."""
    for line in _lines_of(heads, rows, out, optional, stacked):
        print(_coloured(line, out), file=drawn(out))


def _lines_of(
    heads: Row, rows: Sequence[Row], out: TextIO, optional: int, stacked: int
) -> list[str]:
    table = [heads, *(tuple(printable(cell) for cell in row) for row in rows)]
    return fitted(table, width(out), optional, stacked, folds=out.isatty())


def _coloured(line: str, out: TextIO) -> str:
    """The line with the class of a difference, its first word, in colour."""
    if not out.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return line
    name = line.split(" ", 1)[0]
    return f"\x1b[{_COLOURS[name]}m{name}\x1b[0m{line[len(name) :]}" if name in _COLOURS else line


def fitted(
    table: Sequence[Row], width: int, optional: int, stacked: int, folds: bool = True
) -> list[str]:
    """The lines of a table, its heads first, none wider than ``width``. Without ``folds`` every
    cell stays on one line, for whoever searches in them or copies from them."""
    for left_out in range(optional + 1):
        lines = aligned([row[: len(row) - left_out] for row in table])
        if max(map(len, lines)) <= width:
            return lines
    shown = [row[: len(row) - optional] for row in table]
    first = len(shown[0]) - stacked
    cells = [[*row[:first], ", ".join(row[first:])] for row in shown[:1]]
    longest = [max(len(row[at]) for row in shown) for at in range(first)]
    limits = [_NAME, *(_LEADING for _ in longest[1:])]
    widths = [*map(min, limits, longest)] if folds else longest
    room = max(20, width - sum(widths) - 2 * first) if folds else sys.maxsize >> 8
    names = shown[0][first:]
    lines = aligned_cells([cells[0]], [*widths, 0])
    for row in shown[1:]:
        wrapped = [_wrapped(cell, wide) for cell, wide in zip(row, widths, strict=False)]
        wrapped.append([*_stack(names, row[first:], room)])
        parts = [[*each] for each in zip_longest(*wrapped, fillvalue="")]
        lines += aligned_cells(parts, [*widths, 0])
    return lines


def _stack(names: Row, cells: Row, width: int) -> Iterator[str]:
    """The first cell as it is, the others one below the other behind their names."""
    yield from _wrapped(cells[0], width)
    for name, cell in zip(names[1:], cells[1:], strict=True):
        head = f"{name}  "
        yield from _wrapped(head + cell, width, " " * len(head))


def _wrapped(text: str, width: int, indent: str = "", most: int | None = _MOST_LINES) -> list[str]:
    width = max(width, len(indent) + 8)
    lines = textwrap.wrap(
        text,
        width,
        subsequent_indent=indent,
        replace_whitespace=False,
        break_on_hyphens=False,
    )
    if most is not None and len(lines) > most:
        end = text[len(indent) + 4 - width :]
        lines[most - 1 :] = [f"{indent}... {end.partition(' ')[2] or end}"]
    return lines or [""]


def aligned(rows: Sequence[Row]) -> list[str]:
    """The rows with columns two spaces apart, as wide as the widest cell, up to 60 characters."""
    widths = [min(60, max(len(row[i]) for row in rows)) for i in range(len(rows[0]))]
    return aligned_cells(rows, widths)


def aligned_cells(rows: Sequence[Sequence[str]], widths: Sequence[int]) -> list[str]:
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
