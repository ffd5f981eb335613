"""A finished or running search as one record, and report.json: ``report_to_json`` and back.

{"csgtest": "0.1.0", "verdict": "different", "changes": [..], "tests": [..], "groups": [..], ..}
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, assert_never, get_type_hints

from csg import VERSION
from csg.errors import NOWHERE, Location
from csg.ir import ChangeInfo
from csg.ir.program import ChangeKind
from csg.programs import SourceFile
from csg.records import fits
from csg.unify.changes.identities import Identity
from csg.unify.changes.patch import Patch, patch_form, patch_of_form
from symexec.ledger import (
    SEARCH_UNFINISHED,
    Claim,
    Entry,
    Omission,
    Reason,
    Verdict,
    allows,
)
from symexec.options import FailOn, Internal
from symexec.testcases import (
    DifferenceKind,
    EntrySignature,
    Observed,
    TestCase,
    from_json,
    to_json,
)
from symexec.testcases.inputs import Json
from symexec.testcases.signature import (
    signature_from_json,
    signature_to_json,
)

if TYPE_CHECKING:
    from symexec.triage import Group
    from symexec.triage.accepted import Accepted, Judgement


@dataclass(frozen=True, slots=True)
class Interaction:
    """A place that depends on several changes."""

    file: str
    function: str
    line: int
    changes: tuple[int, ...]
    important: bool = True


Sources = tuple[Mapping[str, Sequence[str]], Mapping[str, Sequence[str]]]


@dataclass(frozen=True, slots=True)
class Expected:
    """What callers of the entry function must guarantee, and why; inputs satisfy it."""

    text: str
    reason: str
    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.text} ({self.file}:{self.line}: {self.reason})"


@dataclass(frozen=True, slots=True)
class Reached:
    """Where the changes behind an internal difference show at a public entry, in a difference of
    class ``kind``: a test of the report in ``folder``, a path relative to the folder of the
    internal one."""

    entry: str
    call: str
    test: str
    folder: str
    kind: DifferenceKind

    def confirms(self, each: Group) -> bool:
        """Is it the same difference for callers of the public entry? Where one is a failure, or a
        fix, the other must be too."""
        return each.kind in (self.kind, DifferenceKind.DIFFERENCE)


@dataclass(slots=True)
class Report:
    """All that report.json says. ``csg`` is the graph as JSON; ``bounds`` and ``counters`` are
    written as they are. ``directory`` is the folder that relative paths start from."""

    old: str
    new: str
    entry: str = "main"
    verdict: Verdict = Verdict.NO_DIFFERENCE_FOUND
    changes: Sequence[ChangeInfo] = ()
    interactions: Sequence[Interaction] = ()
    csg: Json = field(default_factory=lambda: {"nodes": [], "edges": [], "start": []})
    tests: list[TestCase] = field(default_factory=list)
    counters: dict[str, Json] = field(default_factory=dict)
    bounds: dict[str, Json] = field(default_factory=dict)
    configured: Json = None  # what a csgtest.toml sets for this call; None: nothing
    preconditions: Sequence[Expected] = ()
    seeds: Json = None  # None: there was no search
    native: Json = None  # native fuzzing; None: nothing did
    attack: Json = None  # what the attack of a verdict has tried; None: there was none
    sandbox: str = ""
    sanitizers: str = ""
    compiled: str = ""  # the flags of the builds that are replayed
    # what was left out; a report that nobody has filled in claims nothing
    omissions: Sequence[Entry] = (Entry(SEARCH_UNFINISHED, 1),)
    notes: list[str] = field(default_factory=list)
    old_files: tuple[SourceFile, ...] = ()  # the files of the program, the entry function's first
    new_files: tuple[SourceFile, ...] = ()
    golden: tuple[SourceFile, ...] = ()  # the golden version's files; empty: there is none
    signature: EntrySignature | None = None
    name: str = "program"
    directory: str = ""
    foreign: bool = False  # it was read back, and the report is not sealed by this user
    finished: bool = False
    identities: dict[int, Identity] = field(default_factory=dict)  # of the changes
    patch: Patch = field(default_factory=Patch)
    sources: Sources = ({}, {})  # for the page: the lines of the old files, and of the new ones
    accepted: Sequence[Accepted] = ()  # what somebody has accepted, of any run
    accepted_in: str = ""  # the file that says so
    internal: Internal | None = None  # why differences are; None: callers can meet each
    reached: dict[str, Reached] = field(default_factory=dict)  # by internal groups' witnesses
    set_aside: frozenset[str] = frozenset()  # tests of accepted differences, of a report read back

    @property
    def differing(self) -> list[TestCase]:
        return [case for case in self.tests if case.observed is Observed.DIFFERENT]

    @property
    def groups(self) -> list[Group]:
        """The groups of differences that are not accepted."""
        return self.findings().open

    def findings(self) -> Findings:
        # an exploration of one program has no use for it
        from symexec.triage import group, never_met

        inner = never_met(self.internal, self.signature)
        differing = [case for case in self.differing if case.id not in self.set_aside]
        if not self.accepted or not differing:
            cases = {case.id: case for case in differing}
            return Findings(cases, group(differing, inner), [], {})
        from symexec.triage.accepted import judge_accepted

        judged: Judgement = judge_accepted(differing, self.accepted, self.identities, self.entry)
        cases = {case.id: case for case in judged.cases}
        groups = group(judged.cases, inner)
        return Findings(
            cases,
            [each for each in groups if each.witness not in judged.by],
            [(each, judged.by[each.witness]) for each in groups if each.witness in judged.by],
            judged.by,
        )

    def _behaves(self, case: TestCase) -> bool:
        """Does the test show a difference in behaviour, on objects that callers can have?"""
        return case.tells and not self.is_unmade(case)

    def is_unmade(self, case: TestCase) -> bool:
        """Has the test an object that no calls are known to make?"""
        from symexec.triage import never_made

        unmade = never_made(self.internal, self.signature)
        return unmade is not None and unmade(case)

    def is_internal(self, case: TestCase) -> bool:
        """Can no caller run this test?"""
        from symexec.triage import never_met

        inner = never_met(self.internal, self.signature)
        return inner is not None and inner(case)

    @property
    def hidden_parts(self) -> dict[str, str]:
        """The inputs that only the library can make, unless they are null, each with the structure
        that it is."""
        from symexec.triage import hidden_parts

        return hidden_parts(self.internal, self.signature)

    @property
    def unconfirmed(self) -> int:
        """How many native runs differ, where no difference is confirmed."""
        if self.verdict is not Verdict.NO_DIFFERENCE_FOUND or not isinstance(self.native, dict):
            return 0
        return int(self.native.get("unconfirmed", 0))

    def fails(self, when: FailOn) -> bool:
        """Is there a difference because of which the exit code is 1?"""
        if when is FailOn.ANY and self.unconfirmed:
            return True
        if when is FailOn.NEVER or self.verdict is not Verdict.DIFFERENT:
            return False
        found = self.findings()
        match when:
            case FailOn.ANY:
                return any(self._behaves(found.cases[each.witness]) for each in found.open)
            case FailOn.INTERACTION:
                return any(each.interaction and each.tells for each in found.open)
            case FailOn.REGRESSION:
                return any(_is_worse(each, found.cases[each.witness]) for each in found.open)
            case _:
                assert_never(when)

    def stale(self) -> list[Accepted]:
        """The accepted differences of this program that were not met and name statements that are
        no changes any more: they can never be met again."""
        if not self.accepted:
            return []
        met = {entry.id for entry in self.findings().by.values()}
        return stale(self.accepted, met, self.identities, self.entry, self.name)


def _is_worse(each: Group, witness: TestCase) -> bool:
    """Does the new version fail, not end, or lose memory where the old one did not, as a caller can
    see?"""
    from symexec.triage import Severity, severity

    return each.tells and severity(each.kind, witness.new) is Severity.WORSE


@dataclass(frozen=True, slots=True)
class Findings:
    """The differing tests by id, with the blame that is not accepted; their groups, and the
    accepted groups; the entry that accepts each accepted test."""

    cases: Mapping[str, TestCase]
    open: list[Group]
    accepted: list[tuple[Group, Accepted]]
    by: Mapping[str, Accepted]


def stale(
    entries: Iterable[Accepted],
    met: Collection[str],
    identities: Mapping[int, Identity],
    entry: str,
    program: str,
) -> list[Accepted]:
    there = frozenset(identities.values())
    return [
        each
        for each in entries
        if (each.entry, each.program) == (entry, program)
        and each.id not in met
        and not any(there.issuperset(frozenset().union(*causes)) for causes in each.causes)
    ]


def report_to_json(report: Report) -> dict[str, Json]:
    found = report.findings()
    groups = [*found.open, *(each for each, _ in found.accepted)]
    finders = {test: each.found_by for each in groups for test in each.tests}
    reasons = {each.id: entry for each, entry in found.accepted}
    return {
        "csgtest": VERSION,
        "finished": report.finished,
        "old": report.old,
        "new": report.new,
        "entry": report.entry,
        "verdict": report.verdict,
        "changes": [_change(change, report.identities) for change in report.changes],
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
        **({"patch": patch_form(report.patch)} if report.patch.files else {}),
        "tests": [_test(case, finders) for case in report.tests],
        "groups": [
            _group(
                each,
                reasons.get(each.id),
                report.reached.get(each.witness),
                each.internal and report.is_unmade(found.cases[each.witness]),
            )
            for each in groups
        ],
        **({"internal": _internal(report.internal)} if report.internal is not None else {}),
        **(_accepted(report, found) if report.accepted else {}),
        "omissions": [_omission(each) for each in report.omissions],
        "counters": report.counters,
        "bounds": report.bounds,
        "preconditions": [asdict(each) for each in report.preconditions],
        "sandbox": report.sandbox,
        "sanitizers": report.sanitizers,
        "compiled": report.compiled,
        "notes": report.notes,
        **({"configured": report.configured} if report.configured is not None else {}),
        **({"seeds": report.seeds} if report.seeds is not None else {}),
        **({"native": report.native} if report.native is not None else {}),
        **({"attack": report.attack} if report.attack is not None else {}),
        "replay": {
            "directory": report.directory,
            "old_files": [_file(each) for each in report.old_files],
            "new_files": [_file(each) for each in report.new_files],
            "golden": [_file(each) for each in report.golden],
            "signature": signature_to_json(report.signature) if report.signature else None,
            "name": report.name,
        },
    }


def report_from_json(value: Json) -> Report:
    """The report in JSON. Raises ValueError, KeyError, TypeError or AttributeError where it is
    none: reports may come from strangers."""
    # it reads groups, as the code below does
    from symexec.triage.accepted import identity_from_json

    how = value["replay"]
    report = Report(
        old=value["old"],
        new=value["new"],
        entry=value["entry"],
        verdict=Verdict(value["verdict"]),
        changes=[_change_of(each) for each in value["changes"]],
        interactions=[
            Interaction(**{**each, "changes": tuple(each["changes"])})
            for each in value["interactions"]
        ],
        csg=value["csg"],
        tests=[from_json(each) for each in value["tests"]],
        omissions=_omissions_of(value),
        counters=value["counters"],
        bounds=value["bounds"],
        preconditions=[Expected(**each) for each in value.get("preconditions", ())],
        seeds=value.get("seeds"),
        native=value.get("native"),
        attack=value.get("attack"),
        configured=value.get("configured"),
        sandbox=value["sandbox"],
        sanitizers=value["sanitizers"],
        compiled=value["compiled"],
        notes=value["notes"],
        old_files=_files(how["old_files"]),
        new_files=_files(how["new_files"]),
        golden=_files(how["golden"]),
        signature=signature_from_json(how["signature"]) if how["signature"] else None,
        name=how["name"],
        internal=_internal_of(value.get("internal")),
        reached=_reached_of(value["groups"]),
        directory=how["directory"],
        finished=value["finished"],
        patch=patch_of_form(value["patch"]) if "patch" in value else Patch(),
        identities={
            int(each["id"]): identity_from_json(each["statement"])
            for each in value["changes"]
            if "statement" in each
        },
        set_aside=frozenset(
            str(test)
            for group in value["groups"]
            if group.get("accepted")
            for test in group["tests"]
        ),
    )
    _check(report)
    _refuse_contradictions(report)
    return report


def _refuse_contradictions(report: Report) -> None:
    """Raise ValueError where a verdict says what the report's own tests or omissions deny."""
    equal = report.verdict in (Verdict.EQUIVALENT_WITHIN_BOUNDS, Verdict.NO_CHANGE)
    if equal and (report.differing or not allows(report.omissions, Claim.EQUALITY)):
        raise ValueError("it calls the versions equal, and shows otherwise")
    if report.verdict is Verdict.DIFFERENT and not report.differing:
        raise ValueError("it calls the versions different, and shows no difference")


