"""What other processes find is told, and counts for ``--stop-after``, while the search is at one
step that takes long."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from symexec.campaign.building import BuildJob
from symexec.executor.engine import Engine
from symexec.options import BuildOptions, InputOptions, SearchOptions
from symexec.progress import Silence, Standing
from symexec.state.state import State

TEXT = "int f(signed char c) {{ return c == 7 ? {result} : c; }}\n"
LONG = 25.0  # seconds that the step takes


class Heard(Silence):
    def __init__(self) -> None:
        self.differing: list[float] = []

    def update(self, now: Standing) -> None:
        if now.differences:
            self.differing.append(time.monotonic())


@pytest.mark.parametrize("stop_after", [pytest.param(None, marks=pytest.mark.night), 1])
def test_a_difference_is_told_in_the_middle_of_a_turn(
    stop_after: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    began, advance = [], Engine.advance

    def slow(engine: Engine, state: State, quantum: int) -> list[State]:
        if not began:
            began.append(time.monotonic())
            until = began[0] + LONG
            while (left := until - time.monotonic()) > 0:
                time.sleep(left)
        return advance(engine, state, quantum)

    monkeypatch.setattr(Engine, "advance", slow)
    files = tmp_path / "old.c", tmp_path / "new.c"
    for file, result in zip(files, "23", strict=True):
        file.write_text(TEXT.format(result=result))
    search = SearchOptions(time=60, stop_after=stop_after)
    job, heard = BuildJob(BuildOptions(*files, inputs=InputOptions("f"), search=search)), Heard()
    try:
        job.prepare()
        cases = list(job.cases(heard))
    finally:
        job.close()
    assert heard.differing[0] < began[0] + LONG
    found = [each for each in job.found if each.observed == "different"]
    assert found and {each.id for each in found} <= {each.id for each in cases}
    if stop_after is not None:
        assert job.stopped and time.monotonic() < heard.differing[0] + 10.0
        assert time.monotonic() < began[0] + LONG
        assert job.counters.waiting
