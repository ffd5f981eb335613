"""A finished or running search as one record, and report.json (docs: section "report.json").

{"csgtest": "0.1.0", "verdict": "different", "changes": [..], "tests": [..], "groups": [..], ..}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from csg import VERSION
from csg.ir import ChangeInfo
from csg.programs import SourceFile
from symexec.testcases import EntrySignature, TestCase, to_json
from symexec.testcases.encoding import Json
from symexec.testcases.signature import signature_to_json

if TYPE_CHECKING:
    from symexec.classification import Group

VERDICTS = {
    "different": "The versions behave differently.",
    "equivalent-within-bounds": "No input within the bounds makes the versions behave differently.",
    "no-difference-found": "No difference was found.",
    "no-change": "The programs are the same: there is nothing to test.",
}


@dataclass(frozen=True, slots=True)
class Interaction:
    """A place that depends on several changes."""

    file: str
    function: str
    line: int
    changes: tuple[int, ...]
    important: bool = True


@dataclass(slots=True)
class Report:
    """All that report.json says. ``csg`` is the graph as its JSON; ``bounds`` and ``counters`` go
    there as they are. ``directory`` is where relative paths start from."""

    old: str
    new: str
    entry: str = "main"
    verdict: str = "no-difference-found"
    changes: Sequence[ChangeInfo] = ()
    interactions: Sequence[Interaction] = ()
    csg: Json = field(default_factory=lambda: {"nodes": [], "edges": [], "start": []})
    tests: list[TestCase] = field(default_factory=list)
    counters: dict[str, Json] = field(default_factory=dict)
    bounds: dict[str, Json] = field(default_factory=dict)
    seeds: Json = None  # None: the search had none
    native: Json = None  # what ran beside the search; None: nothing did
    sandbox: str = ""
    sanitizers: str = ""
    compiled: str = ""  # the flags of the builds that are replayed
    notes: list[str] = field(default_factory=list)
    old_files: tuple[SourceFile, ...] = ()  # the entry function's first
    new_files: tuple[SourceFile, ...] = ()
    golden: tuple[SourceFile, ...] = ()  # what is intended; empty: nobody said
    signature: EntrySignature | None = None
    name: str = "program"
    directory: str = ""
    finished: bool = False

    @property
    def differing(self) -> list[TestCase]:
        return [case for case in self.tests if case.observed == "different"]

    @property
    def groups(self) -> list[Group]:
        differing = self.differing
        if not differing:
            return []
        from symexec.classification import group  # an exploration of one program has no use for it

        return group(differing)


def report_to_json(report: Report) -> dict[str, Json]:
    groups = report.groups
    finders = {test: each.found_by for each in groups for test in each.tests}
    return {
        "csgtest": VERSION,
        "finished": report.finished,
        "old": report.old,
        "new": report.new,
        "entry": report.entry,
        "verdict": report.verdict,
        "changes": [_change(change) for change in report.changes],
        "interactions": [
            {
                "file": place.file,
                "function": place.function,
                "line": place.line,
                "changes": list(place.changes),
                "important": place.important,
            }
            for place in report.interactions
        ],
        "csg": report.csg,
        "tests": [_test(case, finders) for case in report.tests],
        "groups": [_group(each) for each in groups],
        "counters": report.counters,
        "bounds": report.bounds,
        "sandbox": report.sandbox,
        "sanitizers": report.sanitizers,
        "compiled": report.compiled,
        "notes": report.notes,
        **({"seeds": report.seeds} if report.seeds is not None else {}),
        **({"native": report.native} if report.native is not None else {}),
        "replay": {
            "directory": report.directory,
            "old_files": [_file(each) for each in report.old_files],
            "new_files": [_file(each) for each in report.new_files],
            "golden": [_file(each) for each in report.golden],
            "signature": signature_to_json(report.signature) if report.signature else None,
            "name": report.name,
        },
    }


def _file(file: SourceFile) -> Json:
    return {"path": str(file.path), "flags": list(file.flags), "shown": file.shown}


def _change(change: ChangeInfo) -> Json:
    kind = "modified"
    if not change.old_text.strip():
        kind = "added"
    elif not change.new_text.strip():
        kind = "deleted"
    result = {
        "id": change.id,
        "kind": kind,
        "file": change.location.file,
        "function": change.function,
        "line": change.location.line,
        "old": change.old_text,
        "new": change.new_text,
    }
    if change.hunk:
        result["hunk"] = change.hunk
    if change.cause:
        result["cause"] = change.cause
    if change.old_location is not None:
        result["old_file"] = change.old_location.file
        result["old_line"] = change.old_location.line
    if change.kind != kind:
        result["detail"] = change.kind
    if change.requires:
        result["requires"] = sorted(change.requires)
    return result


def _test(case: TestCase, finders: Mapping[str, str]) -> Json:
    """With what was first to find the difference that it shows."""
    found = to_json(case)
    if case.id in finders:
        found["found_by"] = finders[case.id]
    return found


def _group(each: Group) -> Json:
    return {
        "id": each.id,
        "class": each.kind,
        "blamed": list(each.blamed),
        "interaction": each.interaction,
        "witness": each.witness,
        "found_by": each.found_by,
        "found_s": round(each.found_s, 3),
        "tests": list(each.tests),
    }
