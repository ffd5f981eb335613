"""Accepted differences of repositories, over all commits and for tasks that have run before.

    csgtest accept ID, in the repository       csgtest-accepted.json there
    with_accepted(findings, tasks)             each finding with that ID, of any of its commits

A task reads the file that is there when it runs. What is accepted later counts as well, without
that the task runs again; what was accepted then stays so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from fleet.repositories import is_url
from fleet.store import Row
from fleet.tasks import Commits, Task, task_from_spec
from symexec.report.accepting import FILE, read_accepted


def with_accepted(findings: Iterable[Row], tasks: Iterable[Row]) -> list[Row]:
    """The findings of these tasks, and why each is accepted, if it is. Raises UsageError for a file
    that cannot be read."""
    places = {each["id"]: _place(task_from_spec(each["spec"])) for each in tasks}
    known = {each: _accepted_in(each) if each else {} for each in set(places.values())}
    return [
        {**each, "accepted": known.get(places[each["task"]], {}).get(each["fingerprint"])}
        if each["accepted"] is None
        else each
        for each in findings
    ]


def _place(task: Task) -> Path | None:
    """The folder of the repository whose file a task reads."""
    source = task.source
    if not isinstance(source, Commits) or is_url(source.place):
        return None
    return Path(source.place)


def _accepted_in(place: Path) -> Mapping[str, str]:
    """The IDs in the file of a folder, or of the repository that it is in, and the reasons."""
    for folder in (place, *place.parents):
        if (folder / FILE).is_file():
            return {each.id: each.reason for each in read_accepted(folder / FILE)}
        if (folder / ".git").exists():
            break
    return {}
