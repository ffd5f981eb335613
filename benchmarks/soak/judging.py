"""What is wrong with a run: its word against what the programs natively do, and how it behaved.

judged(done, truth, Expects.RIGHT)    ->  Opinion("different", checks=14, complaints=[])

equivalent-within-bounds, but 3 of 96 inputs differ             a wrong verdict
exit code 2, and no message                                     silence
process /tmp/csgtest-sandbox-7/... is left                          a leftover
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, assert_never

from benchmarks.soak.faults import Expects
from benchmarks.soak.process import Done
from benchmarks.soak.subjects import OutOfBounds, Truth
from csg.errors import LINES, CsgtestError
from symexec.testcases import TestCase
from symexec.testcases.testcase import from_json
from symexec.triage.examine import HIDDEN
from symexec.triage.undefined import UNINITIALISED

SAME, DIFFERENT, TROUBLE, INTERRUPTED = 0, 1, 2, 130
PROOFS = ("equivalent-within-bounds", "no-change")
WEAK = "no-difference-found"
DEFECTS = ("Traceback (most recent call last)", "internal error", "this should not happen")
SLACK = 2.0  # seconds beyond --time
MOST_REPLAYED = 40  # tests of one run that are run once more


@dataclass
class Opinion:
    """``verdict``: what the run says; "trouble" for exit code 2, "ended" for a signal,
    "unread" where its report is out of reach. ``missed``:
    it claims nothing where versions do differ. ``undefined``: all it shows is what C does not
    define."""

    verdict: str
    checks: int = 0
    missed: bool = False
    undefined: bool = False
    complaints: list[str] = field(default_factory=list)

    @property
    def proves(self) -> bool:
        return self.verdict in PROOFS


def judged(
    done: Done,
    truth: Truth,
    expects: Expects,
    unjudged: bool = False,
    must_not_appear: Sequence[str] = (),
) -> Opinion:
    """``unjudged``: nobody knows what the programs do on some inputs."""
    opinion = Opinion(_verdict(done))
    for check in (_behaved, _clean, _harmless):
        opinion.complaints += check(done)
        opinion.checks += 1
    opinion.complaints += [f"{text!r} is shown" for text in must_not_appear if text in _said(done)]
    opinion.complaints += _ended(done, expects)
    report = done.report
    if report is None:
        return opinion
    opinion.undefined = {each.get("class") for each in report.get("groups", ())} == {"undefined"}
    opinion.complaints += _consistent(done, report, expects)
    if expects is Expects.RIGHT:
        opinion.complaints += _blameless(report)
    opinion.complaints += _verdict_of(report, truth, opinion, unjudged)
    opinion.complaints += _tests(report, truth, opinion, unjudged)
    opinion.complaints += _refusals(report, truth, unjudged)
    return opinion


def _verdict(done: Done) -> str:
    if done.code in (SAME, DIFFERENT) and done.report is not None:
        return str(done.report["verdict"])
    if done.code in (SAME, DIFFERENT):
        return "unread"
    return "trouble" if done.code == TROUBLE else "ended"


def _said(done: Done) -> str:
    return done.out + done.err


# ---------------------------------------------------------------------- how it behaved


def _behaved(done: Done) -> Iterator[str]:
    """No traceback, an exit code that is documented, never trouble without a word."""
    for defect in DEFECTS:
        if defect in _said(done):
            yield f"{defect}: {done.err[-600:]}"
    if done.code not in (SAME, DIFFERENT, TROUBLE, INTERRUPTED) and done.code >= 0:
        yield f"exit code {done.code}"
    if done.broken:
        yield done.broken


def _clean(done: Done) -> Iterator[str]:
    yield from (f"{each} is left" for each in done.left)


def _harmless(done: Done) -> Iterator[str]:
    odd = sorted({each for each in _said(done) if not each.isprintable() and each not in LINES})
    if odd:
        yield f"characters that move a cursor are shown: {odd}"


def _ended(done: Done, expects: Expects) -> Iterator[str]:
    code = done.code
    if code == TROUBLE and "error" not in done.err and not done.deaf:
        yield f"exit code 2, and says only {done.err!r:.300}"
    match expects:
        case Expects.RIGHT:
            if code not in (SAME, DIFFERENT):
                yield f"ends with {code}: {done.err[-600:]}"
        case Expects.HONEST:
            if code not in (SAME, DIFFERENT, TROUBLE):
                yield f"ends with {code}: {done.err[-600:]}"
        case Expects.ENDED:
            if code == INTERRUPTED and not done.stopped:
                yield f"ends with {code}, and nobody stopped it: {done.err[-600:]}"
        case _:
            assert_never(expects)
    if code in (SAME, DIFFERENT) and done.report is None and not done.elsewhere:
        yield f"exit code {code}, and there is no report"


# ---------------------------------------------------------------------- what it says


def _consistent(done: Done, report: Any, expects: Expects) -> Iterator[str]:
    """Exit code, ``finished`` and time are those of the report."""
    verdict, counters = report["verdict"], report["counters"]
    if done.code in (SAME, DIFFERENT):
        if (done.code == DIFFERENT) != (verdict == "different"):
            yield f"exit code {done.code}, but the report says {verdict}"
        if report["finished"] is not True:
            yield f"exit code {done.code}, but the report is not finished"
    if verdict == WEAK and report["finished"] and not report.get("omissions"):
        yield "no difference was found, and nothing says why that is no proof"
    budget = report["bounds"]["time_s"]
    most = 3 * (budget + SLACK) + 3 * counters.get("prepared_s", 0.0) + 10.0
    if done.cpu > most:
        yield f"{done.cpu:.0f} s of CPU time for --time {budget}"


def _blameless(report: Any) -> Iterator[str]:
    """csgtest accuses itself of nothing."""
    counters = report["counters"]
    for name in ("mispredicted", "branch_mismatches"):
        if counters.get(name):  # of an unfinished report, which _consistent sees, nothing is known
            yield f"{name}: {counters[name]} {counters.get('refused') or ''}".rstrip()
    yield from (
        f"{each['id']}: {HIDDEN}" for each in report["tests"] if HIDDEN in each.get("notes", ())
    )


def _verdict_of(report: Any, truth: Truth, opinion: Opinion, unjudged: bool) -> Iterator[str]:
    verdict = report["verdict"]
    opinion.checks += truth.tried
    if verdict in PROOFS and truth.differing and not (unjudged and verdict != "no-change"):
        yield f"{verdict}, but {truth.differing} of {truth.tried} inputs differ"
    if verdict == "different" and truth.complete and not truth.differing and not unjudged:
        tests = [each for each in report["tests"] if each["observed"] == "different"]
        if not any(_is_open(each, truth) for each in tests):
            yield f"different, but none of {truth.tried} inputs differs"
    opinion.missed = verdict == WEAK and truth.differing > 0


def _is_open(test: Any, truth: Truth) -> bool:
    try:
        return truth.differs(from_json(test).input) is None
    except (OutOfBounds, CsgtestError):
        return False


def _tests(report: Any, truth: Truth, opinion: Opinion, unjudged: bool) -> Iterator[str]:
    """Each difference that is claimed is run by somebody else."""
    claimed = [test for test in report["tests"] if test["observed"] == "different"]
    for test in claimed[:MOST_REPLAYED]:
        opinion.checks += 1
        case = from_json(test)
        try:
            found = truth.differs(case.input)
            shown = truth.shown(case.input)
        except OutOfBounds as trouble:
            if not unjudged:
                yield f"{case.id}: {trouble}"
            continue
        uninitialised = UNINITIALISED in (
            case.old and case.old.sanitizer,
            case.new and case.new.sanitizer,
        )
        if found is False and not unjudged and not uninitialised:  # plain runs show chance alone
            yield f"{case.id} ({case.kind}) is called different, but is not: {case.input}"
        if found and shown is not None:
            yield from _returned(case, shown)


def _refusals(report: Any, truth: Truth, unjudged: bool) -> Iterator[str]:
    """What csgtest saw as alike is alike, but for what plain builds do behind an error of memory
    that stops both versions: that is chance."""
    same = [test for test in report["tests"] if test["observed"] == "same"]
    for test in same[:MOST_REPLAYED] if not unjudged else ():
        case = from_json(test)
        if all(seen is not None and seen.sanitizer for seen in (case.old, case.new)):
            continue
        try:
            if truth.differs(case.input) and case.kind != "timeout":
                yield f"{case.id} is called alike ({case.kind}), but differs: {case.input}"
        except OutOfBounds as trouble:
            yield f"{case.id}: {trouble}"


def _returned(case: TestCase, shown: tuple[str, str]) -> Iterator[str]:
    for name, seen, right in zip(("old", "new"), (case.old, case.new), shown, strict=True):
        if seen is not None and seen.returned not in (None, right):
            yield f"{case.id}: {name} returns {right}, not {seen.returned}"


def agree(first: Opinion, second: Opinion) -> Iterator[str]:
    """Two runs that both claim something claim the same. A proof says nothing of what gcc makes of
    undefined behaviour, which plain builds show where they are there in time."""
    differs = any(each.verdict == "different" and not each.undefined for each in (first, second))
    if differs and (first.proves or second.proves):
        yield f"{first.verdict}, and with another solver {second.verdict}"


__all__ = ["Opinion", "agree", "judged"]
