"""Finished output folders, read back for whoever writes them in another form.

    csgtest-out/report.json  --read_finished-->  Finished(report, findings=(Finding(g1, t0044), ..))

A folder may be a stranger's: what is no report is refused with a message, and nothing that it names
is read, compiled or run here.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from csg.errors import UsageError
from csg.files import refuse_link_outside
from csg.ir import ChangeInfo
from csg.ir.program import ChangeKind
from symexec.report.model import Report, kind_of
from symexec.report.replaying import load_report
from symexec.report.words import Also, further_symptoms
from symexec.testcases import DifferenceKind, Observation, TestCase, rendered
from symexec.testcases.store import MARKER, is_ours, replace_below, replace_file
from symexec.triage import Group, Severity, differing_parts, severity

_WORDS = frozenset((DifferenceKind.STDERR_ONLY, DifferenceKind.HELP_TEXT))
_MARK = "csgtest wrote what is in this folder, and writes it anew\n"


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a file. ``path`` is relative to the root of the repository where the file is in
    one; else absolute."""

    path: str
    line: int

    @property
    def uri(self) -> str:
        prefix = "file://" if self.path.startswith("/") else ""
        return prefix + quote(self.path, errors="replace")


@dataclass(frozen=True, slots=True)
class Finding:
    """A group of differences, shown by its witness."""

    group: Group
    kind: DifferenceKind
    witness: TestCase
    old: Observation
    new: Observation
    blamed: tuple[ChangeInfo, ...]

    @property
    def level(self) -> str:
        """The severity: error, warning or note."""
        if self.group.internal:
            return "note"
        if self.is_error:
            return "error"
        better = severity(self.kind, self.new) is Severity.BETTER
        return "note" if better or self.kind in _WORDS else "warning"

    @property
    def is_error(self) -> bool:
        """Is the new version known to be wrong? With a golden version it may be so in another way
        than the old one."""
        worse = severity(self.kind, self.new) is Severity.WORSE
        return not self.group.internal and (worse or self.kind is DifferenceKind.INCOMPLETE_FIX)

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of the parts that differ: stdout, exit, returned, .."""
        return differing_parts(self.old, self.new)


@dataclass(frozen=True, slots=True)
class Finished:
    """A finished report. ``top``: the folder that its relative paths are below; ``stripped``: a
    folder with copies of the new version's files, which stands for the repository."""

    folder: Path
    report: Report
    findings: tuple[Finding, ...]
    top: str
    stripped: str

    def call(self, case: TestCase) -> str:
        """The input as a person would write it."""
        report = self.report
        return rendered(case.input, f"./{report.name}", report.entry, report.signature)

    def further_symptoms(self, finding: Finding) -> Iterator[Also]:
        cases = {case.id: case for case in self.report.tests}
        return further_symptoms(self.report, finding.group.also, cases)

    def place(self, file: str, line: int) -> Place:
        path = os.path.normpath(os.path.join(self.report.directory or self.top, file))
        for root in (self.stripped, self.top):
            if root and path.startswith(root + "/"):
                return Place(path[len(root) + 1 :], line)
        return Place(path, line)

    def place_of(self, change: ChangeInfo) -> Place:
        return self.place(change.location.file, change.location.line)

    def anchor(self, finding: Finding) -> Place:
        """The place of a changed statement of the new version, one to blame if possible; else of
        the divergence."""
        known = [*finding.blamed, *self.report.changes]
        for change in known:
            if kind_of(change) is not ChangeKind.DELETED:
                return self.place_of(change)
        part = finding.witness.divergence
        if part is not None and not known:
            return self.place(part.file, part.line)
        return self.place_of(known[0]) if known else self.place(self.report.new, 0)

    def others(self) -> Iterator[TestCase]:
        """Tests that are in no group of differences."""
        grouped = {name for each in self.findings for name in each.group.tests}
        return (case for case in self.report.tests if case.id not in grouped)


def read_finished(folder: Path) -> Finished:
    """Read a finished folder. Raises UsageError where it is no folder of csgtest, or its report is
    none."""
    if not is_ours(folder):
        raise UsageError(
            f"'{folder}' is no output folder of csgtest",
            hint="name the folder that csgtest build wrote with --out",
        )
    return finished_of(folder, load_report(folder))


def finished_of(folder: Path, report: Report) -> Finished:
    for case in report.differing:
        if case.kind is None or case.old is None or case.new is None:
            raise UsageError(f"'{folder}': test '{case.id}' differs, and does not say how")
    directory = report.directory
    if directory and not os.path.isabs(directory):
        raise UsageError(f"'{folder}': the report's directory is no absolute path")
    return Finished(
        folder, report, tuple(_findings(report)), _repository(directory), _copies(folder, report)
    )


def _findings(report: Report) -> Iterator[Finding]:
    cases = {case.id: case for case in report.tests}
    changes = {change.id: change for change in report.changes}
    for group in report.groups:
        witness = cases[group.witness]
        assert witness.old is not None and witness.new is not None
        blamed = tuple(changes[number] for number in group.blamed if number in changes)
        yield Finding(group, group.kind, witness, witness.old, witness.new, blamed)


def _repository(directory: str) -> str:
    """The nearest folder above that is a repository; the folder itself where there is none."""
    start = os.path.normpath(directory or os.getcwd())
    place = start
    while not os.path.lexists(os.path.join(place, ".git")):
        if place == os.path.dirname(place):
            return start
        place = os.path.dirname(place)
    return place


def _copies(folder: Path, report: Report) -> str:
    """For revisions, the folder with the files of the new version (symexec/projects); ""
    otherwise."""
    new = os.path.normpath(os.path.join(report.directory or os.getcwd(), report.new))
    own = os.path.abspath(folder)
    known = [os.path.join(place, "versions", "new") for place in (own, os.path.dirname(own))]
    return new if new in known else ""


# ------------------------------------------------------------------------------------ own folders


def write_folder(folder: Path, files: Iterable[tuple[str, bytes]], mine: Sequence[str]) -> None:
    """Write files into a folder: a new one, an empty one, or one that this function has written
    before, of which the files that match ``mine`` are removed first. Raises UsageError for any
    other folder."""
    refuse_link_outside(folder)
    marker = folder / MARKER
    try:
        folder.mkdir(parents=True, exist_ok=True)
        names = {each.name for each in folder.iterdir()}
        ours = marker.is_file() and not marker.is_symlink() and marker.read_bytes() == _OWN
    except OSError as error:
        raise UsageError(f"cannot use '{folder}': {error.strerror}") from error
    if names and not ours:
        raise UsageError(
            f"'{folder}' exists and was not written by this command",
            hint="name another one with -o, or remove it; nothing was overwritten",
        )
    replace_file(marker, _OWN)
    for pattern in mine:
        for file in sorted(folder.glob(pattern)):
            file.unlink()
    for name, content in files:
        replace_below(folder, name, content)


_OWN = _MARK.encode()