# Callers check the types of these, or have made them of checked values.
_UNCHECKED = frozenset(
    ("csg", "seeds", "native", "attack", "configured", "identities", "accepted", "patch", "sources")
)


def _check(report: Report) -> None:
    kinds = get_type_hints(Report, {**globals(), "Group": object, "Accepted": object})
    for each in fields(Report):
        part = getattr(report, each.name)
        of_records = {
            "changes": ChangeInfo,
            "interactions": Interaction,
            "preconditions": Expected,
            "omissions": Entry,
            "tests": TestCase,
        }
        if each.name in of_records:
            good = all(fits(item, of_records[each.name]) for item in part)
        elif each.name == "reached":
            good = all(fits(item, Reached) for item in part.values())
        elif each.name == "notes":
            good = isinstance(part, list) and all(isinstance(note, str) for note in part)
        else:
            good = each.name in _UNCHECKED or fits(part, kinds[each.name])
        if not good:
            raise TypeError(f"'{each.name}' is not as csgtest writes it")


def _omission(entry: Entry) -> Json:
    omission = entry.omission
    place: dict[str, Json] = {}
    if omission.location != NOWHERE:
        place = {"file": omission.location.file, "line": omission.location.line}
    return {
        "reason": omission.reason,
        "text": omission.text,
        **place,
        "count": entry.count,
        "changes": list(entry.changes),
    }


