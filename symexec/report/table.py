"""The findings on a terminal: a table with colours there, plain aligned lines elsewhere.

class       blamed          tests  input          old     new      sequence
regression  1 + 2 together  3      ./range -f 0-  exit 0  SIGABRT  c1 c2 i1
  change 1  range.c:9   x > 0  ->  x >= 0
  change 2  range.c:12  added  y = x
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TextIO

from csg.errors import LINES, printable
from symexec.report.model import Report
from symexec.report.words import (
    blamed_changes,
    changes_named,
    contrasted,
    expectations,
    explored,
    finder,
    headline,
    looked_for,
    reservations,
    sequence_named,
    sequences_covered,
    short_paths,
    told_of_accepted,
    undefined_places,
)
from symexec.testcases import TestCase, spelled

_COLUMNS = ("class", "blamed", "tests", "input", "old", "new", "sequence")
_COLOURS = {
    "hang": "bold red",
    "regression": "bold red",
    "both-fail-differently": "red",
    "incomplete-fix": "red",
    "fix": "green",
    "progression": "green",
    "hang-fix": "green",
    "undecided": "red",
    "slower": "yellow",
    "difference": "yellow",
    "undefined": "yellow",
    "leak": "yellow",
    "leak-fix": "green",
}
Row = tuple[str, ...]


def print_report(report: Report, stream: TextIO | None = None) -> None:
    """Verdict, one row a group of differences, what was left out."""
    out = stream or sys.stdout
    _print_lines([headline(report), *filter(None, [looked_for(report)])], out)
    rows = group_rows(report)
    if rows and _found_beside(report):
        finders = [finder(each) for each in report.groups]
        rows = [(*row, first) for row, first in zip(rows, finders, strict=True)]
        _print_rows((*_COLUMNS, "first found by"), rows, out)
    elif rows:
        _print_rows(_COLUMNS, rows, out)
    lines = [
        *blamed_changes(report),
        *told_of_accepted(report),
        *undefined_places(report),
        *sequences_covered(report),
        *expectations(report),
        *reservations(report),
        *report.notes,
    ]
    if report.differing and report.sandbox:
        lines.append(f"replayed natively, walls: {report.sandbox}")
    _print_lines([f"  {short_paths(text, report)}" for text in lines], out)


def _found_beside(report: Report) -> bool:
    """Was the search not the first to find everything?"""
    if report.native is None and "examples" not in report.counters:
        return False
    return any(each.found_by != report.bounds.get("mode") for each in report.groups)


def print_exploration(report: Report, stream: TextIO | None = None) -> None:
    """One program alone: how far it was explored, one row for each error and its place."""
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
            spelling = spelled(witness.input, f"./{report.name}", report.entry, report.signature)
            rows.append((place, error, str(len(cases)), spelling))
        _print_rows(("place", "error", "tests", "input"), rows, out)
    lines = [*reservations(replace(report, tests=[])), *report.notes]
    _print_lines([f"  {text}" for text in lines], out)


def print_tests(report: Report, stream: TextIO | None = None) -> None:
    """One row a test."""
    rows = [(case.id, *_cells(case, report)) for case in report.tests]
    _print_rows(("test", "class", "input", "old", "new"), rows, stream or sys.stdout)


def group_rows(report: Report) -> list[Row]:
    by_id = {case.id: case for case in report.tests}
    rows = []
    for each in report.groups:
        kind, *rest = _cells(by_id[each.witness], report)
        blamed = changes_named(each.blamed, each.interaction) or "-"
        sequence = sequence_named(by_id[each.witness].sequence)
        rows.append((kind, blamed, str(len(each.tests)), *rest, sequence))
    return rows


def _cells(case: TestCase, report: Report) -> Row:
    spelling = spelled(case.input, f"./{report.name}", report.entry, report.signature)
    return case.kind or case.observed, spelling, *contrasted(case.old, case.new)


def _print_lines(lines: Sequence[str], out: TextIO) -> None:
    for line in lines:
        print(printable(line, LINES), file=out)


def _print_rows(heads: Row, rows: Sequence[Row], out: TextIO) -> None:
    rows = [tuple(printable(cell) for cell in row) for row in rows]
    if out.isatty():
        _print_rich(heads, rows, out)
    else:
        _print_lines(aligned([heads, *rows]), out)


def aligned(rows: Sequence[Row]) -> list[str]:
    """Columns two spaces apart; the widest cell counts, up to 60 characters."""
    widths = [min(60, max(len(row[i]) for row in rows)) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        lines.append("  ".join(cells).rstrip())
    return lines


def _print_rich(heads: Row, rows: Sequence[Row], out: TextIO) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(show_edge=False, pad_edge=False)
    for head in heads:
        table.add_column(head, overflow="fold")
    for row in rows:
        colour = next((_COLOURS[cell] for cell in row[:2] if cell in _COLOURS), "")
        table.add_row(*(Text(cell, style=colour if cell in _COLOURS else "") for cell in row))
    Console(file=out).print(table)
