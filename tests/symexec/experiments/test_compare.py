"""``csgtest compare`` from end to end, on the samples."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path

import pytest

from symexec import experiments
from symexec.experiments.runs import Laboratory
from symexec.experiments.wording import json_text, table
from symexec.fuzzing.testing import NativeTesting
from symexec.options import (
    BuildOptions,
    CompareOptions,
    InputOptions,
    Range,
    SearchOptions,
    SymbolicArguments,
)
from symexec.progress import Silence

SAMPLES = Path(__file__).parents[3] / "samples"
PREPARATION = 10.0  # seconds for parsing, five native builds and the writing of results
OVERHEAD = 4.0  # seconds a run: late replays, and following tests through the engine


def options(old: str, new: str, folder: Path, seconds: float, **inputs: object) -> CompareOptions:
    return CompareOptions(
        SAMPLES / old,
        SAMPLES / new,
        inputs=InputOptions(**inputs),  # type: ignore[arg-type]
        search=SearchOptions(time=seconds),
        seeds=1,
        out=folder / "out",
    )


def test_on_the_running_example_the_table_has_guided_and_isolated(tmp_path: Path) -> None:
    asked = options("cut_ranges/old.c", "cut_ranges/new.c", tmp_path, 3.0)
    result = experiments.compare(asked, Silence())
    assert result.strategies == list(asked.modes) == ["guided", "isolated", "undirected", "native"]
    assert result.differs
    finding = result.findings[0]
    assert (finding.difference.kind, finding.difference.blamed) == ("regression", (1, 2, 3))
    assert finding.critical == ("c1", "c2", "c3")
    assert all(finding.times[strategy] for strategy in asked.modes)
    heads = [line.split()[0] for line in table(result).splitlines() if line]
    assert heads.index("guided") < heads.index("isolated") < heads.index("native")
    form = json.loads((asked.out / "compare.json").read_text())
    assert form == json.loads(json_text(result))
    assert form["finished"] and set(form["strategies"]) == set(asked.modes)
    assert (asked.out / "compare.svg").read_text().startswith("<svg")
    assert (asked.out / "compare.txt").read_text() == table(result) + "\n"


def test_on_foo_both_differences_are_found_by_all_within_the_budget(tmp_path: Path) -> None:
    asked = options("foo/old.c", "foo/new.c", tmp_path, 4.0, ranges=(Range("x", -100, 100),))
    asked = replace(asked, seeds=2)
    started = time.monotonic()
    result = experiments.compare(asked, Silence())
    assert time.monotonic() - started < 8 * (4.0 + OVERHEAD) + PREPARATION
    assert [each.difference.kind for each in result.findings] == ["regression", "fix"]
    for finding in result.findings:
        assert finding.only is None
        assert all(set(finding.times[strategy]) == {0, 1} for strategy in asked.modes)
    native = [run for run in result.runs if run.strategy == "native"]
    assert [(run.tests, run.differing, run.exhausted) for run in native] == [(201, 2, True)] * 2


def test_any_searches_can_be_compared_with_strategies_left_out(tmp_path: Path) -> None:
    """On the running example with a strategy left out, and all of them, and as published."""
    names = ("guided-guards-turns", "guided-all", "published")
    asked = options("cut_ranges/old.c", "cut_ranges/new.c", tmp_path, 5.0)
    result = experiments.compare(replace(asked, modes=names), Silence())
    assert result.strategies == list(names)
    (finding,) = [each for each in result.findings if each.critical]
    assert finding.critical == ("c1", "c2", "c3")
    assert all(finding.efforts[name][0] > 1 for name in names)
    assert finding.efforts["guided-all"] == finding.efforts["published"]
    middle = result.median("published")
    assert 0 < middle.critical < middle.known and not middle.other_differing


@pytest.mark.night
def test_on_a_whole_utility_every_run_keeps_to_its_time(tmp_path: Path) -> None:
    asked = options(
        "fields/a_old.c",
        "fields/a_new.c",
        tmp_path,
        1.5,
        arguments=SymbolicArguments(1, 2, 4),
        stdin=2,
    )
    started = time.monotonic()
    result = experiments.compare(asked, Silence())
    assert time.monotonic() - started < 4 * (1.5 + OVERHEAD) + PREPARATION
    assert all(run.finished and run.seconds < 1.5 + OVERHEAD for run in result.runs)
    assert all(run.tests for run in result.runs if run.strategy == "native")
    assert all(case.source == run.strategy for run in result.runs for case in run.shown)


def test_searches_are_compared_without_the_native_phase(tmp_path: Path) -> None:
    laboratory = Laboratory(options("foo/old.c", "foo/new.c", tmp_path, 1.0))
    assert BuildOptions(Path(), Path()).native and not laboratory.job.options.native


def test_runs_of_programs_that_never_end_keep_to_their_time(tmp_path: Path) -> None:
    """On a busy machine, a second may be too short to find anything."""
    for seconds in (1.0, 8.0):
        asked = options("endless/old.c", "endless/new.c", tmp_path / str(seconds), seconds)
        started = time.monotonic()
        result = experiments.compare(asked, Silence())
        assert time.monotonic() - started < 4 * (seconds + OVERHEAD) + PREPARATION
        if any(each.times["native"] for each in result.findings):
            return
    raise AssertionError("native testing has found nothing")


def test_an_interrupt_keeps_what_was_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C at the first difference that native testing shows."""
    cases = NativeTesting.cases

    def interrupted(self: NativeTesting, started: float, deadline: float) -> object:
        for case in cases(self, started, deadline):
            yield case
            raise KeyboardInterrupt

    monkeypatch.setattr(NativeTesting, "cases", interrupted)
    asked = options("foo/old.c", "foo/new.c", tmp_path, 3.0, ranges=(Range("x", -100, 100),))
    with pytest.raises(KeyboardInterrupt):
        experiments.compare(asked, Silence())
    form = json.loads((asked.out / "compare.json").read_text())
    assert not form["finished"]
    assert [run["finished"] for run in form["strategies"]["native"]["runs"]] == [False]
    assert len(form["differences"]) == 2
    assert "Interrupted" in (asked.out / "compare.txt").read_text()


def test_the_same_program_twice_leaves_nothing_to_compare(tmp_path: Path) -> None:
    result = experiments.compare(options("foo/old.c", "foo/old.c", tmp_path, 5.0), Silence())
    assert not result.differs
    assert "the versions are the same program" in table(result)
    assert json.loads(json_text(result))["strategies"] == {}
