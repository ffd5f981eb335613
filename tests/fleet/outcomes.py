"""What has come of a task, as tests of the store make it up."""

from __future__ import annotations

from fleet.outcomes import Finding, FoundReport, Outcome, TaskState
from symexec.ledger import Verdict
from symexec.testcases import DifferenceKind

REPORT = FoundReport("", "new", "f", Verdict.DIFFERENT, 1)
FINDING = Finding(
    report="",
    fingerprint="0123456789ab",
    difference="g1",
    kind=DifferenceKind.DIFFERENCE,
    program="new",
    entry="f",
    functions=("f",),
    summary="a -> b",
    witness="f(1)",
    explained=True,
    internal=False,
    accepted=None,
)
OUTCOME = Outcome(
    TaskState.DONE, 1, "", 0.5, (REPORT,), (FINDING,), (("report.json", b"{}"), ("a/b", b"{}"))
)
