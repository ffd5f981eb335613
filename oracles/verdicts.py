"""Compare a finished report with what docs/verdicts.md allows it to claim.

    complaints(Run({"verdict": "no-change", "omissions": [{"reason": "time", ...}], ...}))
        ->  ["the verdict is no-change, the document allows only no-difference-found ..."]

This is a second implementation of the verdict. It reads the tables of the document, and no code of
csgtest. The functions say nothing about a report that keeps to the document.
"""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DOCUMENT = Path(__file__).parents[1] / "docs" / "verdicts.md"
EQUALITY, ALL_PATHS = "equality", "all paths"
DIFFERENT, NO_CHANGE = "different", "no-change"
EQUIVALENT, NOTHING_FOUND = "equivalent-within-bounds", "no-difference-found"
WHOLE, IN_PART = "all-paths-explored", "explored-in-part"
TROUBLE, INTERRUPTED = 2, 130  # exit codes
NO_BEHAVIOUR = ("internal-state", "slower", "undecided")  # classes that make no verdict
FAILURES = ("regression", "hang", "leak")  # the classes of --fail-on regression

Report = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Document:
    """The tables of docs/verdicts.md. ``needs``: the verdict or the claim that a sentence of the
    printed text needs."""

    codes: Mapping[str, int]  # by verdict
    withdraws: Mapping[str, frozenset[str]]  # the claims, by reason
    needs: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Run:
    """One finished call of csgtest; ``code`` and ``text`` are None where nobody saw them."""

    report: Report
    code: int | None = None
    text: str | None = None
    words: Sequence[str] = ()

    @property
    def reasons(self) -> frozenset[str]:
        return frozenset(str(entry["reason"]) for entry in self.report["omissions"])

    @property
    def explores(self) -> bool:
        """Whether it followed one program alone; the report itself names this program twice."""
        if self.words:
            return self.words[0] == "explore"
        return self.report["verdict"] in (WHOLE, IN_PART)

    @property
    def differences(self) -> list[Mapping[str, Any]]:
        """The groups of differences that callers can meet."""
        return [group for group in self.report.get("groups", ()) if counts(group)]

    @property
    def fail_on(self) -> str:
        """The value of --fail-on."""
        for word, following in itertools.pairwise([*self.words, ""]):
            if word.startswith("--fail-on"):
                return word.partition("=")[2] or following
        return "any"


def complaints(*runs: Run, document: Document | None = None) -> list[str]:
    """Everything in which the reports of one call and the document disagree. The call has one exit
    code and one text, so each sentence needs only one of the reports."""
    known = read_document() if document is None else document
    if found := [each for run in runs for each in wrong_report(run.report, known)]:
        return found
    return [
        *(each for run in runs for each in wrong_verdict(run, known)),
        *(each for run in runs for each in wrong_witnesses(run)),
        *wrong_code(runs, known),
        *wrong_claims(runs, known),
    ]


@functools.cache
def read_document(path: Path = DOCUMENT) -> Document:
    """Raise ValueError if the document lacks one of its tables."""
    codes: dict[str, int] = {}
    withdraws: dict[str, frozenset[str]] = {}
    needs: dict[str, str] = {}
    for header, cells in rows_of_tables(path.read_text()):
        name = cells[0].strip("`")
        match header[0], header[-1]:
            case "verdict", "exit code":
                codes[name] = int(cells[-1].split()[0])
            case "reason", "withdraws":
                withdraws[name] = frozenset(claims_in(cells[-1]))
            case "sentence", "needs":
                needs[name] = cells[-1].strip("`")
    if not (codes and withdraws and needs):
        raise ValueError(f"{path} lacks the table of verdicts, of reasons or of sentences")
    return Document(codes, withdraws, needs)


def rows_of_tables(text: str) -> Iterator[tuple[list[str], list[str]]]:
    """Yield each row of each table in Markdown behind the header of its table."""
    header: list[str] = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|"):
            header = []
        elif not header:
            header = cells
        elif not set(line) <= set("|-: "):
            yield header, cells


def claims_in(cell: str) -> Iterator[str]:
    """Raise ValueError if a cell withdraws a claim that the document does not explain."""
    for claim in cell.split(", "):
        if claim in (EQUALITY, ALL_PATHS):
            yield claim
        elif claim != "nothing":
            raise ValueError(f"a reason withdraws {claim!r}, which is no claim")


def allowed_claims(reasons: frozenset[str], document: Document) -> frozenset[str]:
    withdrawn = {claim for reason in reasons for claim in document.withdraws[reason]}
    return frozenset({EQUALITY, ALL_PATHS} - withdrawn)


