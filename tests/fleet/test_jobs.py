"""``csgtest build --jobs``, with real processes, of which some are killed."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.command_line import (
    CSGTEST,
    csgtest,
    differing,
    hear_interrupts,
    read_report,
    write_versions,
)
from tests.fleet.test_fleet import wait_for

pytestmark = pytest.mark.night

FEW, MANY = 15, 24  # 2 to the power of so many paths, on half of which the versions differ
OLD = """
int f(unsigned x)
{
    int n = 1;
    for (int i = 0; i < BITS; i++)
        if (x >> i & 1)
            n = n * 3 + i;
    return n;
}
"""
NEW = OLD.replace("+ i;", "+ i + (i == 7);")


def words(bits: int) -> list[str]:
    bounds = ["--entry", "f", "--range", f"x=0..{2**bits - 1}", "--memory", "1G"]
    return ["build", "old.c", "new.c", *bounds, "--quiet", "--no-native", "--time", "400"]


@contextmanager
def searching(folder: Path, bits: int = MANY) -> Iterator[subprocess.Popen[bytes]]:
    """A search on two processes; one of MANY bits does not end soon."""
    write_versions(folder, *(each.replace("BITS", str(bits)) for each in (OLD, NEW)))
    with open(folder / "log", "wb") as log:
        process = subprocess.Popen(
            [*CSGTEST, *words(bits), "--jobs", "2"],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            preexec_fn=hear_interrupts,  # noqa: PLW1509
        )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()


def workers(process: subprocess.Popen[bytes]) -> list[psutil.Process]:
    """Workers of Dask that have a process for the search."""
    assert process.poll() is None, "the search has ended before"
    found = []
    for each in psutil.Process(process.pid).children(recursive=True):
        with suppress(psutil.Error):
            if "spawn_main" in " ".join(each.cmdline()) and each.children():
                found.append(each)
    return found


def at_work(process: subprocess.Popen[bytes]) -> list[psutil.Process]:
    """All processes of the search, when workers and replay have had some time."""
    wait_for(lambda: workers(process))
    time.sleep(8)
    return psutil.Process(process.pid).children(recursive=True)


def assert_gone(processes: list[psutil.Process]) -> None:
    _, alive = psutil.wait_procs(processes, 20)
    assert [each for each in alive if each.status() != psutil.STATUS_ZOMBIE] == []


def found(report: Any) -> tuple[object, ...]:
    """Which tests show a difference depends on who searches; the rest does not."""
    counters = report["counters"]
    shown = {
        (each["class"], tuple(each["blamed"]), str(each["divergence"]))
        for each in differing(report)
    }
    return report["verdict"], counters["paths"], counters["diff_paths"], counters["cuts"], shown


def test_killed_worker_changes_no_result(tmp_path: Path) -> None:
    with searching(tmp_path, FEW) as process:
        at_work(process)
        for _ in range(2):
            for each in wait_for(lambda: workers(process)):
                each.kill()
            time.sleep(2)
        assert process.wait(600) == 1, (tmp_path / "log").read_text()
    report = read_report(tmp_path / "csgtest-out")
    assert report["counters"]["deaths"] <= 2  # none where it had no portion
    assert report["counters"]["prefixes_poisoned"] == []
    alone = csgtest(*words(FEW), "--jobs", "1", folder=tmp_path, seconds=600)
    assert found(report) == found(alone.report)


def test_killed_scheduler_changes_no_result(tmp_path: Path) -> None:
    with searching(tmp_path, FEW) as process:
        at_work(process)
        schedulers = {each.parent() for each in wait_for(lambda: workers(process))}
        for each in schedulers:
            assert each is not None and each.ppid() == process.pid
            each.kill()
        assert process.wait(600) == 1, (tmp_path / "log").read_text()
    report = read_report(tmp_path / "csgtest-out")
    assert any(each.startswith("searched by one process: ") for each in report["notes"])
    alone = csgtest(*words(FEW), "--jobs", "1", folder=tmp_path, seconds=600)
    assert found(report) == found(alone.report)


def test_interrupted_search_keeps_what_was_found(tmp_path: Path) -> None:
    with searching(tmp_path) as process:
        below = at_work(process)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
    assert_gone(below)
    report = json.loads((tmp_path / "csgtest-out" / "report.json").read_text())
    assert report["counters"]["portions"] and not report["finished"]
    assert "interrupted: the search is not finished" in report["notes"]
    assert any(each["observed"] == "different" for each in report["tests"])
    assert "Traceback" not in (tmp_path / "log").read_text()


def test_killed_search_leaves_no_worker(tmp_path: Path) -> None:
    with searching(tmp_path) as process:
        below = at_work(process)
        process.kill()
    assert_gone(below)
