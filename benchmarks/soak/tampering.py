"""A folder of results that somebody has changed: ``csgtest replay`` refuses, or does no harm.

complaints(place, done, random)   ->  [] or ["replay of a changed report ends with 1, not 2"]
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.soak.judging import DEFECTS, DIFFERENT, SAME, TROUBLE
from benchmarks.soak.process import Conditions, Done, Place, run

REPLAY = ("replay", "--time", "60")  # five hundred tests that do not end take an hour
VALUES: tuple[Any, ...] = (
    *(None, -1, 1 << 70, "", 0.5, True, [], {}, [[]], "\0", "\x1b[2J", "/dev/zero"),
    *("@made", "--output=made", "--specs=made", "-fplugin=./made", "../../../../etc/passwd"),
)


def complaints(place: Place, done: Done, random: Random) -> Iterator[str]:
    """The folder is replayed as it is, changed, and changed with ``--trust``."""
    if done.report is None or not done.report["tests"]:
        return
    file = place.out / "report.json"
    before = file.read_text()
    replayed = run([*REPLAY, "csgtest-out"], place, Conditions(), random)
    left_over = replayed.code == TROUBLE and "tests were not run" in replayed.err
    # a build that had no time for some tests has said so, and may learn more from them now
    unseen = any(test["observed"] == "not-replayed" for test in done.report["tests"])
    if replayed.code != done.code and not left_over and not (unseen and done.code == SAME):
        yield f"the build ends with {done.code}, its replay with {replayed.code}: {replayed.err}"
    value = json.loads(before)
    places = list(_places(value))
    for _ in range(random.choice((1, 1, 3))):
        where, key = random.choice(places)
        where[key] = random.choice(VALUES)
    file.write_text(json.dumps(value))
    changed = f"{key} is {where[key]!r}"
    for words in ([], ["--trust"]):
        code = run([*REPLAY, "csgtest-out", *words], place, Conditions(), random)
        yield from (f"replay, {changed}: {each}" for each in _harm(code, bool(words), place.folder))
    file.write_text(before)


def _harm(done: Done, trusted: bool, folder: Path) -> Iterator[str]:
    for defect in DEFECTS:
        if defect in done.out + done.err:
            yield f"{defect}: {done.err[-600:]}"
    if done.code not in ((SAME, DIFFERENT, TROUBLE) if trusted else (TROUBLE,)):
        yield f"ends with {done.code}: {done.err[-600:]}"
    if done.code == TROUBLE and "error" not in done.err:
        yield f"exit code 2, and says only {done.err!r}"
    yield from (f"{each} is left" for each in done.left)
    if (folder / "made").exists():
        yield "it made what the report names"


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every container with each of its keys."""
    waiting = [value]
    while waiting:
        top = waiting.pop()
        keys = top.keys() if isinstance(top, dict) else range(len(top))
        for key in list(keys):
            yield top, key
            if isinstance(top[key], dict | list):
                waiting.append(top[key])
