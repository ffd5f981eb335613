"""What a run plans and what comes of a task, as records that travel between processes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from csg.errors import UsageError
from csg.records import record
from symexec.ledger import Verdict
from symexec.testcases import DifferenceKind


def damaged(what: str) -> UsageError:
    """The error for a store that holds what csgtest does not write."""
    hint = "restore it from a copy, or begin another one with --store"
    return UsageError(f"the store is damaged: {what}", hint=hint)


class TaskState(StrEnum):
    """``CUT``: it had written what it may write, and ended with what it had found. ``FAILED``:
    csgtest ended with 2. ``POISONED``: each process that began it has died."""

    WAITING = "waiting"
    DONE = "done"
    CUT = "cut"
    FAILED = "failed"
    POISONED = "poisoned"


@record
class Planned:
    """A task as a run asks for it. ``spec``: JSON, from which ``id`` follows."""

    id: str
    spec: str
    label: str


@record
class FoundReport:
    """One report.json of a task."""

    name: str
    program: str
    entry: str
    verdict: Verdict
    changes: int


@record
class Finding:
    """A group of differences, by the fingerprint that ``csgtest accept`` uses."""

    report: str
    fingerprint: str
    difference: str
    kind: DifferenceKind
    program: str
    entry: str
    functions: tuple[str, ...]
    summary: str
    witness: str
    explained: bool
    internal: bool
    accepted: str | None


NOT_WHOLE = (TaskState.CUT, TaskState.FAILED, TaskState.POISONED)  # what --retry tries again


@dataclass(frozen=True, slots=True)
class Outcome:
    """What has come of a task. ``files``: its artefacts by their names. ``unprotected``: it failed
    because there is no sandbox where it ran; ``full``: because the disk is full there."""

    state: TaskState
    code: int | None
    message: str
    seconds: float
    reports: tuple[FoundReport, ...] = ()
    findings: tuple[Finding, ...] = ()
    files: tuple[tuple[str, bytes], ...] = ()
    unprotected: bool = False
    full: bool = False
