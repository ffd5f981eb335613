"""``csgtest accept``: accept a difference, in a file of the repository.

    $ csgtest accept g2 --reason 'the new format is intended'

    csgtest-accepted.json   one object for each accepted difference: its fingerprint and why

The format is JSON, which Python reads and writes without loss: nothing that a user added to the
entries is lost when the file is written anew. Entries stand in the order of their fingerprints, a
value on each line, so that two branches that accept different things merge.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from csg.errors import UsageError, printable
from csg.files import read_json, refuse_link_outside
from csg.unify.changes.identities import Identity
from symexec.options import AcceptOptions, BuildOptions
from symexec.report.model import Report, report_from_json, stale
from symexec.report.replaying import MALFORMED, no_report, read_report
from symexec.report.words import contrasted, further_symptoms, on_one_line
from symexec.testcases import DifferenceKind, TestCase, rendered
from symexec.testcases.inputs import Json
from symexec.testcases.store import is_ours, replace_file, runs_of
from symexec.triage.accepted import (
    Accepted,
    accepted_from_json,
    accepted_of,
    accepted_to_json,
)
from symexec.triage.classification import outputs
from symexec.triage.grouping import symptoms

FILE = "csgtest-accepted.json"
_FORMAT = 1
_MEND = "mend it, name another one with --accepted, or build with --no-accepted"
ALL = "all"  # for an ID: every difference that can be accepted
_NAMED = 3  # statements in a summary
_STATEMENT = 46  # characters of a statement in a list
_MOST_LINES = 20  # of a list
# What a report may be wrong in, where nobody has looked at it before.
_MALFORMED = (*MALFORMED, IndexError)


# ------------------------------------------------------------------------------------------- file


def accepted_file(options: BuildOptions) -> Path | None:
    """The file that a search reads; None: there is none. Raises UsageError where a file that was
    named is missing."""
    asked = options.accepting
    if asked.off:
        return None
    if asked.file is not None and not asked.file.is_file():
        raise UsageError(
            f"--accepted {asked.file}: there is no such file",
            hint="csgtest accept ID --accepted FILE makes one",
        )
    return asked.file or _usual_file()


def _usual_file() -> Path | None:
    """The file in the working folder, or at the root of its repository; None where there is
    none."""
    places = [Path(), *filter(None, [_root()])]
    return next((each / FILE for each in places if (each / FILE).is_file()), None)


def _root() -> Path | None:
    here = Path.cwd()
    return next((each for each in (here, *here.parents) if (each / ".git").exists()), None)


def read_accepted(path: Path) -> tuple[Accepted, ...]:
    """The accepted differences in a file. Raises UsageError when it cannot be read or is no such
    file."""
    refuse_link_outside(path)
    value = read_json(path, "file of accepted differences", hint=_MEND)
    try:
        if not isinstance(value, dict) or value.get("csgtest-accepted") != _FORMAT:
            raise ValueError(f"'csgtest-accepted': {_FORMAT} is missing")
        found = {each.id: each for each in map(accepted_from_json, value["accepted"])}
    except _MALFORMED as error:
        raise UsageError(
            f"'{path}' is no file of accepted differences ({error})", hint=_MEND
        ) from error
    return tuple(found[each] for each in sorted(found))


def write_accepted(path: Path, entries: Sequence[Accepted]) -> None:
    listed = [_form(each) for each in sorted(entries, key=lambda entry: entry.id)]
    form = {"csgtest-accepted": _FORMAT, "accepted": listed}
    replace_file(path, (json.dumps(form, indent=1, ensure_ascii=True) + "\n").encode())


def _form(entry: Accepted) -> dict[str, Json]:
    return {
        "id": entry.id,
        "reason": entry.reason,
        "summary": entry.summary,
        "witness": entry.witness,
        **accepted_to_json(entry),
    }


# --------------------------------------------------------------------------------------- findings


@dataclass(frozen=True, slots=True)
class Finding:
    """A group of a finished report; ``entry`` None: its causes are not known. ``functions`` are
    those that the changes to blame stand in."""

    id: str
    kind: DifferenceKind
    summary: str
    brief: str  # the summary with the beginnings of long statements
    witness: str
    entry: Accepted | None
    reason: str | None  # why it is accepted; None: it is not
    functions: tuple[str, ...]
    internal: bool
    shown: frozenset[str]  # the kinds of the parts that differ
    also: tuple[str, ...]  # a line for each further symptom

    def listed(self, width: int) -> str:
        """The summary for a line of a list; all of it where that may be as long as it is."""
        return self.brief if width < sys.maxsize else self.summary

    def fingerprint(self, report: Report) -> str:
        """That of the accepted difference; where nobody knows the causes a hash of what differs,
        which begins with ``x``, as no other does."""
        if self.entry is not None:
            return self.entry.id
        parts = [self.kind, report.entry, report.name, *sorted(self.shown), *self.functions]
        return f"x{hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:11]}"


def read_findings(folder: Path) -> tuple[Report, list[Finding]]:
    """The groups of a finished report. A folder of results may come from strangers: nothing in it
    is run, and nothing but its texts is used."""
    value = read_report(folder)
    try:
        report = report_from_json(value)
        cases = {case.id: case for case in report.tests}
        return report, [_finding(each, report, cases) for each in value["groups"]]
    except _MALFORMED as error:
        raise no_report(folder, error) from error


def _finding(form: Json, report: Report, cases: Mapping[str, TestCase]) -> Finding:
    tests = [cases[str(each)] for each in form["tests"]]
    blamed = [int(each) for each in form["blamed"]]
    first = tests[0]
    found = accepted_of(tests, blamed, report.identities, report.entry, report.name)
    named = [report.identities[each] for each in blamed if each in report.identities]
    changes = named or sorted(found.changes if found else ())
    kind = str(form["class"])
    summary = _summary(kind, changes, report.entry)
    brief = _summary(kind, changes, report.entry, _STATEMENT)
    spelling = rendered(first.input, f"./{report.name}", report.entry, report.signature)
    old, new = contrasted(first.old, first.new)
    witness = printable(f"{spelling}: {old}, now {new}")
    if found is not None:
        found = accepted_from_json(_form(replace(found, summary=summary, witness=witness)))
    accepted = form.get("accepted")
    reason = None if accepted is None else printable(str(accepted["reason"]))
    return Finding(
        printable(str(form["id"])),
        first.kind or DifferenceKind.DIFFERENCE,
        summary,
        brief,
        witness,
        found,
        reason,
        tuple(sorted({each.function for each in changes})),
        "internal" in form,
        frozenset().union(*map(outputs, tests)),
        tuple(
            printable(f"{each.word} {each.input}: {each.old}, now {each.new}")
            for each in further_symptoms(report, symptoms(tests, report.is_internal), cases)
        ),
    )


def _summary(kind: str, changes: Sequence[Identity], entry: str, most: int = sys.maxsize) -> str:
    """The changes in a line: regression of f: g: a < b -> a <= b; g: added n++. At ``most`` so many
    characters of each statement."""
    lines = [_edit(each, most) for each in changes[:_NAMED]]
    if len(changes) > _NAMED:
        lines.append(f"and {len(changes) - _NAMED} more")
    return printable(f"{kind} of {entry}: {'; '.join(lines) or 'nobody knows why'}")


def _edit(change: Identity, most: int) -> str:
    where = f"{change.function}: " if change.function else ""
    old, new = on_one_line(change.old, most), on_one_line(change.new, most)
    if not old:
        return f"{where}added {new}"
    if not new:
        return f"{where}deleted {old}"
    if change.old == change.new and change.cause:
        return f"{where}{new} by {change.cause}"
    return f"{where}{old} -> {new}"


# ---------------------------------------------------------------------------------------- command


def report_as_shown(folder: Path) -> Report:
    """The report in a folder with what was accepted when it was written, for whoever tells it once
    more."""
    report, findings = read_findings(folder)
    report.accepted = [
        replace(each.entry, reason=each.reason)
        for each in findings
        if each.entry is not None and each.reason is not None
    ]
    report.set_aside = frozenset()
    return report


def accept(options: AcceptOptions, width: int = 80) -> list[str]:
    """Carry out the command, and return the lines to print: no longer than ``width`` and no more
    than a screen of them, unless all is asked for."""
    lines, *last = _lines(options, sys.maxsize if options.every_finding else width)
    left = len(lines) - _MOST_LINES
    if left > 1 and not options.every_finding:
        lines[_MOST_LINES:] = [f"and {left} more lines: --all prints them"]
    return [*lines, *chain(*last)]


def _lines(options: AcceptOptions, width: int) -> list[list[str]]:
    """The lines that may be left out, and those that may not."""
    folders = [each for each in options.ids if is_ours(Path(each))]
    if folders and not options.folder.exists():
        raise UsageError(
            f"'{folders[0]}' is a folder, and no difference in '{options.folder}'",
            hint=f"name it so: --from {folders[0]}",
        )
    runs = [(name, *read_findings(folder)) for name, folder in runs_of(options.folder).items()]
    reports = [report for _, report, _ in runs]
    findings = [
        replace(each, id=f"{name}/{each.id}") if name else each
        for name, _, found in runs
        for each in found
    ]
    path = options.file or _usual_file() or (_root() or Path()) / FILE
    if options.prune:
        return _pruned(reports, findings, path, width)
    if not options.ids:
        return [_listed(findings, width)]
    known = {each.id: each for each in read_accepted(path)} if path.exists() else {}
    lines = []
    for each in _chosen(options.ids, findings):
        entry = each.entry
        if entry is None:
            raise UsageError(
                f"{each.id} cannot be accepted: nobody knows which changes bring it about",
                hint="search again, with more --time",
            )
        before = known.get(entry.id, entry)
        known[entry.id] = replace(before, reason=options.reason or before.reason)
        lines.append(_cut(f"accepted {each.id} as {entry.id}: {each.listed(width)}", width))
        if each.also:
            lines += [f"    {_cut(text, width - 4)}" for text in (entry.witness, *each.also)]
    write_accepted(path, list(known.values()))
    return [lines, [f"  written to {path}"]]


def _chosen(ids: Sequence[str], findings: Sequence[Finding]) -> list[Finding]:
    """The differences that are named: by their ids, or by a folder for all in it; ``all`` are all
    whose causes are known. Of several folders an id alone is enough where one has it."""
    if [*ids] == [ALL]:
        return [each for each in findings if each.entry is not None]
    chosen: dict[str, Finding] = {}
    for name in ids:
        wanted = _grouped(name)
        found = [each for each in findings if wanted == each.id]
        found = found or [each for each in findings if each.id.startswith(f"{wanted}/")]
        alike = [each for each in findings if each.id.endswith(f"/{wanted}")]
        if not found and len(alike) == 1:
            found = alike
        if not found:
            listed = ", ".join(each.id for each in alike or findings) or "none at all"
            what = f"{len(alike)} differences are" if alike else "there is no difference"
            hint = f"there are: {listed}; csgtest accept tells what they are"
            if is_ours(Path(name)):
                hint = f"it is a folder: --from {name}"
            raise UsageError(f"{what} {name}", hint=hint)
        chosen |= {each.id: each for each in found}
    return [*chosen.values()]


def _grouped(name: str) -> str:
    """The id of a group: 2 stands for g2, the second row."""
    above, slash, last = name.rpartition("/")
    return f"{above}{slash}g{last}" if last.isdecimal() else name


def _cut(line: str, width: int) -> str:
    return line if len(line) <= width else f"{line[: width - 3]}..."


def _listed(findings: Sequence[Finding], width: int) -> list[str]:
    if not findings:
        return ["There is no difference to accept."]
    lines = []
    for each in findings:
        lines.append(_cut(f"{each.id}  {each.listed(width)}", width))
        if each.entry is None:
            lines.append("    cannot be accepted: the changes that bring it about are not known")
        else:
            shown = (each.entry.witness, *each.also)
            lines += [f"    {_cut(text, width - 4)}" for text in shown]
        if each.reason is not None:
            lines.append(f"    accepted{f': {each.reason}' if each.reason else ''}")
    return lines


def _pruned(
    reports: Sequence[Report], findings: Sequence[Finding], path: Path, width: int
) -> list[list[str]]:
    if not path.exists():
        return [["Nothing is accepted so far."]]
    entries = read_accepted(path)
    met = {each.entry.id for each in findings if each.entry is not None}
    gone = {
        each.id: each
        for report in reports
        for each in stale(entries, met, report.identities, report.entry, report.name)
    }
    if not gone:
        return [[f"Nothing in {path} is gone."]]
    write_accepted(path, [each for each in entries if each.id not in gone])
    lines = [_cut(f"removed {each.id}: {printable(each.summary)}", width) for each in gone.values()]
    return [lines, [f"  written to {path}"]]
