"""What the store holds, as tables for people and as JSON for programs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence

from fleet.outcomes import TaskState
from fleet.session import Ended
from fleet.store import Row, redacted

_MESSAGE = 200  # characters of a message in a table
_NOT_SHOWN = ("spec",)


def run_table(run: Ended) -> str:
    """What has come of a run: its findings, what is amiss, and a line that counts."""
    labels = {each["id"]: each["label"] for each in run.tasks}
    found = [each for each in run.findings if each["accepted"] is None]
    lines = [line for each in found for line in _finding(each, labels[each["task"]])]
    for each in run.tasks:
        if each["state"] in (TaskState.FAILED, TaskState.POISONED):
            lines.append(f"{each['state']}: {each['label']}")
            lines += [f"    {line}" for line in each["message"][:_MESSAGE].splitlines()]
    states = Counter(each["state"] for each in run.tasks)
    counted = ", ".join(f"{states[each]} {each}" for each in TaskState if states[each])
    accepted = len(run.findings) - len(found)
    lines.append(
        f"run {run.run} in {redacted(run.store)}: {len(run.tasks)} tasks ({counted or 'none'}), "
        f"{len(found)} differences{f', {accepted} accepted' if accepted else ''}"
    )
    return "\n".join(lines)


def _finding(each: Row, label: str) -> list[str]:
    return [
        f"{each['fingerprint']}  {each['summary']}",
        f"    {each['witness']}",
        f"    in {label}",
    ]


def run_json(run: Ended) -> str:
    form = {
        "run": run.run,
        "finished": not run.interrupted,
        "tasks": rows_form(run.tasks),
        "findings": rows_form(run.findings),
    }
    return json.dumps(form, indent=1)


def rows_form(rows: Iterable[Row]) -> Sequence[Row]:
    return [{key: each[key] for key in each if key not in _NOT_SHOWN} for each in rows]