def _omissions_of(value: Json) -> list[Entry]:
    """A report without any says nothing of what was left out, and so claims nothing."""
    if "omissions" not in value:
        return [Entry(SEARCH_UNFINISHED, 1)]
    return [_omission_of(each) for each in value["omissions"]]


def _omission_of(value: Json) -> Entry:
    place = Location(value["file"], value["line"]) if "file" in value else NOWHERE
    omission = Omission(Reason(value["reason"]), value["text"], place)
    return Entry(omission, value["count"], tuple(value["changes"]))


def _files(listed: Json) -> tuple[SourceFile, ...]:
    return tuple(
        SourceFile(Path(each["path"]), tuple(map(str, each["flags"])), str(each["shown"]))
        for each in listed
    )


def _file(file: SourceFile) -> Json:
    return {"path": str(file.path), "flags": list(file.flags), "shown": file.shown}


def _accepted(report: Report, found: Findings) -> dict[str, Json]:
    met = sorted({entry.id for entry in found.by.values()})
    gone = sorted(each.id for each in report.stale())
    return {"accepted": {"file": report.accepted_in, "met": met, "stale": gone}}


def kind_of(change: ChangeInfo) -> ChangeKind:
    """Whether a change is added, deleted or modified, by its texts."""
    return ChangeKind.of_texts(change.old_text.strip(), change.new_text.strip())


