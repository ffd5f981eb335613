"""A finished output folder of ``csgtest build`` -> what the store keeps of it.

csgtest-out/               a report for each program and entry that revisions reach
csgtest-out/cut/main/      each with its findings; files become artefacts
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from csg.files import read_file
from fleet.outcomes import Finding, FoundReport
from symexec.report.accepting import read_findings

REPORT = "report.json"
_LEFT_OUT = ("versions", "golden")  # what the versions were: the task names them
MOST_BYTES = 64 << 20  # of one file that becomes an artefact


def read_results(out: Path) -> tuple[list[FoundReport], list[Finding], bool]:
    """The reports below an output folder, their findings, and whether all are finished."""
    reports, findings, finished = [], [], True
    for folder in sorted(path.parent for path in _files(out) if path.name == REPORT):
        report, found = read_findings(folder)
        name = "" if folder == out else folder.relative_to(out).as_posix()
        finished = finished and report.finished
        reports.append(
            FoundReport(name, report.name, report.entry, report.verdict, len(report.changes))
        )
        for each in found:
            findings.append(
                Finding(
                    name,
                    each.fingerprint(report),
                    each.id,
                    each.kind,
                    report.name,
                    report.entry,
                    each.functions,
                    each.summary,
                    each.witness,
                    each.entry is not None,
                    each.internal,
                    each.reason,
                )
            )
    return reports, findings, finished


def read_files(out: Path) -> tuple[list[tuple[str, bytes]], list[str]]:
    """The files of an output folder by their names, and the names of those that are too large."""
    found, large = [], []
    for file in _files(out):
        name = file.relative_to(out).as_posix()
        if file.stat().st_size > MOST_BYTES:
            large.append(name)
        else:
            found.append((name, read_file(file, MOST_BYTES)))
    return found, large


def _files(out: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(out):
        folders.sort()
        if Path(place) == out:
            folders[:] = [each for each in folders if each not in _LEFT_OUT]
        for name in sorted(names):
            file = Path(place, name)
            if file.is_file() and not file.is_symlink():
                yield file
