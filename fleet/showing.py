"""What the store holds, as tables for people and as JSON for programs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import assert_never

from csg.errors import UsageError
from csg.files import refuse_link_outside
from fleet.acceptance import with_accepted
from fleet.histories import History, fate_text
from fleet.outcomes import NOT_WHOLE
from fleet.session import Ended
from fleet.store import Row, Store, redacted, warn_of_foreign
from fleet.task_files import TaskFiles
from fleet.wording import counted_tasks, when
from symexec.options import Shown, ShowOptions
from symexec.report.words import on_one_line
from symexec.testcases.store import replace_below

_MESSAGE = 200  # characters of a message in a table
_SUMMARY = 160  # of what changed statements say; pages and JSON have all of it
_NOT_SHOWN = ("spec",)


def run_table(run: Ended) -> str:
    """What has come of a run: its findings, what is amiss, and a line that counts."""
    labels = {each["id"]: each["label"] for each in run.tasks}
    found = [each for each in run.findings if each["accepted"] is None]
    lines = [line for each in found for line in _finding(each, f"in {labels[each['task']]}")]
    return "\n".join([*lines, *_amiss(run), _counted(run, len(found))])


def history_table(history: History) -> str:
    """The differences of a history, each with the commits that brought it and took it away."""
    lines = [
        line
        for each in history.spans
        for line in _finding(
            each.finding, f"brought by {each.commit[:10]} {each.title}", fate_text(each)
        )
    ]
    run = history.ended
    return "\n".join([*lines, *_amiss(run), _counted(run, len(history.spans))])


def _amiss(run: Ended) -> list[str]:
    lines = []
    for each in run.tasks:
        if each["state"] in NOT_WHOLE:
            lines.append(f"{each['state']}: {each['label']}")
            lines += [f"    {line}" for line in each["message"][:_MESSAGE].splitlines()]
    return lines


def _counted(run: Ended, found: int) -> str:
    accepted = sum(each["accepted"] is not None for each in run.findings)
    tasks = counted_tasks(Counter(each["state"] for each in run.tasks))
    return (
        f"run {run.run} in {redacted(run.store)}: {tasks}, "
        f"{found} difference{'s'[: found != 1]}{f', {accepted} accepted' if accepted else ''}"
    )


def _finding(each: Row, *notes: str) -> list[str]:
    lines = (each["witness"], *notes)
    return [
        f"{each['fingerprint']}  {on_one_line(each['summary'], _SUMMARY)}",
        *(f"    {line}" for line in lines),
    ]


def run_json(run: Ended) -> str:
    form = {
        "run": run.run,
        "finished": not run.interrupted,
        "tasks": rows_form(run.tasks),
        "findings": rows_form(run.findings),
    }
    return json.dumps(form, indent=1)


def history_json(history: History) -> str:
    form = {
        "run": history.ended.run,
        "finished": not history.ended.interrupted,
        "tasks": rows_form(history.ended.tasks),
        "findings": [
            {**each.finding, "brought": each.commit, "fate": each.fate, "until": each.until}
            for each in history.spans
        ],
    }
    return json.dumps(form, indent=1)


def rows_form(rows: Iterable[Row]) -> Sequence[Row]:
    return [{key: each[key] for key in each if key not in _NOT_SHOWN} for each in rows]


# ---------------------------------------------------------------------------------------- queries


def show(options: ShowOptions, as_json: bool) -> str:
    """``csgtest show``: the text to print."""
    with Store.open(options.store.place, options.store.artefacts, new=False) as store:
        warn_of_foreign(store, options.store.place)
        if options.run is not None and options.run not in {each["id"] for each in store.runs()}:
            raise UsageError(f"there is no run {options.run}", hint="csgtest show runs lists them")
        if options.task is not None:
            assert options.output is not None
            return _written(store, options.task, options.output)
        rows = _rows(store, options)
        if as_json:
            return json.dumps(rows_form(rows), indent=1)
        return "\n".join(_lines(store, options.what, rows)) or "There is nothing to show."


def _rows(store: Store, options: ShowOptions) -> Sequence[Row]:
    match options.what:
        case Shown.FINDINGS:
            found = store.findings(options.run, fingerprint=options.fingerprint)
            return with_accepted(found, store.tasks())
        case Shown.TASKS:
            return store.tasks(options.run)
        case Shown.RUNS:
            return [each for each in store.runs() if options.run in (None, each["id"])]
        case _:
            assert_never(options.what)


def _lines(store: Store, what: Shown, rows: Sequence[Row]) -> list[str]:
    match what:
        case Shown.FINDINGS:
            labels = {each["id"]: each["label"] for each in store.tasks()}
            lines = []
            for each in rows:
                accepted = each["accepted"]
                notes = [] if accepted is None else [f"accepted{accepted and f': {accepted}'}"]
                lines += _finding(each, f"in {labels[each['task']]} ({each['task']})", *notes)
            return lines
        case Shown.TASKS:
            return [
                f"{each['id']}  run {each['run']}  {each['state']:8}  "
                f"{_seconds(each['seconds'])}  {each['label']}"
                for each in rows
            ]
        case Shown.RUNS:
            return [
                f"{each['id']:4}  {when(each['begun'])}  "
                f"{'ended' if each['ended'] is not None else 'not ended'}  "
                f"{each['command']} {each['source']}: {counted_tasks(each['tasks'])}"
                for each in rows
            ]
        case _:
            assert_never(what)


def _seconds(value: float | None) -> str:
    return "       -" if value is None else f"{value:6.1f} s"


def _written(store: Store, task: str, folder: Path) -> str:
    """Write the files of a task to a folder that is empty or not there."""
    files = TaskFiles(store, task)
    if files.strange:
        raise UsageError(f"{ascii(files.strange[0])[:80]} is no name of a file in a folder")
    if not files.names:
        raise UsageError(f"there are no files of a task '{task}'", hint="csgtest show tasks")
    if folder.exists() and any(folder.iterdir()):
        raise UsageError(f"'{folder}' is not empty", hint="name another folder")
    refuse_link_outside(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot write '{folder}': {error.strerror}") from None
    for name in files.names:
        replace_below(folder, name, files.content(name))
    return f"{folder}: {len(files.names)} files"
