"""Fuzzing and the search: each finds what it can reach only from the other's inputs."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from csg.errors import ToolchainError
from symexec.campaign.building import BuildJob
from symexec.campaign.fuzzing_worker import SEEDED, Fuzzing, FuzzingProcess
from symexec.options import BuildOptions, InputOptions, SearchOptions
from symexec.progress import Silence
from symexec.report.session import build
from symexec.testcases import TestCase
from symexec.watchdog import Watchdog
from tests.command_line import CSGTEST, csgtest

# 42 branches, and one of their 2**42 ways goes on: no search comes by, a word of the program does.
SPELL = """
static const char *const commands[] = {"begin!"};
static int opens(const char *s)
{
    unsigned sum = 0;
    for (int i = 0; i < 6; i++)
        for (int bit = 0; bit < 7; bit++)
            if (s[i] >> bit & 1)
                sum = sum * 31 + bit + 1;
            else
                sum = sum * 31;
    return sum == 1090016254u;
}
"""
# One number of 2**32, which a solver finds.
KEY = "#define FITS(key, lock) ((key) * 2654435761u == (lock))\n"

FROM_NATIVE = """
int f(const char *s, unsigned key)
{
    if (!opens(s))
        return 0;
    return FITS(key, LOCK) ? 2 : 1;
}
"""
FROM_SEARCH = """
int f(unsigned key, const char *s, int y)
{
    int seen = 0;
    if (!FITS(key, 0x12345678u))
        return 0;
    if (y > LIMIT)
        seen++;
    if (!opens(s))
        return 1;
    return y == 1000 ? RESULT : 3;
}
"""

Run = Callable[[str, str, str], Iterator[TestCase]]


def write_pair(folder: Path, text: str, old: str, new: str) -> None:
    for name, constants in (("old", old), ("new", new)):
        body = text
        for constant in constants.split():
            key, value = constant.split("=")
            body = body.replace(key, value)
        (folder / f"{name}.c").write_text(KEY + SPELL + body)


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    """Tests of f with one set of constants in the old version and another in the new one."""
    jobs: list[BuildJob] = []

    def tests(text: str, old: str, new: str) -> Iterator[TestCase]:
        write_pair(tmp_path, text, old, new)
        inputs = InputOptions(entry="f", array_length=6)
        search = SearchOptions(time=120.0)
        job = BuildJob(
            BuildOptions(tmp_path / "old.c", tmp_path / "new.c", inputs=inputs, search=search)
        )
        jobs.append(job)
        job.prepare()
        return job.cases(Silence())

    yield tests
    for job in jobs:
        job.close()


def first(cases: Iterator[TestCase], wanted: Callable[[TestCase], bool]) -> TestCase:
    """The search is left as soon as it is there, and explained."""
    try:
        return next(case for case in cases if case.blame is not None and wanted(case))
    finally:
        cases.close()  # type: ignore[attr-defined]


def named(case: TestCase) -> dict[str, object]:
    return dict(case.input.parameters)


def test_beside_a_native_input_the_solver_finds_what_native_testing_does_not(run: Run) -> None:
    cases = run(FROM_NATIVE, "LOCK=0x9E3779u", "LOCK=0x7F4A7Cu")
    case = first(cases, lambda case: True)
    assert case.source == SEEDED and case.id.startswith("s")
    assert named(case)["s"] == b"begin!"
    assert case.divergence is not None and case.divergence.kind in ("control", "output")
    assert case.blame is not None and case.blame.blamed == (1,)


def test_from_a_test_of_the_search_mutation_finds_what_no_search_comes_by(run: Run) -> None:
    cases = run(FROM_SEARCH, "LIMIT=5 RESULT=1", "LIMIT=6 RESULT=2")
    case = first(cases, lambda case: True)
    # It grew from it, is a mutation, or is what the solver found beside one of these.
    assert (case.source, case.id[0]) in {("native", "g"), ("native", "m"), (SEEDED, "s")}
    found = named(case)
    assert (found["key"], found["s"], found["y"]) == (3784795128, b"begin!", 1000)
    assert case.blame is not None and case.blame.blamed == (2,)


def test_it_begins_while_a_query_of_the_search_takes_its_time(tmp_path: Path) -> None:
    """Nobody gives it a turn before it has begun: what it does is there when somebody asks."""
    write_pair(tmp_path, FROM_NATIVE, "LOCK=0x9E3779u", "LOCK=0x7F4A7Cu")
    options = BuildOptions(
        tmp_path / "old.c", tmp_path / "new.c", inputs=InputOptions(entry="f", array_length=6)
    )
    job = BuildJob(options)
    try:
        job.prepare()
        assert job.prepared is not None and job.replay is not None
        deadline = time.monotonic() + 60.0
        fuzzing = Fuzzing(
            job.prepared, job.replay, FuzzingProcess(), options, job.signature, deadline, Watchdog()
        )
        while fuzzing.form() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        while not fuzzing.tested and time.monotonic() < deadline:
            time.sleep(0.05)
            list(fuzzing.step())
        list(fuzzing.end())
        fuzzing.close()
        assert fuzzing.failure == "" and fuzzing.tested
    finally:
        job.close()


def test_why_it_could_not_begin_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(process: FuzzingProcess, commission: object) -> None:
        raise KeyError("commission")

    monkeypatch.setattr(FuzzingProcess, "begin", broken)
    write_pair(tmp_path, FROM_NATIVE, "LOCK=0x9E3779u", "LOCK=0x7F4A7Cu")
    why = "internal error: KeyError('commission')"
    with pytest.raises(ToolchainError, match=re.escape(f"nothing was compared natively: {why}")):
        build(
            BuildOptions(
                tmp_path / "old.c",
                tmp_path / "new.c",
                inputs=InputOptions(entry="f", array_length=6),
                search=SearchOptions(time=4.0),
                out=tmp_path / "out",
            ),
            Silence(),
        )
    notes = json.loads((tmp_path / "out/report.json").read_text())["notes"]
    assert f"the native phase ended early: {why}" in notes


# ------------------------------------------------------------------ the process


@pytest.fixture
def long_run(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A search that does not end by itself, with the native phase beside it."""
    write_pair(tmp_path, FROM_NATIVE, "LOCK=0x9E3779u", "LOCK=0x7F4A7Cu")
    (tmp_path / "tmp").mkdir()
    words = ["build", "old.c", "new.c", "--entry", "f", "--array-len", "6", "--quiet"]
    process = subprocess.Popen(
        [*CSGTEST, *words],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(tmp_path / "tmp")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    wait_until(lambda: len(list((tmp_path / "tmp").glob("csgtest-sandbox-*"))) == 3)
    yield process
    process.kill()
    process.wait()


def wait_until(true: Callable[[], bool], seconds: float = 40.0) -> None:
    until = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < until
        time.sleep(0.05)


def test_the_native_phase_ends_with_a_campaign_that_is_killed(
    long_run: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    long_run.kill()
    long_run.wait()
    # Its own folder it removes by itself, the others were those of the process that was killed.
    wait_until(lambda: len(list((tmp_path / "tmp").glob("csgtest-sandbox-*"))) == 1, 5.0)


def test_the_native_phase_ends_when_the_campaign_is_interrupted(
    long_run: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    long_run.send_signal(signal.SIGTERM)
    assert long_run.wait(timeout=20) == 130
    assert list((tmp_path / "tmp").iterdir()) == []


def test_without_it_the_search_is_alone(tmp_path: Path) -> None:
    write_pair(tmp_path, FROM_SEARCH, "LIMIT=5 RESULT=1", "LIMIT=6 RESULT=2")
    words = ("--entry", "f", "--array-len", "6", "--time", "3", "--no-native")
    done = csgtest("build", "old.c", "new.c", *words, folder=tmp_path)
    assert done.code == 0, done.err
    assert "native" not in done.report
    assert {test["source"] for test in done.report["tests"]} == {"guided"}