def wrong_report(report: Report, document: Document) -> Iterator[str]:
    """What no report may contain, whatever the verdict is."""
    if "verdict" not in report or "omissions" not in report:
        yield "the report has no verdict or no list of omissions"
        return
    numbers = {change["id"] for change in report.get("changes", ())}
    for entry in report["omissions"]:
        reason = entry.get("reason")
        if reason not in document.withdraws:
            yield f"an omission has the reason {reason!r}, which the document does not list"
        if not entry.get("text"):
            yield f"an omission with the reason {reason!r} says nothing"
        if entry.get("count", 0) < 1:
            yield f"an omission with the reason {reason!r} has the count {entry.get('count')}"
        if unknown := {*entry.get("changes", ())} - numbers:
            yield f"an omission with the reason {reason!r} names unknown changes: {unknown}"
    for entry, times in Counter(map(repr, report["omissions"])).items():
        if times > 1:
            yield f"an omission stands {times} times in the report: {entry}"


def wrong_verdict(run: Run, document: Document) -> Iterator[str]:
    verdict = run.report["verdict"]
    if not run.report.get("finished", True) and verdict in (NO_CHANGE, EQUIVALENT, WHOLE):
        yield f"an unfinished report has the verdict {verdict}"
    allowed = allowed_verdict(run, document)
    if verdict != allowed:
        left_out = ", ".join(sorted(run.reasons)) or "nothing"
        yield f"the verdict is {verdict}, the document allows only {allowed} (left out: {left_out})"


def allowed_verdict(run: Run, document: Document) -> str:
    """The verdict that follows from the three facts that the document names."""
    claims = allowed_claims(run.reasons, document)
    if run.explores:
        return WHOLE if ALL_PATHS in claims else IN_PART
    if run.differences:
        return DIFFERENT
    if EQUALITY not in claims:
        return NOTHING_FOUND
    return EQUIVALENT if run.report.get("changes") else NO_CHANGE


def counts(group: Mapping[str, Any]) -> bool:
    """Whether a group of differences makes the verdict ``different``."""
    internal = group.get("internal") or {}
    return not internal.get("unmade") and group["class"] not in NO_BEHAVIOUR


def wrong_witnesses(run: Run) -> Iterator[str]:
    """Groups of differences without an input that ran natively."""
    shown = {test["id"] for test in run.report["tests"] if test["observed"] == "different"}
    for group in run.differences:
        if group["witness"] not in shown:
            yield f"no native run of {group['witness']}, the witness of {group['id']}, differs"


def wrong_code(runs: Sequence[Run], document: Document) -> Iterator[str]:
    code = runs[0].code if runs else None
    allowed = [allowed_codes(run, document) for run in runs]
    all_allowed = {each for codes in allowed for each in codes}
    if not all(0 in each for each in allowed):
        all_allowed.discard(0)
    if code is not None and code not in all_allowed:
        verdicts = ", ".join(run.report["verdict"] for run in runs)
        known = " or ".join(map(str, sorted(all_allowed)))
        yield f"the exit code is {code}; after {verdicts} it has to be {known}"


def allowed_codes(run: Run, document: Document) -> set[int]:
    """The exit codes after this verdict. An interruption may come too late to be seen in it."""
    verdict = run.report["verdict"]
    if not run.report.get("finished", True):
        return {INTERRUPTED, TROUBLE}
    if verdict == DIFFERENT:
        return {document.codes[verdict] if is_failure(run) else 0, INTERRUPTED}
    allowed = {document.codes.get(verdict, 0), INTERRUPTED}
    if verdict == NOTHING_FOUND and run.fail_on == "any" and unconfirmed(run.report):
        allowed = {1, INTERRUPTED}
    if verdict == NOTHING_FOUND and not compared_natively(run.report):
        allowed.add(TROUBLE)
    if verdict == IN_PART and "unsupported" in run.reasons:
        allowed.add(TROUBLE)
    return allowed


def is_failure(run: Run) -> bool:
    """Whether --fail-on counts one of the differences."""
    groups = [group for group in run.differences if not group.get("accepted")]
    match run.fail_on:
        case "never":
            return False
        case "interaction":
            return any(group["interaction"] and not group.get("internal") for group in groups)
        case "regression":
            return any(group["class"] in FAILURES and not group.get("internal") for group in groups)
        case _:
            return bool(groups)


def unconfirmed(report: Report) -> int:
    """How many native runs differ that nobody confirmed in time."""
    native = report.get("native")
    return int(native.get("unconfirmed", 0)) if isinstance(native, Mapping) else 0


def compared_natively(report: Report) -> bool:
    return any(test["observed"] in ("same", "different") for test in report["tests"])


def wrong_claims(runs: Sequence[Run], document: Document) -> Iterator[str]:
    """Sentences of the text that nothing allows. Indented lines quote the programs."""
    allowed: set[str] = set()
    for run in runs:
        allowed |= {run.report["verdict"], *allowed_claims(run.reasons, document)}
    lines = [
        line for line in ((runs and runs[0].text) or "").splitlines() if not line.startswith(" ")
    ]
    for sentence, needed in document.needs.items():
        for line in lines:
            if sentence in line and needed not in allowed:
                left_out = ", ".join(sorted({each for run in runs for each in run.reasons}))
                yield f"the text says {line!r} without {needed} (left out: {left_out or 'nothing'})"
