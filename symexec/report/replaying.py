"""``csgtest replay DIR``: run every test of a folder once more, on the programs as they are now.

t0001  confirmed       old and new show what the report says
t0002  same            the versions agree now
t0003  not run         the time was over (``--time``)
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from csg.errors import UsageError, some_of
from csg.files import is_inside, read_json
from csg.harmless_flags import first_doubtful_flag
from csg.programs import OF_THE_SYSTEM, SourceFile, named_paths
from symexec.attack import SOURCE
from symexec.replay import NativeReplay, Pair, ReplayPlan
from symexec.replay.build import NATURAL
from symexec.replay.varying import comparable
from symexec.report.model import Report, report_from_json
from symexec.testcases import MASKED, DifferenceKind, Observation, Observed, TestCase
from symexec.testcases.inputs import Json
from symexec.testcases.store import REPORT, is_ours, is_sealed, runs_of
from symexec.triage import classify, differing_parts
from symexec.triage.undefined import (
    shown_behind_a_stop,
    shown_by_plain_builds,
    uninitialised,
    uses_uninitialised,
)

NOT_RUN = "not run"
PROGRAM = "a C program of its own, to be run by hand"
SCREEN = 20  # lines of tests
MALFORMED = (ValueError, KeyError, TypeError, AttributeError, RecursionError)
# Is a stranger's report trusted? Asked with the reason for the question, and with what the report
# has the compiler read elsewhere ("": nothing).
Trusts = Callable[[str, str], bool]
_SAID = 200  # characters of a message that says what is wrong


@dataclass(frozen=True, slots=True)
class Replayed:
    """The result for one test. ``outcome``: confirmed (as reported), different (they differ
    otherwise), same, unstable (no comparison is possible), PROGRAM, or NOT_RUN."""

    case: TestCase  # the test with what was seen now
    outcome: str
    differed: bool = False  # is a difference reported?

    @property
    def tells(self) -> bool:
        """Do the versions differ, or did they?"""
        return self.outcome != NOT_RUN and (self.differed or self.outcome != "same")


def load_report(folder: Path) -> Report:
    """The report in a folder. Raises UsageError when it is missing or no report."""
    value = read_report(folder)
    try:
        return report_from_json(value)
    except MALFORMED as error:
        raise no_report(folder, error) from error


@contextmanager
def distrusting(top: Path) -> Iterator[None]:
    """Within it, the reports of an output folder are read. Each of them has the types of a report
    (``load_report``), but one that this user has not written may contradict itself in ways that
    nobody foresaw: a test that differs, and was never run. What such a report breaks is its own
    defect, and a UsageError."""
    try:
        yield
    except (*MALFORMED, AssertionError, IndexError, ArithmeticError) as error:
        strange = [each for each in runs_of(top).values() if not is_sealed(each)]
        if not strange:
            raise
        raise no_report(strange[0], error) from error


def no_report(folder: Path, error: Exception) -> UsageError:
    said = str(error) or type(error).__name__
    return UsageError(f"'{folder / REPORT}' is no report of csgtest ({said[:_SAID]})")


def read_report(folder: Path) -> Json:
    """report.json of a folder as JSON. Raises UsageError when it is missing or no JSON."""
    hint = "name an output folder of csgtest"
    return read_json(folder / REPORT, "report of csgtest", hint=hint)


def replay_folder(
    folder: Path,
    unsandboxed: bool = False,
    trusts: Trusts = lambda reason, elsewhere: False,
    seconds: float | None = None,
) -> Iterator[Replayed]:
    """Every test with native observations, in order. Nothing is written. Where this user has not
    written the report, ``trusts`` is asked with the reason. No test begins after ``seconds``."""
    start = time.monotonic()
    report = trusted_report(folder, trusts)
    with NativeReplay(plan_of(report, unsandboxed)) as replay:
        for case in report.tests:
            if seconds is not None and time.monotonic() - start > seconds:
                yield Replayed(case, NOT_RUN)
                continue
            if case.witness:  # a C program of its own, which the folder has
                yield Replayed(case, PROGRAM, True)
                continue
            now = _outcome(case, replay.pair(case.input))
            if now.outcome == "same" and case.source == SOURCE:
                now = _naturally_again(case, now, replay)
            if now.outcome in ("same", "different") and uses_uninitialised(case):
                now = _filled_again(case, now, replay)
            if now.outcome == "same" and case.kind is DifferenceKind.UNDEFINED:
                met = [each for each in case.undefined if not each.startswith("gcc ")]
                plainly = next(shown_by_plain_builds([case], replay, met), None)
                if plainly is None:
                    plainly = next(shown_behind_a_stop([now.case], replay), None)
                now = now if plainly is None else Replayed(plainly, "confirmed")
            yield replace(now, differed=case.observed is Observed.DIFFERENT)


def trusted_report(folder: Path, trusts: Trusts) -> Report:
    """A report whose programs are to be compiled and run. Raises UsageError where it comes from a
    stranger whom nobody ``trusts``, or has compiler flags that do more than say what C means."""
    if not is_ours(folder):
        raise UsageError(f"'{folder}' is no output folder of csgtest")
    report = load_report(folder)
    if not is_sealed(folder):
        reason = f"'{folder}' was written by another user or on another machine, or changed since"
        if not trusts(reason, _elsewhere_text(_folders_elsewhere(report, folder))):
            raise UsageError(reason, hint="--trust compiles and runs the programs that it names")
        _check(report)
        report.foreign = True
    return report


def _elsewhere_text(folders: Sequence[str]) -> str:
    return f"the compiler is to read files of {some_of(folders)}" if folders else ""


def _folders_elsewhere(report: Report, folder: Path) -> list[str]:
    """The folders of sources and headers that a report names outside of its own folder, of the
    working folder and of the system."""
    found: dict[str, None] = {}
    for file in (*report.old_files, *report.new_files, *report.golden):
        found[str(_source(file, report).parent)] = None
        found.update(dict.fromkeys(named_paths(file.flags)))
    usual = (folder, Path.cwd(), *OF_THE_SYSTEM)
    return [each for each in found if not any(is_inside(each, place, True) for place in usual)]


def _check(report: Report) -> None:
    """Check that a stranger's report names C files and flags for what they mean, and nothing
    else."""
    for file in (*report.old_files, *report.new_files, *report.golden):
        doubtful = first_doubtful_flag(file.flags)
        if doubtful is not None:
            raise UsageError(
                f"the report has the compiler called with {doubtful!r}",
                hint="such a flag is taken from reports of your own alone",
            )


def _outcome(case: TestCase, pair: Pair) -> Replayed:
    verdict = classify(pair)
    kind = verdict.kind
    if kind is DifferenceKind.DIFFERENCE and case.kind is DifferenceKind.HELP_TEXT:
        kind = DifferenceKind.HELP_TEXT
    if kind is not None and kind.is_difference and case.kind is DifferenceKind.UNDEFINED:
        kind = DifferenceKind.UNDEFINED
    cut_off = (DifferenceKind.HANG, DifferenceKind.HANG_FIX, DifferenceKind.SLOWER)
    if (
        kind is DifferenceKind.UNDECIDED and case.kind in cut_off
    ):  # it had more time when it was reported
        kind = DifferenceKind(case.kind)
    now = replace(case, old=pair.old, new=pair.new, observed=verdict.observed, kind=kind)
    if not pair.stable or verdict.observed is Observed.NOT_REPLAYED:
        return Replayed(now, "unstable")
    if verdict.observed is Observed.SAME:
        return Replayed(now, "same")
    as_before = _is_as_before(case, case.old, pair.old) and _is_as_before(case, case.new, pair.new)
    return Replayed(now, "confirmed" if as_before else "different")


def _naturally_again(case: TestCase, now: Replayed, replay: NativeReplay) -> Replayed:
    """The outcome for a test that only builds without csgtest's flags show."""
    for style in NATURAL:
        found = _outcome(case, replay.pair(case.input, style))
        if found.outcome != "same":
            return found
    return now