def _change_of(value: Json) -> ChangeInfo:
    before = None
    if "old_file" in value:
        before = Location(value["old_file"], value["old_line"])
    return ChangeInfo(
        id=value["id"],
        kind=ChangeKind(value.get("detail", value["kind"])),
        function=value["function"],
        location=Location(value["file"], value["line"]),
        old_location=before,
        old_text=value["old"],
        new_text=value["new"],
        requires=frozenset(value.get("requires", ())),
        cause=value.get("cause", ""),
        hunk=value.get("hunk", 0),
    )


def _change(change: ChangeInfo, identities: Mapping[int, Identity]) -> Json:
    kind = kind_of(change)
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
    if change.id in identities:
        from symexec.triage.accepted import identity_to_json

        result["statement"] = identity_to_json(identities[change.id])
    return result


def _test(case: TestCase, finders: Mapping[str, str]) -> Json:
    """A test in JSON, with the phase that first found the difference it shows."""
    found = to_json(case)
    if case.id in finders:
        found["found_by"] = finders[case.id]
    return found


def _internal(why: Internal) -> Json:
    found: dict[str, Json] = {"reason": why.reason, "hidden": list(why.hidden)}
    if why.handles:
        found["handles"] = dict(why.handles)
    if why.program:
        found["program"] = True
    return found


def _internal_of(value: Json) -> Internal | None:
    if value is None:
        return None
    handles = tuple((str(name), str(kind)) for name, kind in value.get("handles", {}).items())
    return Internal(
        value["reason"], tuple(value["hidden"]), handles, bool(value.get("program", False))
    )


def _reached_of(groups: Json) -> dict[str, Reached]:
    found = {each["witness"]: each.get("internal") for each in groups}
    return {
        witness: Reached(**{**inner["reached"], "kind": DifferenceKind(inner["reached"]["kind"])})
        for witness, inner in found.items()
        if inner is not None and inner["reached"] is not None
    }


def _group(each: Group, accepted: Accepted | None, reached: Reached | None, unmade: bool) -> Json:
    """``unmade``: it needs an object that no calls are known to make."""
    result: dict[str, Json] = {
        "id": each.id,
        "class": each.called,
        "blamed": list(each.blamed),
        "interaction": each.interaction,
        "witness": each.witness,
        "found_by": each.found_by,
        "found_s": round(each.found_s, 3),
        "tests": list(each.tests),
    }
    if each.minimal is not None:
        result["minimal"] = each.minimal
    if each.also:
        result["also"] = [
            {"test": one.witness, "outputs": sorted(one.outputs), "tests": one.count}
            for one in each.also
        ]
    if each.internal:
        confirmed = asdict(reached) if reached is not None else None
        result["internal"] = {"reached": confirmed, "unmade": unmade}
    if accepted is not None:
        result["accepted"] = {"id": accepted.id, "reason": accepted.reason}
    return result
