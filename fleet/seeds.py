"""Inputs that earlier tasks have found -> seeds of a later one.

    task          1a..2b: tests of main and parse           earlier, complete
    task          2b..3c: --seeds seeds.jsonl               these inputs, the differing ones first

Tests are taken from, in this order: the same pair, searched with less time or another seed; pairs
with the same old version, as where a difference is looked for again; pairs whose new version is the
old one; what the run has before this task, the nearest first. csgtest sees which inputs fit an
entry. Seeds are given to native fuzzing, which --deterministic does without: such tasks get none,
so that what they find depends on no other task. Others get what the store has when they begin.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, islice, zip_longest

from csg.errors import UsageError
from fleet.outcomes import TaskState
from fleet.store import Row, Store
from fleet.tasks import Files, Task, task_from_spec

TASKS = 4  # whose tests are taken
MOST, LARGEST = 256, 4096  # seeds of a task, and bytes of one as JSON
_TESTS = "tests/tests.jsonl"
_NO_FUZZING = ("--no-native", "--no-replay")
WHOLE = (TaskState.DONE, TaskState.CUT)  # have tests


class SeedSource:
    """Chooses the seeds of tasks in one run. ``rows``: the tasks of all runs."""

    def __init__(self, store: Store, rows: Iterable[Row]) -> None:
        self._store = store
        self._with_old: dict[str, dict[str, None]] = defaultdict(dict)
        self._with_new: dict[str, dict[str, None]] = defaultdict(dict)
        self._with_both: dict[str, dict[str, None]] = defaultdict(dict)
        for each in rows:
            if each["state"] in WHOLE:
                self.add(each["id"], task_from_spec(each["spec"]))

    def add(self, name: str, task: Task) -> None:
        """Note a task that is complete now."""
        old, new = _versions(task)
        self._with_old[old][name] = None
        self._with_new[new][name] = None
        self._with_both[f"{old} {new}"][name] = None

    def seeds(self, task: Task, before: Sequence[str]) -> bytes:
        """The seeds, a JSON object on each line; b"" where there are none. ``before``: the tasks
        of the run before this one that are complete, the nearest first."""
        if task.deterministic or any(each in _NO_FUZZING for each in task.options):
            return b""
        old, new = _versions(task)
        known = (self._with_both[f"{old} {new}"], self._with_old[old], self._with_new[old])
        names = dict.fromkeys(chain(*known, before))
        names.pop(task.id, None)
        found: dict[str, None] = {}
        for name in islice(names, TASKS):
            found.update(dict.fromkeys(_mixed(self._tests(name))))
        return "".join(f"{each}\n" for each in islice(found, MOST)).encode()

    def _tests(self, name: str) -> Iterator[Sequence[str]]:
        """The inputs in each report of a task, those on which the versions differ first."""
        for file in self._store.files(name):
            if file["name"] == _TESTS or file["name"].endswith(f"/{_TESTS}"):
                with suppress(UsageError):  # it is gone, which ends no later task
                    yield inputs_of(self._store.artefacts.get(file["hash"]))


def _versions(task: Task) -> tuple[str, str]:
    source = task.source
    if isinstance(source, Files):
        return f"{source.tree} {source.old}", f"{source.tree} {source.new}"
    return source.old, source.new


def inputs_of(tests: bytes) -> list[str]:
    """The inputs of a tests.jsonl, a JSON text each; later lines of a test say more of it."""
    differing: dict[str, bool] = {}
    for line in tests.splitlines():
        try:
            test = json.loads(line)
        except ValueError:  # cut short
            continue
        given = test.get("input") if isinstance(test, Mapping) else None
        text = json.dumps({"input": given}, sort_keys=True)
        if given and len(text) <= LARGEST:
            differing[text] = test.get("observed") == "different" or differing.get(text, False)
    return sorted(differing, key=lambda text: not differing[text])


def _mixed(lists: Iterable[Sequence[str]]) -> Iterator[str]:
    """The first of each, the second of each .."""
    for row in zip_longest(*lists):
        yield from (each for each in row if each is not None)