def _filled_again(case: TestCase, now: Replayed, replay: NativeReplay) -> Replayed:
    """The outcome for a test that reports a use of uninitialised memory: builds with other bytes in
    such memory show it, and others only by chance."""
    found = uninitialised(now.case, replay)
    if found is now.case:
        return now
    alike = all(
        before is not None and seen is not None and before.sanitizer == seen.sanitizer
        for before, seen in ((case.old, found.old), (case.new, found.new))
    )
    return Replayed(found, "confirmed" if alike else "different")


def _is_as_before(case: TestCase, before: Observation | None, now: Observation) -> bool:
    """Does the test show what it showed before? Varying parts are marks in what was stored, and
    stand for any text."""
    if before is None:
        return False
    if any(note.startswith(MASKED) for note in case.notes):
        before, now = comparable(before, now)
    return not differing_parts(before, now)


def _source(file: SourceFile, report: Report) -> Path:
    return file.path if file.path.exists() else Path(report.directory) / file.path


def plan_of(report: Report, unsandboxed: bool) -> ReplayPlan:
    """What to compile: the files that the report names, as they are now."""
    if not report.old_files or not report.new_files:
        raise UsageError("the report names no C files of both versions")

    def found(file: SourceFile) -> SourceFile:
        """A source file by a name that the compiler cannot take for a flag."""
        path = _source(file, report)
        if not path.is_file():
            raise UsageError(f"there is no file '{path}' any more")
        return replace(file, path=path.absolute())

    return ReplayPlan(
        old=tuple(map(found, report.old_files)),
        new=tuple(map(found, report.new_files)),
        golden=tuple(map(found, report.golden)),
        signature=report.signature,
        name=report.name,
        unsandboxed=unsandboxed,
        foreign=report.foreign and not unsandboxed,
        leaks=any(
            seen.leaks is not None for case in report.tests for seen in (case.old, case.new) if seen
        ),
    )
